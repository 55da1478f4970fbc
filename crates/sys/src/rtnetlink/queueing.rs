//! Qdiscs and classes, as the kernel describes them: struct tcmsg and its attributes, unread.

use std::io;

use super::Rtnetlink;

/// include/uapi/linux/rtnetlink.h.
const GET_QDISC: u16 = 38;
const GET_CLASS: u16 = 42;
/// include/uapi/linux/netlink.h.
const REQUEST_DUMP: u16 = 0x301;
const ERROR: u16 = 2;
const DONE: u16 = 3;
/// struct nlmsghdr and struct tcmsg.
const HEADER: usize = 16;
const TCMSG: usize = 20;

impl Rtnetlink {
    /// All qdiscs of the namespace, one message each.
    ///
    /// # Errors
    /// What the kernel answers.
    pub fn qdiscs(&mut self) -> io::Result<Vec<Vec<u8>>> {
        self.dump(GET_QDISC, 0)
    }

    /// All classes of the interface with this number, one message each.
    ///
    /// # Errors
    /// ENODEV when there is no such interface.
    pub fn classes(&mut self, index: u32) -> io::Result<Vec<Vec<u8>>> {
        self.dump(GET_CLASS, index)
    }

    fn dump(&mut self, kind: u16, index: u32) -> io::Result<Vec<Vec<u8>>> {
        self.sequence = self.sequence.wrapping_add(1);
        let mut request = Vec::with_capacity(HEADER + TCMSG);
        request.extend(((HEADER + TCMSG) as u32).to_ne_bytes());
        request.extend(kind.to_ne_bytes());
        request.extend(REQUEST_DUMP.to_ne_bytes());
        request.extend(self.sequence.to_ne_bytes());
        request.extend([0; 4]);
        // Family and padding, interface, then handle, parent and info.
        request.extend([0; 4]);
        request.extend(index.to_ne_bytes());
        request.extend([0; 12]);
        self.socket.send(&request)?;
        let mut found = Vec::new();
        while self.take_part(&mut found)? {}
        Ok(found)
    }

    /// Takes one datagram of a dump. False after the last.
    fn take_part(&mut self, found: &mut Vec<Vec<u8>>) -> io::Result<bool> {
        let sequence = self.sequence;
        let mut bytes = self.receive_bytes()?;
        while let Some((header, _)) = bytes.split_first_chunk::<HEADER>() {
            let word = |at: usize| u32::from_ne_bytes([0, 1, 2, 3].map(|i| header[at + i]));
            let (length, kind) = (word(0) as usize, u16::from_ne_bytes([header[4], header[5]]));
            let Some(payload) = bytes.get(HEADER..length) else {
                break;
            };
            match kind {
                // Left over from a dump that was given up.
                _ if word(8) != sequence => (),
                DONE => return Ok(false),
                ERROR => {
                    let number = payload.first_chunk().map_or(0, |n| i32::from_ne_bytes(*n));
                    return Err(io::Error::from_raw_os_error(-number));
                }
                _ => found.push(payload.to_vec()),
            }
            bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
        }
        Ok(true)
    }
}
