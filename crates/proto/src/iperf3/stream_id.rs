//! The numbers by which both ends' results are matched.

/// A stream's number: 1, 3, 4, 5 …, in the order in which streams are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(u32);

impl StreamId {
    /// Of the stream that was opened as the `index`-th, from 0. All versions leave 2 out.
    pub const fn of_index(index: u32) -> Self {
        Self(if index == 0 { 1 } else { index + 2 })
    }

    /// What came over the wire; none for a number that no stream has.
    pub const fn of(number: u32) -> Option<Self> {
        match number {
            0 | 2 => None,
            number => Some(Self(number)),
        }
    }

    /// The number.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Its place in the order, from 0.
    pub const fn index(self) -> u32 {
        if self.0 == 1 { 0 } else { self.0 - 2 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_is_left_out() {
        let numbers: Vec<u32> = (0..5).map(|i| StreamId::of_index(i).get()).collect();
        assert_eq!(numbers, [1, 3, 4, 5, 6]);
        for index in 0..5 {
            assert_eq!(StreamId::of_index(index).index(), index);
        }
        assert_eq!((StreamId::of(0), StreamId::of(2)), (None, None));
    }
}
