//! Lines for eyes.

mod interval;
mod opening;
mod row;
mod summary;

pub(super) use summary::of_server;

use super::{Event, Form, Protocol, Role, Way};

const RULE: &str = "- - - - - - - - - - - - - - - - - - - - - - - - -\n";

/// What the lines of a test depend on beside their own values.
#[derive(Debug, Default)]
pub(super) struct Text {
    protocol: Protocol,
    way: Way,
    parallel: u32,
    has_head: bool,
}

impl Text {
    /// The lines of an event, before anything is put before them.
    pub fn show(&mut self, event: &Event<'_>, form: &Form) -> String {
        match event {
            Event::Opened {
                control_mss,
                udp_block,
            } => opening::opened(form, *control_mss, *udp_block),
            Event::Listening { port, number } => opening::listening(*port, *number),
            Event::Contact(contact) => {
                self.protocol = contact.protocol;
                self.way = contact.way;
                opening::contact(contact, form)
            }
            Event::Connected(connected) => opening::connected(connected),
            Event::Started(started) => {
                self.parallel = started.parallel;
                match form.verbose {
                    true => opening::started(started, self.protocol),
                    false => String::new(),
                }
            }
            Event::Interval(interval) => self.interval(interval, form),
            Event::Ended(end) => self.summary(end, form),
            Event::Remark(remark) => format!("{remark}\n"),
            Event::Closed { error: None } if form.role == Role::Client => {
                "\niperf Done.\n".to_owned()
            }
            Event::Closed { .. } => String::new(),
        }
    }

    /// What a stream's number is followed by where streams go both ways.
    fn tag(&self, sends: bool, form: &Form) -> &'static str {
        match (self.way, form.role, sends) {
            (Way::Both, Role::Client, true) => "[TX-C]",
            (Way::Both, Role::Client, false) => "[RX-C]",
            (Way::Both, Role::Server, true) => "[TX-S]",
            (Way::Both, Role::Server, false) => "[RX-S]",
            _ => "",
        }
    }

    fn head(&self, columns: &str) -> String {
        let role = match self.way {
            Way::Both => "[Role]",
            _ => "",
        };
        format!("[ ID]{role} Interval           Transfer     Bitrate{columns}\n")
    }
}
