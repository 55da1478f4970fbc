//! What a receiver makes of datagrams' numbers, by iperf3's own count.

/// The count of one stream. A number that comes late, or twice, takes a loss back: a duplicate
/// may hide one, as at all of iperf3's receivers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Arrivals {
    /// The highest number.
    pub highest: u64,
    /// Numbers that are missing.
    pub lost: u64,
    /// Datagrams that were not above all before them.
    pub out_of_order: u64,
    /// Datagrams.
    pub received: u64,
}

impl Arrivals {
    /// Takes the number of a datagram.
    #[inline]
    pub fn take(&mut self, number: u64) {
        self.received += 1;
        if number > self.highest {
            self.lost += number - self.highest - 1;
            self.highest = number;
        } else {
            self.out_of_order += 1;
            self.lost = self.lost.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_stock_receivers() {
        let all = |numbers: &[u64]| {
            let mut arrivals = Arrivals::default();
            numbers.iter().for_each(|number| arrivals.take(*number));
            (arrivals.lost, arrivals.highest, arrivals.out_of_order)
        };
        assert_eq!(all(&[1, 2, 3]), (0, 3, 0));
        assert_eq!(all(&[1, 2, 5, 6]), (2, 6, 0));
        assert_eq!(all(&[1, 2, 5, 3, 4, 6]), (0, 6, 2));
        assert_eq!(all(&[1, 2, 2, 2, 3]), (0, 3, 2));
        assert_eq!(all(&[3, 4]), (2, 4, 0));
        assert_eq!(all(&[1, 5, 3, 3, 3, 3, 6]), (0, 6, 4));
        assert_eq!(all(&[0, 1, 2]), (0, 2, 1));
        assert_eq!(all(&[10, 1, 2, 3, 4, 5, 6, 7, 8, 9]), (0, 10, 9));
        assert_eq!(
            all(&[1, 2, 4_294_967_295]),
            (4_294_967_292, 4_294_967_295, 0)
        );
    }
}
