//! The stream of events, sorted by what they are about.

use plan::{Load, Plan};
use record::{
    Doubt, Edge, End, EndReport, Event, Facts, Granted, InterfaceCounters, LoadReport, Observation,
    Status,
};

/// Everything that was told, by reference.
pub(crate) struct Stream<'a> {
    pub id: &'a str,
    pub started: &'a str,
    pub command: &'a [String],
    pub plan: &'a Plan,
    /// Later grants replace earlier ones of the same load and end.
    grants: Vec<&'a record::Grant>,
    client: Side<'a>,
    server: Side<'a>,
    pub doubts: Vec<&'a Doubt>,
    pub finish: Option<(Status, Option<&'a str>)>,
}

/// What one end told.
pub(crate) struct Side<'a> {
    pub end: End,
    pub facts: Option<&'a Facts>,
    pub edges: Vec<&'a Edge>,
    pub observations: Vec<&'a Observation>,
    pub report: Option<&'a EndReport>,
    /// The interface's counters over the whole run, where they were told apart from the report.
    pub wire: Option<(InterfaceCounters, InterfaceCounters)>,
}

impl<'a> Stream<'a> {
    /// None when the stream does not begin.
    pub fn read(events: impl IntoIterator<Item = &'a Event>) -> Option<Self> {
        let mut events = events.into_iter();
        let mut stream = events.find_map(Self::begin)?;
        for event in events {
            stream.take(event);
        }
        Some(stream)
    }

    fn begin(event: &'a Event) -> Option<Self> {
        let Event::Begin {
            id,
            started,
            command,
            plan,
            facts,
            ..
        } = event
        else {
            return None;
        };
        Some(Self {
            id,
            started,
            command,
            plan,
            grants: Vec::new(),
            client: Side::new(End::Client, Some(facts)),
            server: Side::new(End::Server, None),
            doubts: Vec::new(),
            finish: None,
        })
    }

    fn take(&mut self, event: &'a Event) {
        match event {
            Event::Begin { .. } => {}
            Event::Peer { facts } => self.server.facts = Some(facts),
            Event::Granted { grants } => self.grants.extend(grants),
            Event::Edge(edge) => self.side_mut(edge.end).edges.push(edge),
            Event::Observed(observation) => {
                self.side_mut(observation.end)
                    .observations
                    .push(observation);
            }
            Event::Report(report) => self.side_mut(report.end).report = Some(report),
            Event::Wire { end, before, after } => {
                self.side_mut(*end).wire = Some((*before, *after));
            }
            Event::Doubt(doubt) => self.doubts.push(doubt),
            Event::Finish { status, reason } => self.finish = Some((*status, reason.as_deref())),
        }
    }

    pub fn side(&self, end: End) -> &Side<'a> {
        match end {
            End::Client => &self.client,
            End::Server => &self.server,
        }
    }

    fn side_mut(&mut self, end: End) -> &mut Side<'a> {
        match end {
            End::Client => &mut self.client,
            End::Server => &mut self.server,
        }
    }

    /// Loads of the plan with their index.
    pub fn loads(&self) -> impl Iterator<Item = (usize, &'a Load)> + use<'a> {
        self.plan.loads.iter().enumerate()
    }

    pub fn granted(&self, load: usize, end: End) -> Option<&'a Granted> {
        let of = |grant: &&&record::Grant| grant.load == load && grant.end == end;
        self.grants
            .iter()
            .rev()
            .find(of)
            .map(|grant| &grant.granted)
    }

    /// Whether any traffic was ever counted; otherwise the reason of the failure says it all.
    pub fn traffic_began(&self) -> bool {
        let told = |side: &Side| side.report.is_some() || !side.edges.is_empty();
        told(&self.client) || told(&self.server)
    }
}

impl<'a> Side<'a> {
    fn new(end: End, facts: Option<&'a Facts>) -> Self {
        Self {
            end,
            facts,
            edges: Vec::new(),
            observations: Vec::new(),
            report: None,
            wire: None,
        }
    }

    /// The interface that this end's traffic used.
    pub fn interface(&self) -> Option<&'a str> {
        self.facts?.interface.as_deref()
    }

    /// This end's closing figures of one load.
    pub fn closing(&self, load: usize) -> Option<&'a LoadReport> {
        self.report?.loads.get(load)
    }
}

/// Whether both ends are one network stack, as far as is known.
pub(crate) fn same_stack(a: &Side, b: &Side) -> bool {
    let netns = |side: &Side| side.facts.and_then(|facts| facts.locality.netns);
    same_machine(a, b) && netns(a).is_some() && netns(a) == netns(b)
}

/// Whether both ends are one machine, as far as is known.
pub(crate) fn same_machine(a: &Side, b: &Side) -> bool {
    let boot = |side: &Side| side.facts.and_then(|facts| facts.locality.boot_id.clone());
    boot(a).is_some() && boot(a) == boot(b)
}
