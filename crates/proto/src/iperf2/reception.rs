//! What a UDP receiver makes of numbers and times, by iperf 2's rules: what it reports and prints.
//! netdyno's own sequence facts are kept beside it by whoever receives.

use super::datagram::DatagramHeader;
use super::report::{ReportExtension, ServerReport};

/// One flow's figures so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Reception {
    /// Payload bytes of all datagrams, the last one's included.
    pub bytes: u64,
    /// Datagrams that came, the last one included.
    pub received: u64,
    /// The highest number.
    pub highest: i64,
    /// Numbers that were skipped; those that came late or twice are in [`Self::out_of_order`].
    pub skipped: u64,
    /// Datagrams that came after a later one, or twice: by iperf's rule each of them takes back
    /// one loss, so that a duplicate hides one.
    pub out_of_order: u64,
    /// Mean deviation of transit times (RFC 1889), us.
    pub jitter_us: f64,
    transit: Transit,
}

/// Transit times, us: differences of two clocks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Transit {
    count: u64,
    min: i64,
    max: i64,
    sum: i64,
    mean: f64,
    m2: f64,
    last: i64,
}

impl Reception {
    /// Takes a datagram that was received at `now_us` of wall time. A number below zero, the end,
    /// counts as the datagram after the highest.
    #[inline]
    pub fn take(&mut self, header: DatagramHeader, bytes: usize, now_us: i64) {
        self.bytes += bytes as u64;
        self.received += 1;
        let id = header.id.checked_abs().unwrap_or(i64::MAX);
        let expected = self.highest.saturating_add(1);
        if id > expected {
            self.skipped = self.skipped.saturating_add((id - expected) as u64);
        }
        // A legacy client's first datagram has number 0 and is counted for nothing.
        if id >= expected {
            self.highest = id;
        } else if id > 0 {
            self.out_of_order += 1;
        }
        let transit = now_us.wrapping_sub(header.sent.as_micros());
        self.transit(transit);
    }

    #[inline]
    fn transit(&mut self, transit: i64) {
        let times = &mut self.transit;
        if times.count > 0 {
            // The first one has nothing to be compared with.
            let deviation = transit.abs_diff(times.last) as f64;
            self.jitter_us += (deviation - self.jitter_us) / 16.0;
            times.min = times.min.min(transit);
            times.max = times.max.max(transit);
        } else {
            (times.min, times.max) = (transit, transit);
        }
        times.last = transit;
        times.count += 1;
        times.sum = times.sum.saturating_add(transit);
        let distance = transit as f64 - times.mean;
        times.mean += distance / times.count as f64;
        times.m2 += distance * (transit as f64 - times.mean);
    }

    /// The last transit time, us.
    #[inline]
    pub const fn last_transit_us(&self) -> i64 {
        self.transit.last
    }

    /// Lost datagrams by iperf's rule.
    pub const fn lost(&self) -> u64 {
        self.skipped.saturating_sub(self.out_of_order)
    }

    /// What the server reports of it. The times are always filled in and hold with a flag that
    /// says that they were meant for eyes.
    pub fn report(&self, duration_us: u64) -> ServerReport {
        let times = &self.transit;
        let per_second = |count: u64| match duration_us {
            0 => 0,
            us => (count as f64 * 1e6 / us as f64) as u32,
        };
        ServerReport {
            bytes: self.bytes,
            duration_us,
            lost: self.lost(),
            out_of_order: self.out_of_order,
            datagrams: self.highest.max(0) as u64,
            jitter_us: self.jitter_us as u64,
            extension: Some(ReportExtension {
                min_us: times.min,
                max_us: times.max,
                sum_us: times.sum,
                mean_us: times.mean as i64,
                m2_us2: times.m2,
                last_deviation_us: times.last - times.mean as i64,
                count: u32::try_from(times.count).unwrap_or(u32::MAX),
                datagrams_per_second: per_second(self.received),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iperf2::Stamp;

    fn after(ids: &[i64]) -> Reception {
        let mut reception = Reception::default();
        for id in ids {
            let header = DatagramHeader {
                id: *id,
                sent: Stamp::from_micros(1_000_000),
            };
            reception.take(header, 100, 1_000_250);
        }
        reception
    }

    #[test]
    fn a_duplicate_hides_a_loss_as_it_does_at_iperf() {
        let reception = after(&[1, 2, 5, 4, 6, 6, -7]);
        assert_eq!((reception.highest, reception.lost()), (7, 0));
        assert_eq!(reception.out_of_order, 2);
        assert_eq!((reception.bytes, reception.received), (700, 7));
    }

    #[test]
    fn what_is_lost_before_the_first_counts() {
        assert_eq!(after(&[5]).lost(), 4);
        assert_eq!(after(&[1, 2, 3, -4]).lost(), 0);
    }

    #[test]
    fn a_legacy_client_begins_with_0_and_repeats_its_end() {
        let reception = after(&[0, 1, 2, 3, -3]);
        assert_eq!((reception.highest, reception.lost()), (3, 0));
        assert_eq!(reception.out_of_order, 1);
    }

    #[test]
    fn clocks_apart_are_no_jitter() {
        let mut reception = Reception::default();
        for id in 1..=20 {
            let sent = Stamp::from_micros(1_000_000_000 + id * 1000);
            let late = if id % 2 == 0 { 30 } else { 0 };
            let header = DatagramHeader {
                id: id as i64,
                sent,
            };
            reception.take(header, 100, 2_000_000_000 + id as i64 * 1000 + late);
        }
        assert!(reception.jitter_us < 31.0, "{}", reception.jitter_us);
        assert!(reception.jitter_us > 15.0, "{}", reception.jitter_us);
        let report = reception.report(20_000);
        let extension = report.extension.expect("an extension");
        assert_eq!(extension.min_us, 1_000_000_000);
        assert_eq!(extension.max_us, 1_000_000_030);
        assert_eq!(extension.count, 20);
        assert_eq!(extension.datagrams_per_second, 1000);
        assert!((extension.m2_us2 / 20.0 - 225.0).abs() < 0.1);
    }

    #[test]
    fn hostile_numbers_do_not_overflow() {
        let reception = after(&[i64::MAX, i64::MIN, 3, i64::MAX, 0, -1]);
        assert_eq!(reception.highest, i64::MAX);
        let mut wild = Reception::default();
        for now in [i64::MAX, i64::MIN, 0, i64::MAX] {
            wild.take(
                DatagramHeader {
                    id: 1,
                    sent: Stamp::from_micros(u64::MAX),
                },
                12,
                now,
            );
        }
        let _ = wild.report(0);
    }
}
