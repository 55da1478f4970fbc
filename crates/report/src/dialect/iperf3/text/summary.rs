//! Lines of the whole test.

use super::super::number::{byte, percent};
use super::super::{
    Counts, Cpu, CpuUse, End, File, Form, Protocol, Role, ServerOutput, StreamEnd, Way, sum,
};
use super::row::{Row, Tail};
use super::{RULE, Text};

impl Text {
    /// All of it.
    pub(super) fn summary(&self, end: &End, form: &Form) -> String {
        let mut lines = RULE.to_owned();
        if form.verbose {
            lines.push_str("Test Complete. Summary Results:\n");
        }
        lines.push_str(&self.head(self.summary_columns(end, form)));
        for half in end.streams.chunk_by(|one, next| one.sends == next.sends) {
            for stream in half {
                lines.push_str(&self.stream(stream, form));
            }
            if self.parallel > 1 {
                lines.push_str(&self.sums(half, form));
            }
            if form.verbose {
                lines.push_str(&self.details(half, end, form));
            }
        }
        lines
    }

    fn summary_columns(&self, end: &End, form: &Form) -> &'static str {
        let streams = end.streams.iter();
        let mut sent = streams
            .filter(|stream| shows(form, stream.sends))
            .filter_map(|stream| stream.sent);
        match self.protocol {
            Protocol::Udp => "         Jitter    Lost/Total Datagrams",
            _ if sent.any(|sent| sent.retransmits.is_some()) => "         Retr",
            _ => "",
        }
    }

    fn stream(&self, stream: &StreamEnd, form: &Form) -> String {
        let socket = stream.socket;
        let mut lines = String::new();
        if shows(form, stream.sends) {
            lines.push_str(&match &stream.sent {
                Some(sent) => self.total_line(sent, Some(socket), stream.sends, true, form),
                None => format!("[{socket:3}] (sender statistics not available)\n"),
            });
        }
        if let Some(file) = &stream.file {
            lines.push_str(&file_line(file, stream));
        }
        if shows(form, !stream.sends) {
            let received = stream.received.as_ref();
            lines.push_str(&received.map(late).unwrap_or_default());
            lines.push_str(&match received {
                Some(received) => {
                    self.total_line(received, Some(socket), stream.sends, false, form)
                }
                None => format!("[{socket:3}] (receiver statistics not available)\n"),
            });
        }
        lines
    }

    fn sums(&self, half: &[StreamEnd], form: &Form) -> String {
        let sends = half.iter().any(|stream| stream.sends);
        let client = form.role == Role::Client;
        let sent = sum::counts(half.iter().map(|stream| stream.sent));
        let received = sum::counts(half.iter().map(|stream| stream.received));
        let sent = sent.filter(|_| client || sends);
        let received = received.filter(|_| client || !sends);
        let line = |counts: Option<Counts>, sender| {
            counts.map(|counts| self.total_line(&counts, None, sends, sender, form))
        };
        [line(sent, true), line(received, false)]
            .into_iter()
            .flatten()
            .collect()
    }

    fn total_line(
        &self,
        counts: &Counts,
        socket: Option<i32>,
        sends: bool,
        sender: bool,
        form: &Form,
    ) -> String {
        let row = Row {
            socket,
            tag: self.tag(sends, form),
            start_seconds: 0.0,
            end_seconds: counts.seconds,
            bytes: counts.bytes,
        };
        let tail = match (self.protocol, sender, counts.retransmits) {
            (Protocol::Udp, true, _) => Tail::Loss {
                jitter_seconds: 0.0,
                lost: Some(0),
                packets: counts.packets,
            },
            (Protocol::Udp, false, _) => Tail::Loss {
                jitter_seconds: counts.jitter_seconds,
                lost: counts.lost,
                packets: counts.packets,
            },
            (_, true, Some(retransmits)) => Tail::Retransmits(retransmits),
            _ => Tail::Plain,
        };
        row.line(&tail, if sender { "sender" } else { "receiver" }, form)
    }

    /// CPU of both ends where this one sends, and congestion control where it is known.
    fn details(&self, half: &[StreamEnd], end: &End, form: &Form) -> String {
        let sends = half.iter().any(|stream| stream.sends);
        let mut lines = String::new();
        let cpu = |local, remote| {
            let local_cpu = cpu(&end.local_cpu);
            let remote_cpu = cpu(&end.remote_cpu.unwrap_or_default());
            format!("CPU Utilization: local/{local} {local_cpu}, remote/{remote} {remote_cpu}\n")
        };
        if sends {
            lines.push_str(&cpu("sender", "receiver"));
            if self.way == Way::Both {
                lines.push_str(&cpu("receiver", "sender"));
            }
        }
        if self.protocol == Protocol::Tcp {
            let client = form.role == Role::Client;
            let own = |line: &str, name: &Option<String>, shown: bool| {
                let name = name.as_ref().filter(|_| shown);
                name.map(|name| format!("{line} {name}\n"))
                    .unwrap_or_default()
            };
            let sender = &end.sender_congestion;
            let receiver = &end.receiver_congestion;
            lines.push_str(&own("snd_tcp_congestion", sender, client || sends));
            lines.push_str(&own("rcv_tcp_congestion", receiver, client || !sends));
        }
        lines
    }
}

/// What the server showed.
pub(in super::super) fn of_server(output: &ServerOutput) -> String {
    match output {
        ServerOutput::Text(text) => format!("\nServer output:\n{text}\n"),
        ServerOutput::Json(value) => {
            let document = super::super::document::pretty(value);
            format!("\nServer JSON output:\n{document}\n")
        }
    }
}

/// A client shows both ends; a server its own, and the other one if more lines are asked.
fn shows(form: &Form, is_own: bool) -> bool {
    is_own || form.role == Role::Client || form.verbose
}

fn late(received: &Counts) -> String {
    match received.out_of_order {
        0 => String::new(),
        late => format!(
            "[SUM]  {:.1}-{:4.1} sec  {late} datagrams received out-of-order\n",
            0.0, received.seconds
        ),
    }
}

fn file_line(file: &File, stream: &StreamEnd) -> String {
    let moved = if stream.sends {
        stream.sent
    } else {
        stream.received
    };
    let moved = moved.unwrap_or_default().bytes;
    let share = match file.bytes {
        0 => 100.0,
        size => percent(moved, size),
    };
    let word = if stream.sends { "Sent" } else { "Received" };
    format!(
        "        {word} {} / {} ({share:.0}%) of {}\n",
        byte(moved),
        byte(file.bytes),
        file.name
    )
}

fn cpu(cpu: &Cpu) -> String {
    let CpuUse {
        total_percent: total,
        user_percent: user,
        system_percent: system,
    } = cpu.process;
    format!("{total:.1}% ({user:.1}%u/{system:.1}%s)")
}
