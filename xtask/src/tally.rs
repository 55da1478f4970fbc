//! How many tests passed and failed, from the closing lines of the runners.

use std::ops::AddAssign;

/// Counts of tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Ran, and passed by the runner's word.
    pub passed: usize,
    /// Failed, timed out or could not be started.
    pub failed: usize,
    /// Left out by the runner.
    pub ignored: usize,
    /// Of those that passed: at the second try only.
    pub second_try: usize,
}

impl Tally {
    /// Reads a closing line of nextest or of the built-in harness; none when it is another line.
    pub fn parse(line: &str) -> Option<Self> {
        if let Some(rest) = line.trim_start().strip_prefix("Summary [") {
            // Summary [   1.2s] 45 tests run: 43 passed (1 slow), 1 failed, 1 timed out, 2 skipped
            let (_, counts) = rest.split_once("run: ")?;
            return Self::sum(counts);
        }
        // test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; …
        let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
        let (counts, _) = counts.split_once(" measured")?;
        Self::sum(counts)
    }

    /// Counts with their words, parted by commas, semicolons or, where a count's parts begin and
    /// end, parentheses.
    fn sum(counts: &str) -> Option<Self> {
        let mut tally = Self::default();
        for count in counts.split([',', ';', '(', ')']).map(str::trim) {
            if count.is_empty() {
                continue;
            }
            let (number, what) = count.split_once(' ').unwrap_or((count, "measured"));
            let number: usize = number.parse().ok()?;
            match what {
                "passed" => tally.passed += number,
                "ignored" | "skipped" => tally.ignored += number,
                "flaky" => tally.second_try += number,
                "slow" | "leaky" | "measured" => {}
                _ => tally.failed += number,
            }
        }
        Some(tally)
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
        self.second_try += other.second_try;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(passed: usize, failed: usize, ignored: usize) -> Option<Tally> {
        Some(Tally {
            passed,
            failed,
            ignored,
            second_try: 0,
        })
    }

    #[test]
    fn nextest() {
        let line = "     Summary [   0.012s] 45 tests run: 45 passed, 0 skipped";
        assert_eq!(Tally::parse(line), tally(45, 0, 0));
        let line = "     Summary [ 301.9s] 9 tests run: 5 passed (2 slow), 3 failed, 1 timed out, 7 skipped";
        assert_eq!(Tally::parse(line), tally(5, 4, 7));
        let line = "     Summary [   0.1s] 1 test run: 1 passed, 0 skipped";
        assert_eq!(Tally::parse(line), tally(1, 0, 0));
    }

    #[test]
    fn a_second_try_is_counted_and_no_failure() {
        let line = "  Summary [ 301.9s] 9 tests run: 9 passed (2 slow, 1 flaky), 7 skipped";
        let tally = Tally::parse(line).unwrap();
        assert_eq!((tally.passed, tally.failed, tally.second_try), (9, 0, 1));
    }

    #[test]
    fn built_in_harness() {
        let line = "test result: ok. 3 passed; 0 failed; 2 ignored; 0 measured; 5 filtered out; finished in 0.00s";
        assert_eq!(Tally::parse(line), tally(3, 0, 2));
        let line = "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(Tally::parse(line), tally(3, 1, 0));
    }

    #[test]
    fn other_lines() {
        for line in [
            "",
            "running 3 tests",
            "test a ... ok",
            "   Compiling Summary [x]",
        ] {
            assert_eq!(Tally::parse(line), None, "{line}");
        }
    }
}
