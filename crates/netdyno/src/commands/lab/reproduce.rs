//! `netdyno lab reproduce`.

use serde::Serialize;
use sim::reproduce::{Experiment, Hypothesis, hypotheses, run};

use super::SCHEMA;
use crate::cli::lab::{Form, ReproduceRequest};
use crate::commands::screen;
use crate::say;

#[derive(Debug, Serialize)]
struct Reproduced {
    schema: &'static str,
    command: &'static str,
    provenance: &'static str,
    seed: u64,
    experiments: Vec<Experiment>,
    hypotheses: Vec<Hypothesis>,
}

pub(super) fn reproduce(request: &ReproduceRequest) -> String {
    let experiments: Vec<Experiment> = request
        .names
        .iter()
        .filter_map(|name| {
            say!("{name} ...");
            run(name, request.seed).ok()
        })
        .collect();
    let hypotheses = match request.hypotheses {
        true => {
            say!("H1 to H5 ...");
            hypotheses(request.seed)
        }
        false => Vec::new(),
    };
    match request.form {
        Form::Json => report::lab::json(&Reproduced {
            schema: SCHEMA,
            command: "reproduce",
            provenance: "simulated",
            seed: request.seed,
            experiments,
            hypotheses,
        }),
        Form::Text => {
            let style = screen::style();
            let experiments = match experiments.is_empty() {
                true => String::new(),
                false => report::lab::experiments(&experiments, style),
            };
            experiments + &report::lab::hypotheses(&hypotheses, style)
        }
    }
}
