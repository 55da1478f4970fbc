//! Runs that did not come to their end.

use plan::{Kind, Load};
use record::{End, Event, Status};

use super::bulk::{probe, stream_until};
use super::stage::{begin, closing, plan};

/// Nobody listened.
pub fn refused() -> Vec<Event> {
    let plan = plan(
        "192.0.2.7",
        1,
        10,
        Load::with_probe(vec![Load::new(Kind::Stream)]),
    );
    let reason =
        "cannot reach 192.0.2.7 port 12866: connection refused; is 'netdyno serve' running there?";
    let status = Status::Failed;
    vec![
        begin(&plan, "192.0.2.7"),
        Event::Finish {
            status,
            reason: Some(reason.to_owned()),
        },
    ]
}

/// ^C after two of three seconds; the server's closing figures did not come any more.
pub fn interrupted() -> Vec<Event> {
    let plan = plan(
        "beta",
        1,
        3,
        Load::with_probe(vec![Load::new(Kind::Stream)]),
    );
    let mut events = stream_until(&plan, 3);
    let mut stream = record::LoadReport::default();
    stream.window_ns = super::stage::window(&plan, 2);
    stream.counted = super::stage::written(237_970_000, 1_815);
    stream.counted_acked_bytes = Some(235_370_000);
    stream.counted_retransmits = Some(4);
    stream.total = stream.counted;
    events.push(closing(
        End::Client,
        &plan,
        2,
        vec![stream, probe(&plan, 2)],
    ));
    let reason = Some("by the user (SIGINT), 3.00 s after the start".to_owned());
    events.push(Event::Finish {
        status: Status::Interrupted,
        reason,
    });
    events
}

/// The client was killed: nothing closes the stream.
pub fn killed() -> Vec<Event> {
    let plan = plan(
        "beta",
        1,
        3,
        Load::with_probe(vec![Load::new(Kind::Stream)]),
    );
    stream_until(&plan, 2)
}
