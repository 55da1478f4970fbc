//! super_netperf's command line: how many, then netperf's.

use std::io;
use std::num::NonZeroU32;
use std::path::Path;

use plan::Load;

use super::{NetperfRequest, Refusal, help};

/// Several tests that are alike, at once.
#[derive(Debug, Clone, PartialEq)]
pub struct SeveralRequest {
    /// How many.
    pub count: NonZeroU32,
    /// Rows of the single tests beside the sum (`--detail`).
    pub detail: bool,
    /// Each of them.
    pub each: NetperfRequest,
}

/// What super_netperf's `argv` (program name first) means.
pub fn parse_several(
    argv: &[String],
    read: impl Fn(&Path) -> io::Result<String>,
) -> Result<SeveralRequest, Refusal> {
    const USAGE: &str = "usage: super_netperf N [--detail] netperf's options";
    let end = argv
        .iter()
        .position(|word| word == "--")
        .unwrap_or(argv.len());
    let (ours, of_test) = argv.split_at(end);
    let (detail, mut words): (Vec<_>, Vec<_>) = ours
        .iter()
        .skip(1)
        .cloned()
        .partition(|word| word == "--detail");
    if words.is_empty() {
        return Err(Refusal::usage(USAGE));
    }
    let typed = words.remove(0);
    if matches!(typed.as_str(), "-h" | "--help") {
        return Err(help::super_netperf());
    }
    let count = typed
        .parse()
        .ok()
        .filter(|count: &NonZeroU32| count.get() <= Load::MOST_FLOWS)
        .ok_or_else(|| {
            let most = Load::MOST_FLOWS;
            Refusal::usage(format!(
                "'{typed}' is no number of tests (1 to {most}); {USAGE}"
            ))
        })?;
    let netperf = std::iter::once("netperf".to_owned());
    let argv: Vec<_> = netperf
        .chain(words)
        .chain(of_test.iter().cloned())
        .collect();
    Ok(SeveralRequest {
        count,
        detail: !detail.is_empty(),
        each: super::parse(&argv, read)?,
    })
}
