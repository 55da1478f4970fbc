//! The table of fits and predictions. A failed prediction stays in it.

use sim::reproduce::{Experiment, Figure, Hypercube, Hypothesis, Sensitivity};

use crate::quantity::significant;
use crate::style::{Paint, Style};
use crate::table::{Align, Table};

/// All experiments: a summary, then each with its figures.
pub fn experiments(all: &[Experiment], style: Style) -> String {
    let mut summary = Table::new(&[
        ("", Align::Left),
        ("result", Align::Left),
        ("criterion", Align::Left),
    ]);
    for experiment in all {
        summary.row([
            experiment.id.to_owned(),
            verdict(experiment.pass).to_owned(),
            experiment.criterion.to_owned(),
        ]);
    }
    let details: String = all.iter().map(|one| detail(one, style)).collect();
    summary.render(style) + &details
}

fn verdict(pass: bool) -> &'static str {
    match pass {
        true => "pass",
        false => "FAILED",
    }
}

fn detail(experiment: &Experiment, style: Style) -> String {
    let head = format!(
        "{} {} ({}): {}",
        experiment.id,
        experiment.title,
        experiment.provenance,
        verdict(experiment.pass)
    );
    let paint = match experiment.pass {
        true => Paint::Headline,
        false => Paint::Failure,
    };
    let mut table = Table::new(&[
        ("figure", Align::Left),
        ("fitted", Align::Right),
        ("predicted", Align::Right),
        ("published", Align::Right),
        ("not verified", Align::Right),
        ("unit", Align::Left),
    ]);
    let mut names: Vec<(&str, &'static str)> = Vec::new();
    let lists = [
        &experiment.fitted,
        &experiment.predicted,
        &experiment.published,
        &experiment.not_verified,
    ];
    for one in lists.iter().flat_map(|list| list.iter()) {
        if !names.iter().any(|(name, _)| *name == one.name) {
            names.push((&one.name, one.unit));
        }
    }
    for (name, unit) in names {
        let cell = |list: &[Figure]| {
            let found = list.iter().find(|one| one.name == name);
            significant(found.map(|one| one.value), 4)
        };
        table.row([
            name.to_owned(),
            cell(&experiment.fitted),
            cell(&experiment.predicted),
            cell(&experiment.published),
            cell(&experiment.not_verified),
            unit.to_owned(),
        ]);
    }
    let mut text = format!("\n{}\n{}", style.paint(paint, &head), table.render(style));
    for note in &experiment.notes {
        text += &format!("  {note}\n");
    }
    text
}

/// The hypotheses, each with its figures.
pub fn hypotheses(all: &[Hypothesis], style: Style) -> String {
    let mut text = String::new();
    for one in all {
        let answer = if one.holds { "holds" } else { "does not hold" };
        let head = format!("{} {} (simulated): {answer}", one.id, one.claim);
        text += &format!(
            "\n{}\n  switch: {}\n",
            style.paint(Paint::Headline, &head),
            one.switch
        );
        for figure in &one.figures {
            let value = significant(Some(figure.value), 4);
            text += &format!("  {:<44} {value:>10} {}\n", figure.name, figure.unit);
        }
    }
    text
}

/// What each change does to the predictions of an experiment: one row a change, one column a
/// figure, as many of them as fit.
pub fn sensitivity(all: &[Sensitivity], style: Style) -> String {
    let mut text = String::new();
    for one in all {
        let Some(base) = one.varied.first() else {
            continue;
        };
        let head = format!("{} (simulated): {}", one.id, one.criterion);
        text += &format!("{}\n", style.paint(Paint::Headline, &head));
        let named: Vec<(&'static str, &Figure)> =
            LETTERS.into_iter().zip(&base.predicted).collect();
        for (letter, figure) in &named {
            let unit = match figure.unit {
                "" => String::new(),
                unit => format!(" ({unit})"),
            };
            text += &format!("  {letter}  {}{unit}\n", figure.name);
        }
        let mut columns = vec![("changed", Align::Left), ("result", Align::Left)];
        columns.extend(named.iter().map(|(letter, _)| (*letter, Align::Right)));
        let mut table = Table::new(&columns);
        for varied in &one.varied {
            let mut row = vec![varied.what.clone(), verdict(varied.pass).to_owned()];
            let cells = varied.predicted.iter().take(LETTERS.len());
            row.extend(cells.map(|figure| significant(Some(figure.value), 3)));
            table.row(row);
        }
        text += &table.render(style);
        if let Some(cube) = &one.hypercube {
            text += &hypercube(cube, style);
        }
        text.push('\n');
    }
    text
}

/// All assumed numbers at once: what the figures range over, and where the conclusion turns.
fn hypercube(cube: &Hypercube, style: Style) -> String {
    let mut text = format!(
        "\nall of them at once, {} points of a Latin hypercube: {} at {}, {} at {}\n",
        cube.points,
        verdict(true),
        cube.holds,
        verdict(false),
        cube.points - cube.holds
    );
    let mut table = Table::new(&[
        ("predicted", Align::Left),
        ("a tenth below", Align::Right),
        ("median", Align::Right),
        ("a tenth above", Align::Right),
        ("unit", Align::Left),
    ]);
    for spread in &cube.predicted {
        let cell = |value| significant(Some(value), 3);
        table.row([
            spread.name.clone(),
            cell(spread.low),
            cell(spread.median),
            cell(spread.high),
            spread.unit.to_owned(),
        ]);
    }
    text += &table.render(style);
    let mut table = Table::new(&[
        ("mean place in its range (0 to 1)", Align::Left),
        ("where it passes", Align::Right),
        ("where it fails", Align::Right),
    ]);
    for one in &cube.parameters {
        let cell = |place: Option<f64>| significant(place, 2);
        table.row([
            one.parameter.to_owned(),
            cell(one.where_it_holds),
            cell(one.where_it_fails),
        ]);
    }
    text += &table.render(style);
    text
}

/// Columns for as many figures; the document has all.
const LETTERS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
