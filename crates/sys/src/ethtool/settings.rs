//! How a device is set: rings, channels, coalescing, pause frames, speed, and who made it.

use std::io;

use super::ioctl;

/// A group of settings, each a struct of 32-bit words after the command word
/// (include/uapi/linux/ethtool.h); names are in the order of the words. Words without a name are
/// reserved or not of interest.
pub struct Settings {
    /// What they set.
    pub group: &'static str,
    command: u32,
    words: &'static [&'static str],
}

/// All groups.
pub const SETTINGS: [Settings; 4] = [
    // struct ethtool_ringparam.
    Settings {
        group: "ring",
        command: 0x10,
        words: &["rx_max", "", "", "tx_max", "rx", "", "", "tx"],
    },
    // struct ethtool_channels.
    Settings {
        group: "channels",
        command: 0x3c,
        words: &["", "", "", "combined_max", "rx", "tx", "other", "combined"],
    },
    // struct ethtool_coalesce.
    Settings {
        group: "coalesce",
        command: 0x0e,
        words: &[
            "rx_usecs",
            "rx_frames",
            "rx_usecs_irq",
            "rx_frames_irq",
            "tx_usecs",
            "tx_frames",
            "tx_usecs_irq",
            "tx_frames_irq",
            "",
            "adaptive_rx",
            "adaptive_tx",
            "",
            "",
            "",
            "",
            "",
            "",
            "",
            "",
            "",
            "",
            "",
        ],
    },
    // struct ethtool_pauseparam.
    Settings {
        group: "pause",
        command: 0x12,
        words: &["autoneg", "rx", "tx"],
    },
];

impl Settings {
    /// Their names and values at `interface`.
    ///
    /// # Errors
    /// EOPNOTSUPP when its driver does not tell, ENODEV when there is no such interface.
    pub fn read(&self, interface: &str) -> io::Result<Vec<(&'static str, u32)>> {
        let mut buffer = vec![0_u32; 1 + self.words.len()];
        buffer[0] = self.command;
        ioctl(interface, buffer.as_mut_slice())?;
        let values = self.words.iter().copied().zip(buffer.split_off(1));
        Ok(values.filter(|(name, _)| !name.is_empty()).collect())
    }
}

/// Speed of the link, Mbit/s, by ETHTOOL_GSET (struct ethtool_cmd); none while it is unknown.
///
/// # Errors
/// As for [`Settings::read`].
pub fn speed(interface: &str) -> io::Result<Option<u32>> {
    let mut buffer = [0_u8; 44];
    buffer[..4].copy_from_slice(&1_u32.to_ne_bytes());
    ioctl(interface, buffer.as_mut_slice())?;
    let half = |at: usize| u32::from(u16::from_ne_bytes([buffer[at], buffer[at + 1]]));
    // speed at 12, speed_hi at 28; SPEED_UNKNOWN is -1.
    let speed = half(28) << 16 | half(12);
    Ok((speed != u32::MAX && speed != 0xffff && speed != 0).then_some(speed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_without_them_is_an_error() {
        for settings in &SETTINGS {
            assert!(settings.read("no-such-if").is_err(), "{}", settings.group);
        }
        assert!(speed("no-such-if").is_err());
    }
}
