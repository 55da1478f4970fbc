//! Reasons to distrust a figure that the facts themselves show. Names are fixed and explained in
//! docs/result.md.

mod flow;
mod host;
mod latency;
mod timing;

use plan::{Kind, Transport};
use record::{Doubt, End, LoadResult, Run, Status};

use crate::stream::Stream;

/// What was noticed while it ran, then what the document shows; each once.
pub(crate) fn doubts(stream: &Stream, run: &Run) -> Vec<Doubt> {
    let noticed = stream.doubts.iter().map(|doubt| (*doubt).clone());
    let shown = [
        flow::doubts(stream, run),
        timing::doubts(stream, run),
        latency::doubts(run),
        host::doubts(stream, run),
    ];
    let mut doubts = Vec::new();
    for doubt in noticed.chain(shown.into_iter().flatten()) {
        if !doubts.contains(&doubt) {
            doubts.push(doubt);
        }
    }
    doubts
}

/// Why a run that went to its end did not measure what was asked: the sentence for
/// [`Status::Invalid`]. None when it did, or when it failed anyway.
///
/// A TCP sender that falls short is held back by the path, which is a result; a sender of
/// datagrams or of open-loop requests that falls short did not offer the load. A probe is no load:
/// it comes late where a queue stands, and that is what it is there to show.
pub fn invalidity(run: &Run) -> Option<String> {
    let answers_for_itself = |load: &&LoadResult| {
        load.kind != Kind::Probe
            && (load.kind.is_exchange() || load.kind.transport() == Transport::Udp)
    };
    let short = |load: &LoadResult| {
        let about = about(&load.name, "sent");
        let is_short =
            |doubt: &&Doubt| doubt.doubt == "sender-short-of-load" && doubt.about == about;
        let evidence = &run.doubts.iter().find(is_short)?.evidence;
        Some(format!(
            "the load '{}' was not offered as asked: {evidence}",
            load.name
        ))
    };
    let mut loads = run.loads.iter().filter(answers_for_itself);
    (run.status == Status::Ok)
        .then(|| loads.find_map(short))
        .flatten()
}

fn doubt(name: &str, about: impl Into<String>, evidence: impl Into<String>) -> Doubt {
    Doubt {
        doubt: name.to_owned(),
        about: about.into(),
        evidence: evidence.into(),
    }
}

/// A load's figure, as doubts name it.
fn about(load: &str, figure: &str) -> String {
    format!("loads[{load}].{figure}")
}

fn the(end: End) -> &'static str {
    match end {
        End::Client => "the client",
        End::Server => "the server",
    }
}
