//! Many datagrams in one call.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use crate::Wait;

/// Datagrams of one size that go out together. Each has a head of its own; the rest is shared.
pub struct SendBatch {
    heads: Vec<u8>,
    head: usize,
    /// What `parts` points to beside the heads. Never written, never moved.
    _payload: Vec<u8>,
    parts: Vec<libc::iovec>,
    messages: Vec<libc::mmsghdr>,
}

// SAFETY: the pointers inside point to heap memory that this value owns and never reallocates;
// nothing of it is shared with another thread.
unsafe impl Send for SendBatch {}

impl SendBatch {
    /// At most `most` datagrams of `head` bytes of their own and all of `payload`.
    pub fn new(head: usize, payload: Vec<u8>, most: usize) -> Self {
        let mut heads = vec![0; head * most.max(1)];
        let part = |bytes: *const u8, length| libc::iovec {
            iov_base: bytes.cast_mut().cast(),
            iov_len: length,
        };
        let mut parts = Vec::with_capacity(2 * most.max(1));
        for own in heads.chunks_mut(head.max(1)) {
            parts.push(part(own.as_ptr(), own.len()));
            parts.push(part(payload.as_ptr(), payload.len()));
        }
        let messages = parts.chunks_mut(2).map(|pair| libc::mmsghdr {
            msg_hdr: header(pair),
            msg_len: 0,
        });
        Self {
            messages: messages.collect(),
            heads,
            head,
            _payload: payload,
            parts,
        }
    }

    /// How many may go together.
    pub fn most(&self) -> usize {
        self.messages.len()
    }

    /// The head of the `index`-th.
    ///
    /// # Panics
    /// When there are not so many.
    #[inline]
    pub fn head(&mut self, index: usize) -> &mut [u8] {
        &mut self.heads[index * self.head..][..self.head]
    }

    /// sendmmsg(2): the first `count`, each by itself. How many were taken.
    ///
    /// # Errors
    /// What the kernel says about the first one.
    #[inline]
    pub fn send(&mut self, socket: impl AsFd, count: usize, wait: Wait) -> io::Result<usize> {
        let count = count.min(self.messages.len());
        // SAFETY: `count` messages are valid, and what they point to is owned by this value.
        let n = unsafe {
            libc::sendmmsg(
                socket.as_fd().as_raw_fd(),
                self.messages.as_mut_ptr(),
                count as libc::c_uint,
                (libc::MSG_NOSIGNAL | wait.flag()) as _,
            )
        };
        if n < 0 {
            Err(io::Error::last_os_error())
        } else {
            Ok(n as usize)
        }
    }

    /// sendmsg(2): the first `count` as one, which a socket with UDP_SEGMENT cuts again.
    ///
    /// # Errors
    /// What the kernel says; EINVAL for too many.
    #[inline]
    pub fn send_as_one(&mut self, socket: impl AsFd, count: usize, wait: Wait) -> io::Result<()> {
        let parts = 2 * count.min(self.messages.len());
        let message = header(&mut self.parts[..parts]);
        // SAFETY: the message's parts are valid, and what they point to is owned by this value.
        let n = unsafe {
            libc::sendmsg(
                socket.as_fd().as_raw_fd(),
                &raw const message,
                libc::MSG_NOSIGNAL | wait.flag(),
            )
        };
        if n < 0 {
            Err(io::Error::last_os_error())
        } else {
            Ok(())
        }
    }
}

/// Room for datagrams that come together.
pub struct RecvBatch {
    room: Vec<u8>,
    stride: usize,
    /// What the messages point to.
    _parts: Vec<libc::iovec>,
    messages: Vec<libc::mmsghdr>,
}

// SAFETY: as for `SendBatch`.
unsafe impl Send for RecvBatch {}

impl RecvBatch {
    /// At most `most` datagrams; what one has beyond `stride` bytes is cut off.
    pub fn new(stride: usize, most: usize) -> Self {
        let (stride, most) = (stride.max(1), most.max(1));
        let mut room = vec![0u8; stride * most];
        let mut parts: Vec<libc::iovec> = room
            .chunks_mut(stride)
            .map(|place| libc::iovec {
                iov_base: place.as_mut_ptr().cast(),
                iov_len: stride,
            })
            .collect();
        let messages = parts.chunks_mut(1).map(|part| libc::mmsghdr {
            msg_hdr: header(part),
            msg_len: 0,
        });
        Self {
            messages: messages.collect(),
            room,
            stride,
            _parts: parts,
        }
    }

    /// recvmmsg(2): waits for the first one as `wait` says and takes those that are there. How
    /// many.
    ///
    /// # Errors
    /// What the kernel says.
    #[inline]
    pub fn receive(&mut self, socket: impl AsFd, wait: Wait) -> io::Result<usize> {
        // SAFETY: all messages are valid, and what they point to is owned by this value.
        let n = unsafe {
            libc::recvmmsg(
                socket.as_fd().as_raw_fd(),
                self.messages.as_mut_ptr(),
                self.messages.len() as libc::c_uint,
                (libc::MSG_WAITFORONE | wait.flag()) as _,
                std::ptr::null_mut(),
            )
        };
        if n < 0 {
            Err(io::Error::last_os_error())
        } else {
            Ok(n as usize)
        }
    }

    /// The `index`-th datagram of the last call.
    #[inline]
    pub fn datagram(&self, index: usize) -> &[u8] {
        let length = (self.messages[index].msg_len as usize).min(self.stride);
        &self.room[index * self.stride..][..length]
    }
}

/// A message of these parts, without address and control data.
fn header(parts: &mut [libc::iovec]) -> libc::msghdr {
    // SAFETY: msghdr is plain data; all zero is a value of it.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = parts.as_mut_ptr();
    message.msg_iovlen = parts.len() as _;
    message
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;

    use units::Bytes;

    use super::*;
    use crate::Options;

    fn pair() -> (UdpSocket, UdpSocket) {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        sender.connect(receiver.local_addr().unwrap()).unwrap();
        (sender, receiver)
    }

    fn heads(batch: &RecvBatch, count: usize) -> Vec<(u8, usize)> {
        (0..count)
            .map(|i| (batch.datagram(i)[0], batch.datagram(i).len()))
            .collect()
    }

    #[test]
    fn each_has_its_own_head_and_all_the_same_rest() {
        let (sender, receiver) = pair();
        let mut batch = SendBatch::new(2, b"rest".to_vec(), 3);
        for i in 0..3 {
            batch.head(i).copy_from_slice(&[i as u8, 9]);
        }
        // Moving it leaves its memory where it is.
        let mut batch = Box::new(batch);
        assert_eq!(batch.send(&sender, 3, Wait::Block).unwrap(), 3);
        let mut room = RecvBatch::new(6, 8);
        assert_eq!(room.receive(&receiver, Wait::Block).unwrap(), 3);
        assert_eq!(heads(&room, 3), [(0, 6), (1, 6), (2, 6)]);
        assert_eq!(room.datagram(2), b"\x02\x09rest");
        let nothing = room.receive(&receiver, Wait::Never).unwrap_err();
        assert_eq!(nothing.kind(), io::ErrorKind::WouldBlock);
    }

    #[test]
    fn the_kernel_cuts_one_send_into_datagrams() {
        let (sender, receiver) = pair();
        Options::of(&sender).set_segment(Bytes::new(100)).unwrap();
        let mut batch = SendBatch::new(1, vec![7; 99], 5);
        for i in 0..5 {
            batch.head(i)[0] = i as u8;
        }
        batch.send_as_one(&sender, 5, Wait::Block).unwrap();
        let mut room = RecvBatch::new(100, 5);
        assert_eq!(room.receive(&receiver, Wait::Block).unwrap(), 5);
        assert_eq!(heads(&room, 5)[4], (4, 100));
        // Together again, where the receiver wants it.
        Options::of(&receiver).set_gro().unwrap();
        batch.send_as_one(&sender, 5, Wait::Block).unwrap();
        let mut room = RecvBatch::new(65_535, 1);
        let mut bytes = 0;
        while bytes < 500 {
            assert_eq!(room.receive(&receiver, Wait::Block).unwrap(), 1);
            bytes += room.datagram(0).len();
        }
        assert_eq!(bytes, 500);
    }
}
