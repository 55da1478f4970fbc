//! Wall time as a label.

/// `Mon, 30 Nov 2026 20:14:41 GMT` (RFC 9110, section 5.6.7).
pub(super) fn gmt(unix_ms: u64) -> String {
    const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let seconds = unix_ms / 1000;
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    format!(
        "{}, {day:02} {} {year} {:02}:{:02}:{:02} GMT",
        WEEKDAYS[(days % 7) as usize],
        MONTHS[month],
        of_day / 3600,
        of_day / 60 % 60,
        of_day % 60,
    )
}

/// Year, month from 0 and day from 1 of so many days since 1970.
fn date(mut days: u64) -> (u64, usize, u64) {
    let mut year = 1970;
    while days >= 365 + leap_day(year) {
        days -= 365 + leap_day(year);
        year += 1;
    }
    let lengths = [
        31,
        28 + leap_day(year),
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    (year, month, days + 1)
}

fn leap_day(year: u64) -> u64 {
    let is_leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    u64::from(is_leap)
}

#[cfg(test)]
mod tests {
    use super::gmt;

    #[test]
    fn dates() {
        for (seconds, shown) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (1_796_069_681, "Mon, 30 Nov 2026 20:14:41 GMT"),
            (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        ] {
            assert_eq!(gmt(seconds * 1000 + 999), shown);
        }
    }
}
