//! Which CPUs, in the kernel's list notation.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ParseError;

/// CPUs in the order given, as in `0-3,8`; empty means "wherever the scheduler likes".
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct CpuList(Vec<u16>);

/// More CPUs than Linux can be built for on x86 (NR_CPUS is at most 8192).
const MOST: u16 = 8192;

impl CpuList {
    /// These CPUs.
    pub fn new(cpus: Vec<u16>) -> Self {
        Self(cpus)
    }

    /// The CPU numbers.
    pub fn as_slice(&self) -> &[u16] {
        &self.0
    }

    /// Whether no CPU was asked for.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for CpuList {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let error = || ParseError {
            text: text.to_owned(),
            expected: "a list of CPUs such as 0-3,8 (0 to 8191)",
        };
        let number = |part: &str| part.parse().ok().filter(|n| *n < MOST).ok_or_else(error);
        let mut cpus = Vec::new();
        for part in text.split(',') {
            match part.split_once('-') {
                None => cpus.push(number(part)?),
                Some((low, high)) => {
                    let (low, high) = (number(low)?, number(high)?);
                    if low > high {
                        return Err(error());
                    }
                    cpus.extend(low..=high);
                }
            }
        }
        Ok(Self(cpus))
    }
}

impl fmt::Display for CpuList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, cpu) in self.0.iter().enumerate() {
            write!(f, "{}{cpu}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges() {
        assert_eq!("0-3,8".parse(), Ok(CpuList::new(vec![0, 1, 2, 3, 8])));
        assert_eq!("1".parse(), Ok(CpuList::new(vec![1])));
        for text in ["", "3-1", "x", "0-9999", "1,,2"] {
            assert!(text.parse::<CpuList>().is_err(), "{text}");
        }
    }
}
