//! The live text of a run: interval lines as they come, a progress line on a terminal, the
//! report at the end. A stored run goes through the same code, so it looks as it did.

use std::io::{self, IsTerminal, Write};

use analyze::Intervals;
use plan::Plan;
use record::{End, Event, Interval, Run};
use report::{IntervalLines, Style};
use units::Nanos;

/// Turns events into the text of standard output.
pub struct Screen {
    style: Style,
    /// Interval lines are wanted.
    lines: bool,
    run: Option<Live>,
}

struct Live {
    plan: Plan,
    intervals: Intervals,
    lines: IntervalLines,
    header_is_out: bool,
    latest: [Option<Interval>; 2],
}

impl Screen {
    /// Nothing came yet.
    pub fn new(style: Style, lines: bool) -> Self {
        Self {
            style,
            lines,
            run: None,
        }
    }

    /// The text that `event` adds.
    pub fn take(&mut self, event: &Event) -> String {
        match event {
            Event::Begin { plan, .. } => {
                self.run = Some(Live {
                    plan: (**plan).clone(),
                    intervals: Intervals::new(plan),
                    lines: IntervalLines::new(plan, self.style),
                    header_is_out: false,
                    latest: [None, None],
                });
                String::new()
            }
            Event::Edge(edge) => {
                let Some(live) = &mut self.run else {
                    return String::new();
                };
                let Some(interval) = live.intervals.close(edge) else {
                    return String::new();
                };
                let text = live.lines.push(&interval);
                live.latest[usize::from(edge.end == End::Server)] = Some(interval);
                if self.lines {
                    live.under_header(text)
                } else {
                    String::new()
                }
            }
            _ => String::new(),
        }
    }

    /// The text that the end adds.
    pub fn finish(&mut self, run: &Run) -> String {
        let mut text = String::new();
        if let Some(live) = self.run.as_mut().filter(|_| self.lines) {
            let rest = live.lines.flush();
            text = live.under_header(rest);
            if live.header_is_out {
                text.push('\n');
            }
        }
        text + &report::text(run, self.style)
    }

    /// The progress line after the latest event; none before the first edge.
    pub fn progress(&self, width: usize) -> Option<String> {
        let live = self.run.as_ref()?;
        let [client, server] = &live.latest;
        let now = client
            .iter()
            .chain(server)
            .map(|interval| interval.to_ns)
            .max()?;
        let style = Style {
            width: width.saturating_sub(1),
            ..self.style
        };
        Some(report::progress(
            &live.plan,
            client.as_ref(),
            server.as_ref(),
            Nanos::new(now),
            style,
        ))
    }
}

impl Live {
    fn under_header(&mut self, text: String) -> String {
        if text.is_empty() || self.header_is_out {
            return text;
        }
        self.header_is_out = true;
        self.lines.header() + &text
    }
}

/// Colour and width of standard output: colour on a terminal unless NO_COLOR is set
/// (no-color.org), the terminal's width or that of a mail.
pub fn style() -> Style {
    let output = io::stdout();
    let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    Style {
        colour: output.is_terminal() && !no_colour,
        width: sys::terminal::columns(&output).unwrap_or(Style::PLAIN.width),
    }
}

/// Puts the progress line on standard error, in place of the one before. Only a terminal has
/// one; the width is the terminal's.
pub struct ProgressLine {
    width: Option<usize>,
    is_out: bool,
}

impl ProgressLine {
    /// For standard error as it is; never out when `wanted` is false.
    pub fn new(wanted: bool) -> Self {
        let width = sys::terminal::columns(&io::stderr()).filter(|_| wanted);
        Self {
            width,
            is_out: false,
        }
    }

    /// Takes it away, before other text goes to the terminal.
    pub fn clear(&mut self) {
        if self.is_out {
            let _ = write!(io::stderr(), "\r\x1b[K");
            self.is_out = false;
        }
    }

    /// Shows the latest.
    pub fn show(&mut self, screen: &Screen) {
        if let Some(text) = self.width.and_then(|width| screen.progress(width)) {
            let _ = write!(io::stderr(), "\r\x1b[K{text}");
            self.is_out = true;
        }
    }
}
