//! Any command whose number is compared.

use analyze::metric::Metric;
use clap::Args;
use record::{Better, Contrast};

/// A number of an external command.
#[derive(Debug, Clone, PartialEq)]
pub struct External {
    /// Where in its output.
    pub pick: Pick,
    /// What it is.
    pub metric: Metric,
}

/// How the number is found in what a command prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pick {
    /// By names and positions in a JSON document: `end.sum_received.bits_per_second`, `a[0].b`.
    JsonPath(String),
    /// The first group of a regular expression, or the whole match.
    Regex(String),
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Any command instead of a run of netdyno")]
pub(super) struct ExternalArgs {
    /// Its number, in its JSON output: end.sum_received.bits_per_second, runs[0].rate
    #[arg(long, value_name = "PATH", conflicts_with = "regex")]
    json_path: Option<String>,
    /// Its number, in its output: first group of a regular expression
    #[arg(long, value_name = "RE")]
    regex: Option<String>,
    /// Unit of the number
    #[arg(long, value_name = "UNIT")]
    unit: Option<String>,
    /// Less is better
    #[arg(long)]
    lower_is_better: bool,
}

impl ExternalArgs {
    pub(super) fn external(&self) -> Result<Option<External>, String> {
        let pick = match (&self.json_path, &self.regex) {
            (Some(path), _) => Pick::JsonPath(path.clone()),
            (_, Some(regex)) => {
                regex_lite::Regex::new(regex)
                    .map_err(|error| format!("--regex: {}", first_line(&error.to_string())))?;
                Pick::Regex(regex.clone())
            }
            (None, None) => {
                let beside = [
                    (self.unit.is_some(), "--unit"),
                    (self.lower_is_better, "--lower-is-better"),
                ];
                return match beside.into_iter().find(|(typed, _)| *typed) {
                    Some((_, option)) => Err(format!("{option} is for --json-path or --regex")),
                    None => Ok(None),
                };
            }
        };
        Ok(Some(External {
            pick,
            metric: Metric {
                name: "number".to_owned(),
                unit: self.unit.clone().unwrap_or_default(),
                better: if self.lower_is_better {
                    Better::Lower
                } else {
                    Better::Higher
                },
                contrast: Contrast::Ratio,
            },
        }))
    }
}

fn first_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default().trim()
}
