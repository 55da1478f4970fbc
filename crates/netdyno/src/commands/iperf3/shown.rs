//! What the engine tells, in the words of the output.

use engine::iperf3 as engine;
use proto::iperf3::{Direction, Parameters, Protocol, Results, StreamResult};
use report::dialect::iperf3 as output;
use report::dialect::iperf3::{
    Buffers, Connected, Contact, Counts, Cpu, CpuUse, Datagrams, End, File, Interval, PathExtremes,
    PathSample, ServerOutput, Started, StreamEnd, StreamInterval, Way,
};
use units::{BitRate, Bytes, Nanos};

use super::told::Told;

pub(super) fn contact(told: &engine::Contact, host: String, port: u16, at_unix_ms: u64) -> Contact {
    let parameters = &told.parameters;
    let rate = |rate: Option<BitRate>| rate.map_or(0, BitRate::get);
    let mss = parameters.mss.or(told.control_mss);
    Contact {
        host,
        port,
        at_unix_ms,
        cookie: told.cookie.to_string(),
        protocol: match parameters.protocol {
            Protocol::Tcp => output::Protocol::Tcp,
            Protocol::Udp => output::Protocol::Udp,
            Protocol::Sctp => output::Protocol::Sctp,
        },
        way: match parameters.direction {
            Direction::Forward => Way::Forward,
            Direction::Reverse => Way::Reverse,
            Direction::Both => Way::Both,
        },
        mss: mss.map(|mss| mss.get() as u32),
        mss_is_asked: parameters.mss.is_some(),
        target_bitrate: rate(parameters.rate),
        fq_rate: rate(parameters.fq_rate),
        title: parameters.title.clone(),
        extra_data: parameters.extra_data.clone(),
        wants_server_output: parameters.get_server_output,
    }
}

pub(super) fn connected(told: &engine::Connected) -> Connected {
    Connected {
        socket: told.number,
        local_host: told.local.ip().to_canonical().to_string(),
        local_port: told.local.port(),
        remote_host: told.remote.ip().to_canonical().to_string(),
        remote_port: told.remote.port(),
    }
}

pub(super) fn started(told: &engine::Started, parameters: &Parameters) -> Started {
    let seconds = |time: Nanos| (time.get() / 1_000_000_000) as u32;
    let bytes = |bytes: Option<Bytes>| bytes.map_or(0, Bytes::get);
    Started {
        parallel: parameters.parallel,
        block_bytes: parameters.block_size().get(),
        omit_seconds: seconds(parameters.omit),
        duration_seconds: parameters.time.map_or(0, seconds),
        bytes: bytes(parameters.bytes),
        blocks: parameters.blocks.unwrap_or(0),
        tos: parameters.tos.into(),
        gso: parameters.gso.is_some(),
        gro: parameters.gro,
        buffers: Buffers {
            asked: bytes(parameters.window),
            send: bytes(told.sndbuf),
            receive: bytes(told.rcvbuf),
        },
    }
}

pub(super) fn interval(told: &engine::Interval) -> Interval {
    let streams = told.streams.iter().map(|stream| StreamInterval {
        socket: stream.number,
        sends: stream.sends,
        start_seconds: told.start.as_secs_f64(),
        end_seconds: told.end.as_secs_f64(),
        bytes: stream.bytes,
        path: stream.path.map(|path| path_sample(&path)),
        datagrams: stream.datagrams.map(|datagrams| Datagrams {
            packets: datagrams.packets,
            lost: datagrams.lost,
            jitter_seconds: datagrams.jitter_s,
        }),
    });
    Interval {
        omitted: told.omitted,
        last: told.last,
        streams: streams.collect(),
    }
}

fn path_sample(sample: &engine::PathSample) -> PathSample {
    let info = &sample.info;
    let field = |field: Option<u64>| field.unwrap_or(0);
    PathSample {
        retransmits: sample.retransmits,
        cwnd_bytes: field(info.tcpi_snd_cwnd) * field(info.tcpi_snd_mss),
        window_bytes: field(info.tcpi_snd_wnd),
        rtt_us: field(info.tcpi_rtt),
        rttvar_us: field(info.tcpi_rttvar),
        pmtu_bytes: field(info.tcpi_pmtu),
        reorder: field(info.tcpi_reordering),
    }
}

/// The results of both ends, as far as they are known at one.
pub(super) fn end(
    outcome: &engine::Outcome,
    parameters: &Parameters,
    file: Option<&std::path::Path>,
) -> End {
    let remote = outcome.remote.as_ref();
    let window = outcome.window.as_secs_f64();
    let streams = outcome.streams.iter().map(|stream| {
        let own = Some(Counts {
            packets: stream.packets,
            lost: Some(stream.lost),
            out_of_order: stream.out_of_order,
            ..counts(&stream.result, window)
        });
        let theirs = remote.and_then(|remote| remote.stream(stream.result.id));
        let sender = match stream.sends {
            true => Some(&stream.result),
            false => theirs,
        };
        let path = sender.and_then(|sender| sender.path);
        let their_counts = theirs.map(|theirs| {
            let told = Told::of(theirs, stream, parameters);
            Counts {
                packets: told.packets,
                lost: told.lost,
                ..counts(theirs, window)
            }
        });
        let (sent, received) = match stream.sends {
            true => (own, their_counts),
            false => (their_counts, own),
        };
        StreamEnd {
            socket: stream.number,
            sends: stream.sends,
            sent,
            received,
            path: path.map(|path| PathExtremes {
                max_cwnd_bytes: path.max_cwnd,
                max_window_bytes: path.max_window,
                max_rtt_us: path.max_rtt_us,
                min_rtt_us: path.min_rtt_us,
                mean_rtt_us: path.mean_rtt_us,
                reorder: path.reorder,
            }),
            file: file.map(|file| File {
                name: file.display().to_string(),
                bytes: std::fs::metadata(file).map_or(0, |data| data.len()),
            }),
        }
    });
    let own = outcome
        .local
        .as_ref()
        .and_then(|own| own.congestion.clone());
    let theirs = remote.and_then(|remote| remote.congestion.clone());
    let sends = outcome.streams.iter().any(|stream| stream.sends);
    let (sender_congestion, receiver_congestion) = match sends {
        true => (own, theirs),
        false => (theirs, own),
    };
    End {
        streams: streams.collect(),
        local_cpu: Cpu {
            process: cpu(outcome.cpu),
            host_percent: outcome.host_cpu_percent,
        },
        remote_cpu: remote.map(|remote| Cpu {
            process: cpu(remote.cpu),
            host_percent: remote.host_cpu_percent,
        }),
        sender_congestion,
        receiver_congestion,
        // A stock server goes on telling it to all clients once one has asked for it.
        server_output: remote
            .filter(|_| parameters.get_server_output)
            .and_then(server_output),
    }
}

/// What an end says of a stream beside its datagrams.
fn counts(result: &StreamResult, window: f64) -> Counts {
    Counts {
        seconds: result.seconds.unwrap_or(window),
        bytes: result.bytes,
        retransmits: result.retransmits,
        jitter_seconds: result.jitter_s,
        ..Counts::default()
    }
}

fn cpu(used: proto::iperf3::CpuUse) -> CpuUse {
    CpuUse {
        total_percent: used.total_percent,
        user_percent: used.user_percent,
        system_percent: used.system_percent,
    }
}

fn server_output(results: &Results) -> Option<ServerOutput> {
    match results.output.as_ref()? {
        proto::iperf3::ServerOutput::Text(text) => Some(ServerOutput::Text(text.clone())),
        proto::iperf3::ServerOutput::Json(json) => {
            serde_json::from_str(json).ok().map(ServerOutput::Json)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::iperf3::{CpuUse, Retransmits};

    #[test]
    fn the_output_of_a_server_is_for_those_who_asked() {
        let outcome = engine::Outcome {
            streams: Vec::new(),
            local: None,
            remote: Some(Results {
                cpu: CpuUse::default(),
                host_cpu_percent: None,
                retransmits: Retransmits::Receiver,
                congestion: None,
                output: Some(proto::iperf3::ServerOutput::Text("lines".to_owned())),
                streams: Vec::new(),
            }),
            cpu: CpuUse::default(),
            host_cpu_percent: None,
            window: Nanos::from_secs(1),
        };
        let mut parameters = Parameters::new(Protocol::Tcp);
        assert_eq!(end(&outcome, &parameters, None).server_output, None);
        parameters.get_server_output = true;
        assert!(end(&outcome, &parameters, None).server_output.is_some());
    }
}
