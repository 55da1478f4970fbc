//! A whole run, as asked.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Load, Observe, Path, PlanError, Timing};

/// A whole run, as asked. Made by [`Plan::new`]; what comes from a file or the network goes
/// through the same checks.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Plan {
    /// Where the traffic goes.
    pub path: Path,
    /// How long, and how often we look.
    pub timing: Timing,
    /// What moves; never empty, names are unique.
    pub loads: Vec<Load>,
    /// What is watched beside it.
    pub observe: Observe,
}

impl Plan {
    /// The most loads.
    pub const MOST_LOADS: usize = 256;
    /// The most flows of all loads together.
    pub const MOST_FLOWS: u32 = Load::MOST_FLOWS;

    /// This run, if it can be. Loads that bear only their kind's name and are not the first of
    /// it get a number: `stream`, `stream-2`.
    pub fn new(path: Path, timing: Timing, mut loads: Vec<Load>) -> Result<Self, PlanError> {
        if loads.is_empty() {
            return Err(PlanError::NoLoad);
        }
        if loads.len() > Self::MOST_LOADS {
            return Err(PlanError::TooManyLoads(loads.len()));
        }
        path.check()?;
        for (position, load) in (1..).zip(&loads) {
            load.check().map_err(|source| PlanError::Load {
                position,
                kind: load.kind,
                source,
            })?;
        }
        let flows = loads.iter().map(|load| u64::from(load.flows.get())).sum();
        if flows > u64::from(Self::MOST_FLOWS) {
            return Err(PlanError::TooManyFlows(flows));
        }
        timing.check(&loads)?;
        give_names(&mut loads)?;
        Ok(Self {
            path,
            timing,
            loads,
            observe: Observe::default(),
        })
    }
}

/// Names that were chosen come first; a kind's name then takes the next free number.
fn give_names(loads: &mut [Load]) -> Result<(), PlanError> {
    let mut taken = HashSet::new();
    for load in loads.iter().filter(|load| !is_unnamed(load)) {
        if !taken.insert(load.name.clone()) {
            return Err(PlanError::SameName(load.name.clone()));
        }
    }
    for load in loads.iter_mut().filter(|load| is_unnamed(load)) {
        let kind = load.kind.name();
        let mut number = 1;
        while !taken.insert(load.name.clone()) {
            number += 1;
            load.name = format!("{kind}-{number}");
        }
    }
    Ok(())
}

fn is_unnamed(load: &Load) -> bool {
    load.name == load.kind.name()
}
