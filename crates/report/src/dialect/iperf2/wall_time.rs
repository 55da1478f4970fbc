//! Time of day where the program runs.

/// A time of day, as the caller's time zone has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WallTime {
    /// Year.
    pub year: i16,
    /// From 1.
    pub month: u8,
    /// From 1.
    pub day: u8,
    /// Hour.
    pub hour: u8,
    /// Minute.
    pub minute: u8,
    /// Second.
    pub second: u8,
    /// Millisecond.
    pub millisecond: u16,
    /// Short name of the time zone.
    pub zone: String,
}

impl WallTime {
    /// `2026-11-30 16:06:15`.
    pub(super) fn to_second(&self) -> String {
        let Self {
            year,
            month,
            day,
            hour,
            minute,
            second,
            ..
        } = self;
        format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
    }

    /// `20261130160615`, and `.042` of a second if it is wanted.
    pub(super) fn digits(&self, milliseconds: bool) -> String {
        let mut digits = self.to_second();
        digits.retain(|c| c.is_ascii_digit());
        if milliseconds {
            digits += &format!(".{:03}", self.millisecond);
        }
        digits
    }
}
