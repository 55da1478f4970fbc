//! A metric over time, as a plot of characters.

use record::Trend;

use crate::comparison::value;
use crate::prose::wrap;
use crate::quantity::{counted, percent};
use crate::style::{Paint, Style};

/// Lines of the plot.
const HEIGHT: usize = 12;

/// Plot and changes.
pub fn trend(trend: &Trend, style: Style) -> String {
    let (Some(first), Some(last)) = (trend.points.first(), trend.points.last()) else {
        return format!("no stored run has {}\n", trend.metric);
    };
    let title = format!(
        "{} of {}, {} to {}",
        trend.metric,
        counted(trend.points.len() as u64, "run"),
        &first.started.get(..16).unwrap_or(&first.started),
        &last.started.get(..16).unwrap_or(&last.started),
    );
    let mut text = style.paint(Paint::Headline, &title) + "\n";
    text += &plot(trend, style);
    match &trend.changes {
        None => text += "fewer than 20 runs: too few to look for changes of level\n",
        Some(changes) if changes.is_empty() => text += "no change of level\n",
        Some(changes) => {
            for change in changes {
                let share = (change.after - change.before) / change.before.abs();
                let line = format!(
                    "change at run {} ({}): {} to {}, {}{}, p = {:.1e}",
                    change.at + 1,
                    change.run,
                    value(&trend.unit, Some(change.before)),
                    value(&trend.unit, Some(change.after)),
                    if share > 0.0 { "+" } else { "" },
                    percent(Some(share)),
                    change.p
                );
                text += &wrap(&line, 0, 2, style.prose_width());
                text.push('\n');
            }
        }
    }
    text
}

/// One column a run; more runs than columns share them by their mean.
fn plot(trend: &Trend, style: Style) -> String {
    let values: Vec<f64> = trend.points.iter().map(|point| point.value).collect();
    let label = |value_at: f64| value(&trend.unit, Some(value_at));
    let (low, high) = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
            (low.min(*v), high.max(*v))
        });
    let margin = label(high).chars().count().max(label(low).chars().count());
    let room = style.width.clamp(40, 200).saturating_sub(margin + 3);
    let per_column = values.len().div_ceil(room.max(1));
    let columns: Vec<f64> = values
        .chunks(per_column)
        .map(|chunk| chunk.iter().sum::<f64>() / chunk.len() as f64)
        .collect();
    let marks: Vec<usize> = trend
        .changes
        .iter()
        .flatten()
        .map(|change| change.at as usize / per_column)
        .collect();
    let extent = if high > low { high - low } else { 1.0 };
    let row_of = |v: f64| (((v - low) / extent) * (HEIGHT - 1) as f64).round() as usize;
    let mut text = String::new();
    for row in (0..HEIGHT).rev() {
        let edge = match row {
            0 => label(low),
            row if row == HEIGHT - 1 => label(high),
            _ => String::new(),
        };
        let cells: String = columns
            .iter()
            .enumerate()
            .map(|(i, v)| match row_of(*v) == row {
                true => '*',
                false if marks.contains(&i) => '|',
                false => ' ',
            })
            .collect();
        text += format!("{edge:>margin$} | {cells}").trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{LevelChange, TrendPoint};

    #[test]
    fn a_step_is_seen_and_said() {
        let point = |i: u32| TrendPoint {
            run: format!("run-{i}"),
            started: "2026-11-30T12:00:00.000Z".to_owned(),
            value: if i < 12 { 1e9 } else { 9e8 },
        };
        let of = Trend {
            schema: Trend::SCHEMA.to_owned(),
            metric: "throughput".to_owned(),
            unit: "bit/s".to_owned(),
            points: (0..24).map(point).collect(),
            changes: Some(vec![LevelChange {
                run: "run-12".to_owned(),
                at: 12,
                before: 1e9,
                after: 9e8,
                p: 1e-9,
            }]),
            method: String::new(),
        };
        let text = trend(&of, Style::PLAIN);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 1 + HEIGHT + 1);
        assert!(lines[1].ends_with("| ************|"), "{text}");
        assert!(lines[HEIGHT].ends_with("************"), "{text}");
        assert!(
            lines[HEIGHT + 1]
                .starts_with("change at run 13 (run-12): 1.00 Gbit/s to 900.00 Mbit/s, -10.0 %"),
            "{text}"
        );
    }

    #[test]
    fn nothing_and_a_single_point() {
        let empty = Trend {
            schema: Trend::SCHEMA.to_owned(),
            metric: "loss".to_owned(),
            unit: "share".to_owned(),
            points: Vec::new(),
            changes: None,
            method: String::new(),
        };
        assert_eq!(trend(&empty, Style::PLAIN), "no stored run has loss\n");
        let one = Trend {
            points: vec![TrendPoint {
                run: "a".to_owned(),
                started: "2026".to_owned(),
                value: 0.0,
            }],
            ..empty
        };
        assert!(trend(&one, Style::PLAIN).contains("fewer than 20 runs"));
    }
}
