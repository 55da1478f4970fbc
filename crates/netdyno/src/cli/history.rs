//! `netdyno history`, `export` and `merge`.

use analyze::metric::Metric;
use clap::{Args, Subcommand, ValueEnum};

use super::show::is_id;

/// Which stored runs.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Which runs")]
pub struct Filter {
    /// To this server; 'testbed' for those without one
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
    /// With a load whose name begins so
    #[arg(long, value_name = "NAME")]
    pub load: Option<String>,
    /// With this label
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,
    /// Whose note holds this
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
    /// Not before a time, such as 2026-11-30, 2026-11-30T12:00, or an age: 5m, 36h, 7d
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Not after a time
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// The latest N of them
    #[arg(short = 'n', long, value_name = "N")]
    pub latest: Option<usize>,
}

/// List stored runs, comparisons or series
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = HISTORY)]
pub struct HistoryArgs {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    filter: Filter,
    /// One JSON summary a line
    #[arg(long)]
    json_lines: bool,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Comparisons, each with its answer
    Comparisons(Times),
    /// What 'run --repeat', '--until' and '--sweep' made
    Series(Times),
    /// A metric over time, with the changes of its level
    #[command(after_help = TREND)]
    Trend {
        /// Which, such as throughput
        metric: String,
        #[command(flatten)]
        filter: Filter,
        /// One JSON document
        #[arg(short = 'J', long)]
        json: bool,
    },
    /// Remove stored runs, by name or by filter
    #[command(after_help = REMOVE)]
    Remove {
        /// Which runs, by name; those of the filter when left out
        ids: Vec<String>,
        #[command(flatten)]
        filter: Filter,
    },
}

/// Which of those that have neither host nor label.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct Times {
    /// Not before a time, such as 2026-11-30, 2026-11-30T12:00, or an age: 5m, 36h, 7d
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Not after a time
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// The latest N of them
    #[arg(short = 'n', long, value_name = "N")]
    pub latest: Option<usize>,
    /// One JSON document a line
    #[arg(long)]
    pub json_lines: bool,
}

/// What of the history.
#[derive(Debug, Clone, PartialEq)]
pub enum HistoryRequest {
    /// A list.
    List {
        /// Of these.
        filter: Filter,
        /// For programs.
        json_lines: bool,
    },
    /// Comparisons.
    Comparisons(Times),
    /// Series of runs.
    Series(Times),
    /// A metric over time.
    Trend {
        /// Which.
        metric: Metric,
        /// Of these.
        filter: Filter,
        /// For programs.
        json: bool,
    },
    /// Removal.
    Remove {
        /// Beginnings of names; empty for the filter's.
        ids: Vec<String>,
        /// These.
        filter: Filter,
    },
}

impl HistoryArgs {
    pub(super) fn request(self) -> Result<HistoryRequest, String> {
        Ok(match self.what {
            None => HistoryRequest::List {
                filter: self.filter,
                json_lines: self.json_lines,
            },
            Some(What::Comparisons(times)) => HistoryRequest::Comparisons(times),
            Some(What::Series(times)) => HistoryRequest::Series(times),
            Some(What::Remove { ids, filter }) => {
                match (ids.is_empty(), filter == Filter::default()) {
                    (true, true) => {
                        return Err("remove which runs: name them, or give a filter".to_owned());
                    }
                    (false, false) => {
                        return Err("remove by name or by filter, not by both".to_owned());
                    }
                    _ => HistoryRequest::Remove { ids, filter },
                }
            }
            Some(What::Trend {
                metric,
                filter,
                json,
            }) => {
                let known = Metric::of(&metric).ok_or_else(|| {
                    let all: Vec<_> = Metric::names().collect();
                    format!("'{metric}' is not a metric: {}", all.join(", "))
                })?;
                HistoryRequest::Trend {
                    metric: known,
                    filter,
                    json,
                }
            }
        })
    }
}

/// Form of exported runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// A row a run, a column a metric.
    Csv,
    /// A JSON summary a line.
    JsonLines,
    /// OpenMetrics text, which Prometheus takes.
    Openmetrics,
}

/// Write stored runs for other programs
#[derive(Debug, Args)]
#[command(after_help = EXPORT)]
pub struct ExportArgs {
    /// Which runs, by name; those of the filter when left out
    ids: Vec<String>,
    /// In which form
    #[arg(short, long, value_enum, default_value = "csv")]
    format: ExportFormat,
    #[command(flatten)]
    filter: Filter,
}

/// Stored runs for other programs.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportRequest {
    /// Beginnings of their names; empty for the filter's.
    pub ids: Vec<String>,
    /// In which form.
    pub format: ExportFormat,
    /// Which.
    pub filter: Filter,
}

impl ExportArgs {
    pub(super) fn request(self) -> Result<ExportRequest, String> {
        match self.ids.iter().find(|id| !is_id(id)) {
            Some(id) => Err(format!("'{id}' is not the name of a run")),
            None => Ok(ExportRequest {
                ids: self.ids,
                format: self.format,
                filter: self.filter,
            }),
        }
    }
}

/// Pool the latency of several runs by adding their histograms
#[derive(Debug, Args)]
#[command(after_help = MERGE)]
pub struct MergeArgs {
    /// Runs by name, or event files of other hosts (events.jsonl)
    #[arg(required = true, value_name = "ID|FILE")]
    runs: Vec<String>,
    /// One JSON document (schema netdyno.merge/1)
    #[arg(short = 'J', long)]
    json: bool,
}

/// Latency to be pooled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeRequest {
    /// Names or files.
    pub runs: Vec<String>,
    /// The document instead of the text.
    pub json: bool,
}

impl MergeArgs {
    pub(super) fn request(self) -> Result<MergeRequest, String> {
        Ok(MergeRequest {
            runs: self.runs,
            json: self.json,
        })
    }
}

const HISTORY: &str = "\
Examples:
  netdyno history -n 20                         the latest twenty
  netdyno history --host server --since 7d
  netdyno history --label nightly --load stream
  netdyno history comparisons -n 5
  netdyno history trend throughput --label nightly
  netdyno history remove --until 2026-10        all that began before November";

const REMOVE: &str = "\
Examples:
  netdyno history remove 20261130T165758-0a1b
  netdyno history remove --until 2026-10          all that began before November

A run is a folder of plain files in $XDG_STATE_HOME/netdyno/runs, or ~/.local/state/netdyno/runs;
'rm -r' of it does the same. A filter leaves out runs that are not over.";

const TREND: &str = "\
Examples:
  netdyno history trend throughput --label nightly
  netdyno history trend latency-p99 --host server --since 30d --json";

const EXPORT: &str = "\
Examples:
  netdyno export > runs.csv
  netdyno export --format openmetrics --label nightly
  netdyno export 20261130T211625-86cb --format json-lines";

const MERGE: &str = "\
Examples:
  netdyno merge 20261130T211625-86cb 20261130T211702-11f0
  netdyno merge 20261130T211625-86cb other-host/events.jsonl --json";
