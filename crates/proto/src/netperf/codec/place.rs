//! Where the data socket is.

use plan::Family;

use super::Codec;
use crate::netperf::{Address, Frame};

/// A port; 0 is any, or none.
pub(in crate::netperf) struct Port;

impl Codec for Port {
    type Value = u16;
    fn read(&self, frame: &Frame, at: usize) -> Result<u16, String> {
        let number = frame.word(at);
        u16::try_from(number).map_err(|_| format!("{number}: ports from 0 to 65535 are accepted"))
    }
    fn write(&self, frame: &mut Frame, at: usize, value: &u16) {
        frame.set_word(at, u32::from(*value));
    }
}

/// An address family by netperf's own numbers, which are no system's.
pub(in crate::netperf) struct FamilyNumber;

impl Codec for FamilyNumber {
    type Value = Family;
    fn read(&self, frame: &Frame, at: usize) -> Result<Family, String> {
        match frame.word(at) {
            0 => Ok(Family::Any),
            4 => Ok(Family::V4),
            6 => Ok(Family::V6),
            number => Err(format!(
                "{number}: 0 (any), 4 (IPv4) and 6 (IPv6) are accepted"
            )),
        }
    }
    fn write(&self, frame: &mut Frame, at: usize, value: &Family) {
        let number = match value {
            Family::Any => 0,
            Family::V4 => 4,
            Family::V6 => 6,
        };
        frame.set_word(at, number);
    }
}

/// An address in four words.
pub(in crate::netperf) struct FourWords;

impl Codec for FourWords {
    type Value = Address;
    fn read(&self, frame: &Frame, at: usize) -> Result<Address, String> {
        let mut bytes = [0; Address::LEN];
        bytes.copy_from_slice(frame.raw(at, Address::LEN));
        Ok(Address::of(bytes))
    }
    fn write(&self, frame: &mut Frame, at: usize, value: &Address) {
        frame
            .raw_mut(at, Address::LEN)
            .copy_from_slice(value.as_bytes());
    }
}
