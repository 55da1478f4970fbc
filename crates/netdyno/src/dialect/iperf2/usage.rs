//! What `-h` and `-v` say.

/// The version that iperf's layouts are of.
pub(super) fn version() -> String {
    format!(
        "iperf version 2.1.8 as netdyno {} speaks it\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// All options by what they are for.
pub(super) const HELP: &str = "\
Usage: iperf -s [options]            be a server
       iperf -c HOST [options]       send to one, or receive from it
       iperf -h | -v

iperf 2's command line and output, on netdyno's engine. Sizes and rates take k, m, g (powers of
1000) and K, M, G (powers of 1024): '-b 1m' is 1 Mbit/s, '-b 1M' is 1.048576 Mbit/s. Long options
may be cut short, options may stand in any order, and IPERF_PORT, IPERF_TIME and so on stand for
options. Every run is kept: 'netdyno show' shows it again.

Both
  -b, --bandwidth N[kmgKMG][,S]   rate of each flow in bit/s (with deviation S), or Npps (UDP)
  -B, --bind HOST[:PORT][%DEV]    own address, port (client), interface; a server joins a group
  -e, --enhanced                  more columns: writes, retries, window, round trip, latency
  -f, --format LETTER             unit: b k m g t p (bits), B K M G T P (bytes), a, A (what suits)
  -i, --interval SECONDS|f        rows at this distance, or at a server of each frame
  -l, --len N                     bytes of a write or datagram (128K; UDP 1470, over IPv6 1450)
  -m, --print_mss                 show the segment's size
  -M, --mss N                     ask for this segment size
  -N, --nodelay                   TCP_NODELAY
  -o, --output FILE               all output to a file
  -p, --port N[-M]                port, or ports: a listener or flow for each (5001)
  -S, --tos BYTE|NAME             type of service: 0 to 255, af11 to af43, cs0 to cs7, ef, le ...
      --dscp N                    the same as a code point, 0 to 63
  -u, --udp                       datagrams
  -w, --window N                  socket buffer: to send (client), to receive (server)
  -V, --ipv6_domain, -4, -6       the address family
  -x, --reportexclude LETTERS     leave out C(onnections) D(ata) M(ulticast) S(ettings) V(server's)
  -y, --reportstyle C             comma-separated values
  -z, --realtime                  real-time scheduling
  -Z, --tcp-congestion NAME       congestion control (also --tcp-cca)
      --hide-ips                  no whole addresses in the output
      --histograms[=W[um][,N[,LO[,HI]]]]  times in N bins of width W
      --omit SECONDS              leave the start out of the last row
      --permit-key[=KEY]          admit only clients that show this key
      --skip-rx-copy              the kernel discards what comes
      --sum-only                  rows of all flows together only
      --tcp-quickack              acknowledge at once
      --utc                       times of day in UTC

Server
  -1, --singleclient              one client at a time
  -D, --daemon                    leave the terminal
  -H, --ssm-host ADDRESS          the only source of a multicast group
  -P, --parallel N                end after N flows
  -t, --time SECONDS              listen, and receive of each client, this long
  -U, --single_udp                accepted, without effect
      --jitter-histograms[=...]   bins of jitter
      --l2checks                  hold UDP's packets against their headers (CAP_NET_RAW)
      --permit-key-timeout S      how long the key is taken (20; 0 for ever)
      --sum-dstip                 sum flows by the address that they came to
      --tcp-rx-window-clamp N     limit of the receive window
      --tos-override BYTE|NAME    type of service of what the server sends

Client: how much and how
  -c, --client HOST[%DEV]         the server
  -n, --num N                     bytes to send
  -t, --time SECONDS              how long to send (10; 0 for ever)
  -P, --parallel N                flows
  -F, --file_input FILE, -I       send a file, or standard input
  -R, --reverse                   the server sends
      --full-duplex               both send on one connection
  -d, --dualtest                  the server connects back and sends at the same time
  -r, --tradeoff                  ... afterwards
  -L, --listenport N              the port to connect back to
  -T, --ttl N                     time to live
  -C, --compatibility             no test header
  -X, --peer-detect               ask the server for its version
      --fq-rate N                 the kernel paces at N (k, m, g: bits; K, M, G: bytes)
      --fq-rate-step N, --fq-rate-step-interval S   ... N more every S seconds
      --ipg MS                    from datagram to datagram (of a frame), in milliseconds
      --isochronous[=FPS:MEAN[,DEV]]  frames (60:20m,0); a MEAN with 'p' is datagrams per frame
      --burst-period S, --burst-size N  N bytes every S seconds
      --near-congestion[=W]       after each write a pause of W round trips (0.5)
      --tcp-write-prefetch N      write only while less than N bytes wait unsent
      --tcp-tx-delay MS           the kernel sends this much later (with qdisc fq)
      --trip-times                times of one way; both clocks must agree
      --tcp-write-times           how long writes take
      --txstart-time UNIX, --txdelay-time S, --send-delay S   when to start; from flow to flow
      --connect-only[=N]          connect N times (10; 0 for ever) and nothing else
      --connect-retries N, --connect-retry-time S, --connect-retry-timer S   try again
      --no-connect-sync           flows do not wait for each other
      --ignore-shutdown           do not wait for the server's close
      --no-udp-fin                no server's report at the end
      --incr-srcip, --incr-srcport, --incr-dstip, --incr-dstport   one more for each flow
      --local-only                on this link only
      --sync-transfer-id          both ends number flows alike
      --test-exchange-timeout S   how long the server may take to answer

Client: requests and replies
      --bounceback[=N]            N requests of -l bytes (10 of 100) each period
      --bounceback-period S       the period (1; 0 is without pause)
      --bounceback-request N, --bounceback-reply N   bytes of each
      --bounceback-hold MS        how long the server keeps a request
      --bounceback-no-quickack    acknowledgements may be delayed
      --bounceback-congest[=up|down|bidir[,N]]  N streams beside it (also --working-load)
      --working-load-cca NAME     their congestion control
      --bounceback-txdelay S      requests start so much later than the streams

Exit codes: 0 done, 1 what was asked did not happen (wrong usage, no connection, nothing received).
";
