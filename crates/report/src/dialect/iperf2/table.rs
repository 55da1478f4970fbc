//! Rows with their heads.

use std::collections::HashSet;

use super::cells::cells;
use super::head::Head;
use super::{Figures, Form, Id, Row};

/// Remembers which heads stand above already.
#[derive(Debug, Clone, Default)]
pub struct Table {
    printed: HashSet<Head>,
}

impl Table {
    /// The row, below its head if that is new, and a line about datagrams out of order if there
    /// were any. `form` may differ from row to row: a flow with trip times is enhanced at a server
    /// that is not.
    pub fn row(&mut self, row: &Row, form: &Form) -> String {
        let only_sums = form.sum_only && matches!(row.id, Id::Flow(_) | Id::FullDuplex(_));
        if form.excluded.data || only_sums {
            return String::new();
        }
        let head = Head::of(row, form);
        let mut text = String::new();
        if self.printed.insert(head) {
            text = head.text().to_owned() + "\n";
        }
        let start = span(&row.id, row.from_seconds, row.to_seconds) + " ";
        text += &format!("{start}{}\n", cells(row, head, form));
        let out_of_order = match &row.figures {
            Figures::UdpReceived(received) => received.out_of_order,
            _ => 0,
        };
        if out_of_order > 0 && !(form.enhanced && row.id.is_sum()) && !form.sum_only {
            text += &format!("{start}{out_of_order} datagrams received out-of-order\n");
        }
        if let Figures::UdpReceived(received) = &row.figures
            && row.is_final
            && !form.sum_only
        {
            let [length, checksum, unknown] = received.packet_faults;
            let total = length + checksum + unknown;
            if total > 0 {
                text += &format!(
                    "{start} L2 processing detected errors, total(length/checksum/unknown) = \
                     {total}({length}/{checksum}/{unknown})\n"
                );
            }
        }
        if let (true, Figures::Bounced(bounced)) = (row.is_final, &row.figures)
            && let Some(one_way) = &bounced.one_way
        {
            text += &format!("{start}{}\n", bounced.one_way_cells(one_way));
        }
        text
    }

    /// Nothing runs any more: the next row has its head above it again.
    pub fn is_idle(&mut self) {
        self.printed.clear();
    }
}

/// Whose, from when to when, and a blank.
pub(super) fn span(id: &Id, from_seconds: f64, to_seconds: f64) -> String {
    format!("{}{from_seconds:.4}-{to_seconds:.4} sec ", id.brackets())
}
