//! A run in one line.

use plan::Path;
use record::{Run, Summary};

use crate::metric;

/// The line for lists; `label` and `note` are kept beside the run.
pub fn summary(run: &Run, label: Option<String>, note: Option<String>) -> Summary {
    let loads = run.plan.loads.iter().filter(|load| !load.is_probe());
    Summary {
        id: run.id.clone(),
        started: run.started.clone(),
        status: run.status,
        host: match &run.plan.path {
            Path::Host { host, .. } => host.clone(),
            Path::Testbed { .. } => "testbed".to_owned(),
        },
        loads: loads
            .map(|load| match load.flows.get() {
                1 => load.name.clone(),
                n => format!("{} x{n}", load.name),
            })
            .collect(),
        label,
        note,
        values: metric::values(run),
    }
}
