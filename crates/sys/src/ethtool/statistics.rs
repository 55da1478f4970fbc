//! What a driver counts by itself, and which features it has: lists whose names the driver gives.

use std::io;

use super::ioctl;

/// ETHTOOL_GSSET_INFO, ETHTOOL_GSTRINGS, ETHTOOL_GSTATS, ETHTOOL_GFEATURES.
const GET_COUNTS: u32 = 0x37;
const GET_STRINGS: u32 = 0x1b;
const GET_STATISTICS: u32 = 0x1d;
const GET_FEATURES: u32 = 0x3a;
/// enum ethtool_stringset.
const OF_STATISTICS: u32 = 1;
const OF_FEATURES: u32 = 4;
/// ETH_GSTRING_LEN.
const NAME: usize = 32;
/// More than any driver has; what a driver says is not believed beyond it.
const MOST: usize = 65_536;
/// Room for counters that come while they are read: those of 256 new queues.
const SPARE: usize = 8192;

/// Names of the counters of `interface`'s driver.
///
/// # Errors
/// EOPNOTSUPP when it has none, ENODEV when there is no such interface.
pub fn statistic_names(interface: &str) -> io::Result<Vec<String>> {
    names(interface, OF_STATISTICS)
}

/// Values of these counters, `count` of them, in the order of their names.
///
/// # Errors
/// As for [`statistic_names`]; InvalidData when their number has changed.
pub fn statistics(interface: &str, count: usize) -> io::Result<Vec<u64>> {
    // struct ethtool_stats: command, number, then the values.
    let mut buffer = vec![0_u64; 1 + count + SPARE];
    set_words(&mut buffer[0], GET_STATISTICS, count as u32);
    // The kernel writes as many as the driver has by now, whatever number was asked for: that is
    // asked again just before, and there is room if it grows at that very moment.
    if self::count(interface, OF_STATISTICS)? != count {
        return Err(io::ErrorKind::InvalidData.into());
    }
    ioctl(interface, buffer.as_mut_slice())?;
    buffer.truncate(1 + count);
    Ok(buffer.split_off(1))
}

/// All features of the interface and whether each is on.
///
/// # Errors
/// As for [`statistic_names`].
pub fn features(interface: &str) -> io::Result<Vec<(String, bool)>> {
    let names = names(interface, OF_FEATURES)?;
    let blocks = names.len().div_ceil(32);
    // struct ethtool_gfeatures: command, number of blocks, then for each block four words:
    // available, requested, active, never changed.
    let mut buffer = vec![0_u32; 2 + 4 * blocks];
    buffer[0] = GET_FEATURES;
    buffer[1] = blocks as u32;
    ioctl(interface, buffer.as_mut_slice())?;
    let active = |bit: usize| buffer[2 + 4 * (bit / 32) + 2] >> (bit % 32) & 1 == 1;
    let features = names.into_iter().enumerate();
    Ok(features
        .filter(|(_, name)| !name.is_empty())
        .map(|(bit, name)| (name, active(bit)))
        .collect())
}

fn names(interface: &str, set: u32) -> io::Result<Vec<String>> {
    let count = count(interface, set)?;
    // struct ethtool_gstrings: command, set, number, then the names.
    let mut buffer = vec![0_u8; 12 + count * NAME];
    buffer[..4].copy_from_slice(&GET_STRINGS.to_ne_bytes());
    buffer[4..8].copy_from_slice(&set.to_ne_bytes());
    buffer[8..12].copy_from_slice(&(count as u32).to_ne_bytes());
    ioctl(interface, buffer.as_mut_slice())?;
    let name = |bytes: &[u8]| {
        let name = bytes.split(|b| *b == 0).next().unwrap_or_default();
        String::from_utf8_lossy(name).into_owned()
    };
    Ok(buffer[12..].chunks_exact(NAME).map(name).collect())
}

/// How many names there are in a set.
fn count(interface: &str, set: u32) -> io::Result<usize> {
    // struct ethtool_sset_info: command, reserved, mask (64 bits), then a number for each bit of
    // the mask that the kernel left set.
    let mut buffer = [GET_COUNTS, 0, 0, 0, 0, 0];
    let mask = (1_u64 << set).to_ne_bytes();
    let (low, high) = mask.split_at(4);
    let word = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_ne_bytes);
    (buffer[2], buffer[3]) = (word(low), word(high));
    ioctl(interface, buffer.as_mut_slice())?;
    let answered = buffer[2] | buffer[3];
    if answered == 0 {
        return Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP));
    }
    Ok((buffer[4] as usize).min(MOST))
}

/// Two 32-bit words in the order of memory.
fn set_words(both: &mut u64, first: u32, second: u32) {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&first.to_ne_bytes());
    bytes[4..].copy_from_slice(&second.to_ne_bytes());
    *both = u64::from_ne_bytes(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_has_features_and_no_counters_of_a_driver() {
        let features = features("lo").unwrap();
        let on = |name: &str| features.iter().find(|(n, _)| n == name).map(|(_, on)| *on);
        assert_eq!(on("loopback"), Some(true), "{features:?}");
        assert!(statistic_names("lo").is_err());
        assert!(statistics("lo", 4).is_err());
    }
}
