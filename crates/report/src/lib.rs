//! How it is shown: values in, text out. Nothing here computes a figure that the document does
//! not hold, and nothing here prints.
//!
//! A figure that is not known is a dash in text, null in JSON and an empty field in CSV.

mod comparison;
mod csv;
pub mod dialect;
mod difference;
mod explain;
mod history;
mod interval;
mod json;
pub mod lab;
mod progress;
mod prose;
mod quantity;
pub mod schema;
mod series;
mod style;
mod table;
mod text;
mod watch;

pub use comparison::comparison;
pub use csv::csv;
pub use difference::difference;
pub use explain::{explain, explain_simulated};
pub use history::{
    all_series, comparisons, csv as summaries_csv, history, json_lines as summaries_json_lines,
    openmetrics as summaries_openmetrics, trend,
};
pub use interval::{IntervalLines, interval_lines};
pub use json::{
    document, document_line, findings_json, json, json_line, json_lines, simulated_findings_json,
};
pub use progress::progress;
pub use series::{csv as series_csv, merged, series};
pub use style::Style;
pub use text::text;
pub use watch::{watch_header, watch_json, watch_line};
