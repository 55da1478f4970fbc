//! Recorded documents as the values that ours are made of.

use report::dialect::iperf3::{
    Buffers, Connected, Contact, Counts, Cpu, CpuUse, Datagrams, End, Interval, PathExtremes,
    PathSample, Protocol, Role, ServerOutput, Started, StreamEnd, StreamInterval, Way,
};
use serde_json::Value;

/// All of a document.
pub struct Record {
    pub version: String,
    pub system_info: String,
    pub contact: Contact,
    pub connected: Vec<Connected>,
    pub started: Started,
    pub intervals: Vec<Interval>,
    pub end: End,
}

pub fn record(document: &Value, role: Role) -> Record {
    let start = &document["start"];
    let test = &start["test_start"];
    let end = &document["end"];
    let protocol = match text(&test["protocol"]).as_str() {
        "TCP" => Protocol::Tcp,
        "UDP" => Protocol::Udp,
        other => panic!("{other}"),
    };
    let way = if end.get("sum_sent_bidir_reverse").is_some() {
        Way::Both
    } else if integer(&test["reverse"]) == 1 {
        Way::Reverse
    } else {
        Way::Forward
    };
    let peer = match role {
        Role::Client => &start["connecting_to"],
        Role::Server => &start["accepted_connection"],
    };
    let asked_mss = start.get("tcp_mss");
    let contact = Contact {
        host: text(&peer["host"]),
        port: integer(&peer["port"]) as u16,
        at_unix_ms: integer(&start["timestamp"]["timesecs"]) * 1000,
        cookie: text(&start["cookie"]),
        protocol,
        way,
        mss: asked_mss
            .or(start.get("tcp_mss_default"))
            .map(|mss| integer(mss) as u32),
        mss_is_asked: asked_mss.is_some(),
        target_bitrate: integer(&test["target_bitrate"]),
        fq_rate: 0,
        title: document.get("title").map(text),
        extra_data: document.get("extra_data").map(text),
        wants_server_output: false,
    };
    let connected = list(&start["connected"]).map(|stream| Connected {
        socket: socket(stream),
        local_host: text(&stream["local_host"]),
        local_port: integer(&stream["local_port"]) as u16,
        remote_host: text(&stream["remote_host"]),
        remote_port: integer(&stream["remote_port"]) as u16,
    });
    let started = Started {
        parallel: integer(&test["num_streams"]) as u32,
        block_bytes: integer(&test["blksize"]),
        omit_seconds: integer(&test["omit"]) as u32,
        duration_seconds: integer(&test["duration"]) as u32,
        bytes: integer(&test["bytes"]),
        blocks: integer(&test["blocks"]),
        tos: integer(&test["tos"]) as u32,
        buffers: Buffers {
            asked: integer(&start["sock_bufsize"]),
            send: integer(&start["sndbuf_actual"]),
            receive: integer(&start["rcvbuf_actual"]),
        },
        ..Started::default()
    };
    let intervals = list(&document["intervals"]).map(|interval| Interval {
        omitted: interval["sum"]["omitted"] == true,
        last: false,
        streams: list(&interval["streams"]).map(stream_interval).collect(),
    });
    Record {
        version: text(&start["version"]),
        system_info: text(&start["system_info"]),
        contact,
        connected: connected.collect(),
        started,
        intervals: intervals.collect(),
        end: read_end(document, role),
    }
}

fn stream_interval(row: &Value) -> StreamInterval {
    StreamInterval {
        socket: socket(row),
        sends: row["sender"] == true,
        start_seconds: number(&row["start"]),
        end_seconds: number(&row["end"]),
        bytes: integer(&row["bytes"]),
        path: row.get("snd_cwnd").map(|cwnd| PathSample {
            retransmits: integer(&row["retransmits"]),
            cwnd_bytes: integer(cwnd),
            window_bytes: integer(&row["snd_wnd"]),
            rtt_us: integer(&row["rtt"]),
            rttvar_us: integer(&row["rttvar"]),
            pmtu_bytes: integer(&row["pmtu"]),
            reorder: 0,
        }),
        datagrams: row.get("packets").map(|packets| Datagrams {
            packets: integer(packets),
            lost: row.get("lost_packets").map_or(0, integer),
            jitter_seconds: row.get("jitter_ms").map_or(0.0, number) / 1e3,
        }),
    }
}

fn read_end(document: &Value, role: Role) -> End {
    let end = &document["end"];
    let cpu = &end["cpu_utilization_percent"];
    let cpu = |whose: &str| Cpu {
        process: CpuUse {
            total_percent: number(&cpu[format!("{whose}_total")]),
            user_percent: number(&cpu[format!("{whose}_user")]),
            system_percent: number(&cpu[format!("{whose}_system")]),
        },
        host_percent: None,
    };
    let both = end.get("sum_sent_bidir_reverse").is_some();
    let output = document
        .get("server_output_text")
        .map(|output| ServerOutput::Text(text(output)));
    let output = output.or(document
        .get("server_output_json")
        .map(|output| ServerOutput::Json(output.clone())));
    End {
        streams: list(&end["streams"])
            .map(|stream| match stream.get("udp") {
                Some(udp) => datagrams(udp, end, role),
                None => bytes(stream, role),
            })
            .collect(),
        local_cpu: cpu("host"),
        remote_cpu: Some(cpu("remote")).filter(|_| role == Role::Client),
        sender_congestion: end.get("sender_tcp_congestion").map(text),
        // In both directions a server's document has one of them, its text both.
        receiver_congestion: end
            .get("receiver_tcp_congestion")
            .or(end.get("sender_tcp_congestion").filter(|_| both))
            .map(text),
        server_output: output,
    }
}

fn bytes(stream: &Value, role: Role) -> StreamEnd {
    let (sender, receiver) = (&stream["sender"], &stream["receiver"]);
    let sends = sender["sender"] == true;
    let counts = |row: &Value| Counts {
        seconds: number(&row["end"]),
        bytes: integer(&row["bytes"]),
        retransmits: row.get("retransmits").map(integer),
        ..Counts::default()
    };
    let client = role == Role::Client;
    StreamEnd {
        socket: socket(sender),
        sends,
        sent: Some(counts(sender)).filter(|_| client || sends),
        received: Some(counts(receiver)).filter(|_| client || !sends),
        path: sender.get("max_snd_cwnd").map(|cwnd| PathExtremes {
            max_cwnd_bytes: integer(cwnd),
            max_window_bytes: integer(&sender["max_snd_wnd"]),
            max_rtt_us: integer(&sender["max_rtt"]),
            min_rtt_us: integer(&sender["min_rtt"]),
            mean_rtt_us: integer(&sender["mean_rtt"]),
            reorder: 0,
        }),
        file: None,
    }
}

/// A stream's document has the sender's bytes and the receiver's losses; the receiver's bytes are
/// in the sum only, of which all streams have the same share here.
fn datagrams(row: &Value, end: &Value, role: Role) -> StreamEnd {
    let sends = row["sender"] == true;
    let client = role == Role::Client;
    let reverse = end.get("sum_bidir_reverse").is_some() && sends != client;
    let key = if reverse {
        "sum_received_bidir_reverse"
    } else {
        "sum_received"
    };
    let of_direction = list(&end["streams"]).filter(|stream| stream["udp"]["sender"] == sends);
    let received = &end[key];
    StreamEnd {
        socket: socket(row),
        sends,
        sent: Some(Counts {
            seconds: number(&row["end"]),
            bytes: integer(&row["bytes"]),
            packets: integer(&row["packets"]),
            ..Counts::default()
        })
        .filter(|_| client || sends),
        received: Some(Counts {
            seconds: number(&received["end"]),
            bytes: integer(&received["bytes"]) / of_direction.count() as u64,
            packets: integer(&row["packets"]),
            lost: Some(integer(&row["lost_packets"])),
            out_of_order: integer(&row["out_of_order"]),
            jitter_seconds: number(&row["jitter_ms"]) / 1e3,
            ..Counts::default()
        })
        .filter(|_| client || !sends),
        path: None,
        file: None,
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().unwrap().iter()
}

fn socket(row: &Value) -> i32 {
    integer(&row["socket"]) as i32
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn integer(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}
