//! TCP_INFO, whatever its length on this kernel.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use record::TcpInfo;

use crate::check;

/// Longer than struct tcp_info of any kernel so far (248 bytes in 6.18); the kernel writes at
/// most this much and says how much it wrote.
const ROOM: usize = 512;

/// Reads TCP_INFO of a TCP socket.
///
/// # Errors
/// ENOPROTOOPT or EOPNOTSUPP when it is not a TCP socket.
pub fn tcp_info(socket: impl AsFd) -> io::Result<TcpInfo> {
    let mut bytes = [0u8; ROOM];
    let mut length = ROOM as libc::socklen_t;
    // SAFETY: `bytes` is writable for `length` bytes, both live through the call.
    check(unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            bytes.as_mut_ptr().cast(),
            &mut length,
        )
    })?;
    Ok(parse(&bytes[..length as usize]))
}

/// Offsets are those of struct tcp_info in include/uapi/linux/tcp.h; a field beyond the end is
/// one that this kernel does not have.
fn parse(bytes: &[u8]) -> TcpInfo {
    let u8_at = |at: usize| bytes.get(at).map(|b| u64::from(*b));
    let u16_at = |at: usize| {
        Some(u64::from(u16::from_ne_bytes(
            bytes.get(at..at + 2)?.try_into().ok()?,
        )))
    };
    let u32_at = |at: usize| {
        Some(u64::from(u32::from_ne_bytes(
            bytes.get(at..at + 4)?.try_into().ok()?,
        )))
    };
    let u64_at = |at: usize| Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    TcpInfo {
        tcpi_state: u8_at(0),
        tcpi_ca_state: u8_at(1),
        tcpi_retransmits: u8_at(2),
        tcpi_probes: u8_at(3),
        tcpi_backoff: u8_at(4),
        tcpi_options: u8_at(5),
        tcpi_snd_wscale: u8_at(6).map(|b| b & 0xf),
        tcpi_rcv_wscale: u8_at(6).map(|b| b >> 4),
        tcpi_delivery_rate_app_limited: u8_at(7).map(|b| b & 1),
        tcpi_rto: u32_at(8),
        tcpi_ato: u32_at(12),
        tcpi_snd_mss: u32_at(16),
        tcpi_rcv_mss: u32_at(20),
        tcpi_unacked: u32_at(24),
        tcpi_sacked: u32_at(28),
        tcpi_lost: u32_at(32),
        tcpi_retrans: u32_at(36),
        tcpi_pmtu: u32_at(60),
        tcpi_rcv_ssthresh: u32_at(64),
        tcpi_rtt: u32_at(68),
        tcpi_rttvar: u32_at(72),
        tcpi_snd_ssthresh: u32_at(76),
        tcpi_snd_cwnd: u32_at(80),
        tcpi_advmss: u32_at(84),
        tcpi_reordering: u32_at(88),
        tcpi_rcv_rtt: u32_at(92),
        tcpi_rcv_space: u32_at(96),
        tcpi_total_retrans: u32_at(100),
        tcpi_pacing_rate: u64_at(104),
        tcpi_max_pacing_rate: u64_at(112),
        tcpi_bytes_acked: u64_at(120),
        tcpi_bytes_received: u64_at(128),
        tcpi_segs_out: u32_at(136),
        tcpi_segs_in: u32_at(140),
        tcpi_notsent_bytes: u32_at(144),
        tcpi_min_rtt: u32_at(148),
        tcpi_data_segs_in: u32_at(152),
        tcpi_data_segs_out: u32_at(156),
        tcpi_delivery_rate: u64_at(160),
        tcpi_busy_time: u64_at(168),
        tcpi_rwnd_limited: u64_at(176),
        tcpi_sndbuf_limited: u64_at(184),
        tcpi_delivered: u32_at(192),
        tcpi_delivered_ce: u32_at(196),
        tcpi_bytes_sent: u64_at(200),
        tcpi_bytes_retrans: u64_at(208),
        tcpi_dsack_dups: u32_at(216),
        tcpi_reord_seen: u32_at(220),
        tcpi_rcv_ooopack: u32_at(224),
        tcpi_snd_wnd: u32_at(228),
        tcpi_rcv_wnd: u32_at(232),
        tcpi_rehash: u32_at(236),
        tcpi_total_rto: u16_at(240),
        tcpi_total_rto_recoveries: u16_at(242),
        tcpi_total_rto_time: u32_at(244),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn counts_agree_with_what_was_sent_and_read() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        client.write_all(&[1; 5000]).unwrap();
        server.read_exact(&mut [0; 5000]).unwrap();
        server.write_all(&[1]).unwrap();
        client.read_exact(&mut [0]).unwrap();
        let (sent, got) = (tcp_info(&client).unwrap(), tcp_info(&server).unwrap());
        assert_eq!(sent.tcpi_state, Some(1), "established");
        // The SYN counts as one byte acknowledged.
        assert_eq!(sent.tcpi_bytes_acked, Some(5001));
        assert_eq!(got.tcpi_bytes_received, Some(5000));
        assert_eq!(got.tcpi_segs_in, sent.tcpi_segs_out);
    }

    #[test]
    fn a_shorter_struct_of_an_older_kernel_gives_absent_fields() {
        let old = parse(&[0; 104]);
        assert_eq!(old.tcpi_total_retrans, Some(0));
        assert_eq!(old.tcpi_pacing_rate, None);
        assert_eq!(old.tcpi_bytes_acked, None);
    }

    #[test]
    fn a_datagram_socket_has_none() {
        assert!(tcp_info(std::net::UdpSocket::bind("127.0.0.1:0").unwrap()).is_err());
    }
}
