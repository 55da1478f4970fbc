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
}

impl Tally {
    /// Reads a closing line of nextest or of the built-in harness; none when it is another line.
    pub fn parse(line: &str) -> Option<Self> {
        if let Some(rest) = line.trim_start().strip_prefix("Summary [") {
            // Summary [   1.2s] 45 tests run: 43 passed (1 slow), 1 failed, 1 timed out, 2 skipped
            let (_, counts) = rest.split_once("run: ")?;
            return Self::sum(counts.split(','));
        }
        // test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; …
        let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
        Self::sum(counts.split(';').take(3))
    }

    fn sum<'a>(counts: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut tally = Self::default();
        for count in counts {
            let (number, what) = count.trim().split_once(' ')?;
            let number: usize = number.parse().ok()?;
            match what.split('(').next().unwrap_or_default().trim() {
                "passed" => tally.passed += number,
                "ignored" | "skipped" => tally.ignored += number,
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
