//! The closed forms, side by side.

use sim::model::Steady;

use crate::quantity::number;
use crate::style::Style;
use crate::table::{Align, Table};

/// One row for each number of CPUs: it, the ticket lock's chain, the queue lock's.
pub fn model(rows: &[(usize, Steady, Steady)], style: Style) -> String {
    let mut table = Table::new(&[
        ("cpus", Align::Right),
        ("ticket speed-up", Align::Right),
        ("per us", Align::Right),
        ("queue speed-up", Align::Right),
        ("per us ", Align::Right),
    ]);
    for (cpus, ticket, queue) in rows {
        table.row([
            cpus.to_string(),
            number(Some(ticket.speedup), 3),
            number(Some(ticket.throughput * 1e3), 4),
            number(Some(queue.speedup), 3),
            number(Some(queue.throughput * 1e3), 4),
        ]);
    }
    "closed forms, neither simulated nor measured\n".to_owned() + &table.render(style)
}
