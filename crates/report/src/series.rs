//! Repeated runs and pooled latency.

use std::fmt::Write;

use record::{Cell, CellEstimate, Latency, Merged, Series, Status};

use crate::comparison::value;
use crate::prose::wrap;
use crate::quantity::{NONE, counted, nanos, or_dash, percent};
use crate::style::{Paint, Style};
use crate::table::{Align, Table};

/// What repeated runs say together.
pub fn series(series: &Series, style: Style) -> String {
    let mut text = String::new();
    if let Some(reason) = &series.reason {
        text += &style.paint(Paint::Failure, &wrap(reason, 0, 2, style.prose_width()));
        text.push('\n');
    }
    match series.cells.as_slice() {
        [cell] if cell.settings.is_empty() => text += &one(series, cell, style),
        cells => text += &many(series, cells, style),
    }
    text += &failures(series, style);
    text
}

/// All metrics of a single cell.
fn one(series: &Series, cell: &Cell, style: Style) -> String {
    let mut text = String::new();
    if let Some(first) = cell.estimates.first() {
        let line = format!(
            "{}: mean {}{}, {}{}",
            first.metric,
            value(&first.unit, Some(first.mean)),
            within(first),
            counted(first.n.into(), "run"),
            settled(series, cell)
        );
        text += &style.paint(Paint::Headline, &wrap(&line, 0, 2, style.prose_width()));
        text += "\n\n";
    }
    let mut table = Table::new(&[
        ("metric", Align::Left),
        ("mean", Align::Right),
        ("95 % interval (t)", Align::Left),
        ("median", Align::Right),
        ("95 % interval (order)", Align::Left),
        ("CV", Align::Right),
        ("n", Align::Right),
    ]);
    for estimate in &cell.estimates {
        table.row([
            estimate.metric.clone(),
            value(&estimate.unit, Some(estimate.mean)),
            interval(estimate, estimate.mean_interval),
            value(&estimate.unit, Some(estimate.median)),
            interval(estimate, estimate.median_interval),
            percent(estimate.coefficient_of_variation),
            estimate.n.to_string(),
        ]);
    }
    text + &table.render(style)
}

fn settled(series: &Series, cell: &Cell) -> String {
    match (series.until, cell.settled) {
        (Some(until), Some(true)) => format!("; within the {} asked for", percent(Some(until))),
        (Some(until), _) => format!("; NOT within the {} asked for", percent(Some(until))),
        _ => String::new(),
    }
}

/// ` within 1.2 %`.
fn within(estimate: &CellEstimate) -> String {
    let half = estimate
        .mean_interval
        .map(|(low, high)| (high - low) / 2.0 / estimate.mean.abs());
    half.filter(|half| half.is_finite())
        .map_or(String::new(), |half| {
            format!(" within {} (95 %)", percent(Some(half)))
        })
}

fn interval(estimate: &CellEstimate, interval: Option<(f64, f64)>) -> String {
    // What is counted or timed is never below zero, whatever a symmetric interval says.
    let is_signed = estimate.mean < 0.0 || estimate.metric.starts_with("added");
    let interval = interval.map(|(low, high)| match is_signed {
        true => (low, high),
        false => (low.max(0.0), high),
    });
    or_dash(interval, |(low, high)| {
        format!(
            "{} to {}",
            value(&estimate.unit, Some(low)),
            value(&estimate.unit, Some(high))
        )
    })
}

/// What a row of a sweep shows beside the first metric.
const BESIDE: [&str; 5] = ["packets", "loss", "loaded-p50", "cpu-client", "cpu-server"];

/// A row a cell.
fn many(series: &Series, cells: &[Cell], style: Style) -> String {
    let mut table = Table::new(&[
        ("cell", Align::Left),
        ("runs", Align::Right),
        ("result", Align::Right),
        ("within", Align::Right),
        ("packets", Align::Right),
        ("loss", Align::Right),
        ("loaded p50", Align::Right),
        ("client CPU", Align::Right),
        ("server CPU", Align::Right),
    ]);
    for cell in cells {
        let of = |name: &str| {
            cell.estimates
                .iter()
                .find(|estimate| estimate.metric == name)
        };
        let first = of(&series.metric);
        let mut row = vec![
            cell.settings.join(" "),
            cell.runs.len().to_string(),
            or_dash(first, |first| value(&first.unit, Some(first.mean))),
            or_dash(
                first.and_then(|first| first.mean_interval.map(|ends| (first, ends))),
                |(first, (low, high))| percent(Some((high - low) / 2.0 / first.mean.abs())),
            ),
        ];
        row.extend(
            BESIDE.map(|name| or_dash(of(name), |found| value(&found.unit, Some(found.mean)))),
        );
        table.row(row);
    }
    table.render(style)
}

fn failures(series: &Series, style: Style) -> String {
    let mut text = String::new();
    for cell in &series.cells {
        let failed: Vec<_> = cell
            .runs
            .iter()
            .filter(|run| run.status != Status::Ok)
            .collect();
        let Some(first) = failed.first() else {
            continue;
        };
        let line = format!(
            "doubt: {}{} did not go well and do not count: {}",
            counted(failed.len() as u64, "run"),
            match cell.settings.as_slice() {
                [] => String::new(),
                settings => format!(" of {}", settings.join(" ")),
            },
            first.reason.as_deref().unwrap_or("no reason given")
        );
        text += &style.paint(Paint::Doubt, &wrap(&line, 0, 2, style.prose_width()));
        text.push('\n');
    }
    text
}

/// A row a cell and metric.
pub fn csv(series: &Series) -> String {
    let mut text = String::from(
        "cell,metric,unit,n,mean,mean_low,mean_high,median,median_low,median_high,cv\n",
    );
    for cell in &series.cells {
        for estimate in &cell.estimates {
            let ends = |interval: Option<(f64, f64)>| match interval {
                Some((low, high)) => format!("{low},{high}"),
                None => ",".to_owned(),
            };
            let cv = estimate
                .coefficient_of_variation
                .map_or(String::new(), |cv| cv.to_string());
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{},{cv}",
                cell.settings.join(" "),
                estimate.metric,
                estimate.unit,
                estimate.n,
                estimate.mean,
                ends(estimate.mean_interval),
                estimate.median,
                ends(estimate.median_interval),
            );
        }
    }
    text
}

/// Pooled latency.
pub fn merged(merged: &Merged, style: Style) -> String {
    let mut table = Table::new(&[
        ("load", Align::Left),
        ("latency", Align::Left),
        ("runs", Align::Right),
        ("samples", Align::Right),
        ("p50", Align::Right),
        ("p90", Align::Right),
        ("p99", Align::Right),
        ("p99.9", Align::Right),
        ("max", Align::Right),
    ])
    .keyed(2);
    for load in &merged.loads {
        for (what, latency) in [
            ("response", load.response),
            ("service", load.service),
            ("idle", load.idle),
        ] {
            let Latency {
                samples,
                p50_ns,
                p90_ns,
                p99_ns,
                p999_ns,
                max_ns,
                ..
            } = latency;
            if samples == 0 {
                continue;
            }
            table.row([
                load.name.clone(),
                what.to_owned(),
                load.runs.to_string(),
                samples.to_string(),
                nanos(p50_ns),
                nanos(p90_ns),
                nanos(p99_ns),
                nanos(p999_ns),
                nanos(max_ns),
            ]);
        }
    }
    match table.render(style) {
        empty if empty.is_empty() => NONE.to_owned() + "\n",
        text => format!(
            "latency of {} pooled\n\n{text}",
            counted(merged.runs.len() as u64, "run")
        ),
    }
}
