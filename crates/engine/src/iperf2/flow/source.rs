//! What is sent instead of digits.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsRawFd;

/// A file or a pipe that a flow sends to its end.
pub(crate) struct Source(File);

impl Source {
    /// Each flow sends a file from its beginning; a pipe is shared.
    ///
    /// # Errors
    /// When there is no descriptor left.
    pub fn of(file: &File) -> io::Result<Self> {
        if file.metadata()?.is_file() {
            // A descriptor that is duplicated shares its place in the file; one that is opened does not.
            let again = File::open(format!("/proc/self/fd/{}", file.as_raw_fd()));
            if let Ok(own) = again {
                return Ok(Self(own));
            }
        }
        file.try_clone().map(Self)
    }

    /// Fills `room` as far as there is something.
    ///
    /// # Errors
    /// What read(2) says.
    pub fn fill(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < room.len() {
            match self.0.read(&mut room[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flow_has_the_whole_file() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let all = std::fs::read(path).unwrap();
        let file = File::open(path).unwrap();
        for _ in 0..2 {
            let mut source = Source::of(&file).unwrap();
            let mut room = vec![0; all.len() - 1];
            assert_eq!(source.fill(&mut room).unwrap(), all.len() - 1);
            assert_eq!(room, all[..all.len() - 1]);
            assert_eq!(source.fill(&mut room).unwrap(), 1);
            assert_eq!(source.fill(&mut room).unwrap(), 0);
        }
    }
}
