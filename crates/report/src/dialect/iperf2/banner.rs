//! The lines of settings: which there are, in which order, and how they read.

use plan::Transport;

use super::settings::{BounceSettings, BurstSettings, FrameSettings, Mss, Role, Settings};
use super::{Form, Unit};

const RULE: &str = "------------------------------------------------------------\n";

impl Settings {
    /// The lines with their ends; nothing if they are excluded.
    pub fn text(&self, form: &Form) -> String {
        if form.excluded.settings || form.csv {
            return String::new();
        }
        let lines = match &self.role {
            Role::Server => self.server_lines(form),
            Role::Client {
                host,
                device,
                flows,
            } => {
                let first = self.client_line(host, device.as_deref(), *flows, form);
                [vec![first], self.client_lines(form)].concat()
            }
        };
        let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
        format!("{RULE}{lines}{RULE}")
    }

    fn transport(&self) -> &'static str {
        match self.transport {
            Transport::Tcp => "TCP",
            Transport::Udp => "UDP",
        }
    }

    fn server_lines(&self, form: &Form) -> Vec<String> {
        let (first, last) = (self.ports.start(), self.ports.end());
        let transport = self.transport();
        // Several ports are always shown with the process.
        let pid = format!(" with pid {}", self.pid);
        let title = match () {
            () if first != last => {
                format!("Server listening on {transport} ports {first}-{last}{pid}")
            }
            () if form.enhanced => format!("Server listening on {transport} port {first}{pid}"),
            () => format!("Server listening on {transport} port {first}"),
        };
        let unit = banner_unit(form);
        let multicast = self.group.filter(|_| !form.excluded.multicast);
        let buffer = form.enhanced.then(|| {
            let size = unit.amount(self.buffer_bytes as f64);
            let width = unit.amount((self.buffer_bytes / 8) as f64);
            format!("Read buffer size: {size} (Dist bin width={width})")
        });
        [
            Some(title),
            multicast.map(|(group, source)| match source {
                None => format!("Joining multicast group  {group}"),
                Some(source) => format!("Joining multicast (S,G)={source},{group}"),
            }),
            self.bind
                .filter(|_| form.enhanced)
                .map(|address| match &self.bind_device {
                    Some(device) => {
                        format!("Binding to local address {address} and iface {device}")
                    }
                    None => format!("Binding to local address {address}"),
                }),
            buffer,
            self.by_frame
                .then(|| "Frame or burst interval reporting (feature is experimental)".to_owned()),
            self.mss.map(mss_line),
            self.congestion_line(),
            self.tos
                .filter(|tos| *tos > 0)
                .map(|tos| format!("TOS will be set to 0x{tos:x}")),
            self.histogram
                .map(|bins| histogram_line("receive", bins) + " (clients should use --trip-times)"),
            self.one_at_a_time.then(|| {
                let why = match self.group {
                    Some(_) => "per multicast receive",
                    None => "serialize traffic tests",
                };
                format!("Server set to single client traffic mode ({why})")
            }),
            self.window_line(unit),
            self.key.as_ref().map(|(key, seconds)| match seconds {
                Some(seconds) => format!("Permit key is '{key}' (timeout in {seconds:.1} seconds)"),
                None => format!("Permit key is '{key}' (no timeout)"),
            }),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn client_line(&self, host: &str, device: Option<&str>, flows: u32, form: &Form) -> String {
        let host = if form.hides_addresses {
            "(**hidden**)"
        } else {
            host
        };
        let mut line = format!(
            "Client connecting to {host}, {} port {}",
            self.transport(),
            self.ports.start()
        );
        if form.enhanced {
            line += &format!(" with pid {}", self.pid);
        }
        if let Some(device) = device {
            line += &format!(" via {device}");
        }
        if form.enhanced {
            line += &format!(" ({flows} flows)");
        }
        line
    }

    fn client_lines(&self, form: &Form) -> Vec<String> {
        let unit = banner_unit(form);
        let tcp = self.transport == Transport::Tcp;
        let timer = if self.times_writes {
            " (writetimer-enabled)"
        } else {
            ""
        };
        let buffer = Unit::Bytes(0).amount(self.buffer_bytes as f64);
        let writes = tcp && (form.enhanced || self.near_congestion.is_some());
        [
            writes.then(|| format!("Write buffer size: {buffer}{timer}")),
            self.bursts.map(|bursts| bursts.line(unit)),
            self.bounceback.map(|bounce| bounce.line(unit)),
            self.isochronous.map(|frames| frames.line()),
            self.pace_bytes_per_second.map(|rate| {
                let rate = Unit::AdaptiveBits.rate(rate as f64);
                format!("fair-queue socket pacing set to {rate}/s")
            }),
            self.mss.map(mss_line),
            self.congestion_line(),
            form.enhanced.then(|| self.tos_line()),
            self.near_congestion.map(|(weight, usual)| {
                let advice = if usual {
                    " (use --near-congestion=<value> to change)"
                } else {
                    ""
                };
                format!("TCP near-congestion delay weight set to {weight:.4}{advice}")
            }),
            self.gap_usecs.map(|usecs| {
                let bytes = self.buffer_bytes;
                format!("Sending {bytes} byte datagrams, IPG target: {usecs:.2} us (kalman adjust)")
            }),
            self.only_connects
                .then(|| "TCP three-way-handshake (3WHS) only".to_owned()),
            self.window_line(unit),
            self.prefetch_bytes.map(|bytes| {
                format!("Event based writes (pending queue watermark at {bytes} bytes)")
            }),
            self.histogram.map(|bins| histogram_line("write", bins)),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn congestion_line(&self) -> Option<String> {
        let name = self.congestion.as_ref()?;
        Some(format!("TCP congestion control set to {name}"))
    }

    fn tos_line(&self) -> String {
        let tos = self.tos.unwrap_or(0);
        match self.nodelay {
            true => format!("TOS set to 0x{tos:x} and nodelay (Nagle off)"),
            false => format!("TOS set to 0x{tos:x} (Nagle on)"),
        }
    }

    fn window_line(&self, unit: Unit) -> Option<String> {
        let window = self.window.filter(|_| !self.only_connects)?;
        let name = match self.transport {
            Transport::Tcp => "TCP window size",
            Transport::Udp => "UDP buffer size",
        };
        let size = unit.amount(window.bytes as f64);
        Some(match window.asked {
            None => format!("{name}: {size} (default)"),
            Some(asked) if asked != window.bytes => {
                let asked = unit.amount(asked as f64);
                format!("{name}: {size} (WARNING: requested {asked})")
            }
            Some(_) => format!("{name}: {size}"),
        })
    }
}

impl BurstSettings {
    fn line(self, unit: Unit) -> String {
        let bytes = unit.amount(self.bytes as f64);
        let period = self.period_seconds;
        match self.writes {
            Some(writes) => {
                format!("Bursting: {bytes} writes {writes} times every {period:.2} second(s)")
            }
            None => format!("Bursting: {bytes} every {period:.2} second(s)"),
        }
    }
}

impl BounceSettings {
    fn line(self, unit: Unit) -> String {
        let bytes = unit.amount(self.bytes as f64);
        let quickack = if self.quickack { " & tcp_quickack" } else { "" };
        let hold = self.hold_usecs;
        format!("Bounce-back test (size={bytes}) (server hold req={hold} usecs{quickack})")
    }
}

impl FrameSettings {
    fn line(self) -> String {
        let [mean, stdev] = [self.mean_bits_per_second, self.stdev_bits_per_second]
            .map(|bits| Unit::AdaptiveBits.rate(bits / 8.0).trim_start().to_owned());
        let fps = self.frames_per_second;
        let period_ms = if fps > 0.0 { 1e3 / fps } else { 0.0 };
        let gap_ms = self.gap_ms;
        format!(
            "Isochronous: {fps:.2} frames/sec mean={mean}/s, stddev={stdev}/s, \
             Period/IPG={period_ms:.2}/{gap_ms:.3} ms"
        )
    }
}

fn mss_line(mss: Mss) -> String {
    match mss {
        Mss::Found(bytes) => format!("MSS size {bytes} bytes"),
        Mss::Asked(bytes) => format!("MSS req size {bytes} bytes (per TCP_MAXSEG)"),
    }
}

fn histogram_line(of: &str, (width_usecs, bins): (u64, u64)) -> String {
    let width_ms = width_usecs as f64 / 1e3;
    format!("Enabled {of} histograms bin-width={width_ms:.3} ms, bins={bins}")
}

/// Settings are in bytes without a prefix if reports are, and adaptive otherwise.
const fn banner_unit(form: &Form) -> Unit {
    match form.unit {
        Unit::Bits(0) | Unit::Bytes(0) => Unit::Bytes(0),
        _ => Unit::AdaptiveBytes,
    }
}
