//! What the program says of itself.

/// The version of iperf3 whose options, messages and documents are meant.
pub(super) const COMPATIBLE: &str = "3.21";

/// As documents name the program: readers look for `iperf` and a number.
pub(super) fn document_version() -> String {
    format!("iperf {COMPATIBLE} (netdyno {})", env!("CARGO_PKG_VERSION"))
}

/// `-v`.
pub(super) fn version() -> String {
    format!(
        "{}\n\
         Built in: CPU affinity, IPv6 flow label, SCTP, congestion control, sendfile, socket pacing,\n\
         authentication, interface binding, don't fragment, UDP segmentation offload, MPTCP\n",
        document_version()
    )
}

/// `-h`.
pub(super) const HELP: &str = "\
netdyno in the role of iperf3: the same options, protocol and output.

Usage: iperf3 -c HOST [options]      ask a server for a test
       iperf3 -s [options]           be a server, for many clients at once

Numbers of bytes, blocks and microseconds take K, M, G, T as powers of 1024, rates as powers of
1000. Long options may be cut short.

Client and server:
  -p, --port N               the server's port, for control and data (5201)
  -i, --interval SECONDS     an interval line every 0.1 to 60 s (1); 0 for a single one
  -f, --format k|m|g|t|K|M|G|T
                             unit of rates: bits (k m g t) or bytes (K M G T) per second
  -V, --verbose              more lines
  -J, --json                 one JSON document instead of text
      --json-stream          a JSON object a line, as things happen
      --json-stream-full-output
                             both of them
      --timestamps[=FORMAT]  begin each line with the time, as strftime(3) writes it
      --logfile FILE         append output and errors to a file
      --forceflush           flush output with every interval
  -d, --debug[=1..4]         tell the dialogue with the other end
  -B, --bind ADDRESS[%DEV]   our own address, for control and data
      --bind-dev DEV         the interface, for control and data
  -4, -6                     IPv4 or IPv6 only
  -A, --affinity N[,M]       run on CPU N; a client asks its server to run on M
  -F, --file FILE            send a file; write what is received to a file
  -I, --pidfile FILE         a file that holds the process id while it runs
  -m, --mptcp                MPTCP for data
      --rcv-timeout MS       give up if nothing is received for so long (120000)
      --snd-timeout MS       give up if nothing that was sent is acknowledged for so long
      --cntl-ka[=IDLE/INTERVAL/COUNT]
                             probe an idle control connection: seconds, seconds, probes
      --use-pkcs1-padding    credentials as 3.16 and older have them
  -X, --xbind ADDRESS        an address of an SCTP association
  -v, --version              the version
  -h, --help                 this

Server:
  -s, --server               be a server
  -1, --one-off              end after one test
  -D, --daemon               go to the background
      --max-tests N          tests at the same time; 1 refuses others as busy, as iperf3 does
      --server-bitrate-limit RATE[/SECONDS]
                             end tests that move more, averaged over so long (5)
      --server-max-duration SECONDS
                             refuse longer tests
      --idle-timeout SECONDS listen anew after so long without a test; with -1, end
      --rsa-private-key-path FILE, --authorized-users-path FILE
                             only users of the second file may ask
      --time-skew-threshold SECONDS
                             how far their clocks may be apart (10)

Client:
  -c, --client HOST[%DEV]    the server
  -t, --time SECONDS         for so long (10); 0 until it is interrupted
  -n, --bytes N              until so many bytes are moved
  -k, --blockcount N         until so many blocks are moved
  -O, --omit SECONDS         not counting so long at the beginning
  -P, --parallel N           so many streams (1); stock servers take 128
  -R, --reverse              the server sends
      --bidir                both send, on streams of their own
  -u, --udp                  datagrams, 1048576 bit/s unless -b says otherwise
      --sctp                 SCTP; --nstreams N streams of it
  -b, --bitrate RATE[/N]     offered rate of each stream, N blocks at once; 0 is unlimited
      --fq-rate RATE         paced by the kernel
      --pacing-timer US      how often an older peer paces
  -l, --length N             bytes of a block (128K) or datagram (what fits the path)
  -w, --window N             socket buffers of both ends
  -M, --set-mss N            largest segment
  -N, --no-delay             no Nagle
  -C, --congestion NAME      congestion control
  -S, --tos N, --dscp N|NAME type of service
  -L, --flowlabel N          IPv6 flow label
  -Z, --zerocopy             send by sendfile(2)
      --skip-rx-copy         the receiver leaves the payload in the kernel
      --gsro                 segmentation and receive offload for datagrams
      --dont-fragment        do not fragment IPv4 datagrams
      --udp-counters-64bit   64-bit numbers of datagrams
      --repeating-payload    digits as payload instead of noise
      --cport N              our port of the first data stream
      --connect-timeout MS   for the control connection
  -T, --title TEXT           what each line begins with
      --extra-data TEXT      for the documents of both ends
      --get-server-output    show what the server shows
      --username NAME, --rsa-public-key-path FILE
                             who we are; the password is in IPERF3_PASSWORD or is asked for

Exit codes: 0 done; 1 an error, whatever it was.
";
