//! A shaped link: the headline is what the link carries, and no interval is above its rate.

/// Tests that need the machine for themselves.
mod alone {
    use plan::Kind;
    use record::{End, Run};

    use crate::client::Client;
    use crate::machine::{holds, judge};

    const RATE: f64 = 100e6;
    const MTU: f64 = 1500.0;
    const ETHERNET: f64 = 14.0;

    /// Payload bits that the link carries in a second from `sender` on.
    fn carried(run: &Run, sender: End) -> f64 {
        RATE * match run.loads[0].kind {
            Kind::UdpStream => 1400.0 / (1400.0 + 8.0 + 20.0 + ETHERNET),
            // Full packets, with the timestamps' option.
            Kind::Stream | Kind::Maerts => (MTU - 20.0 - 20.0 - 12.0) / (MTU + ETHERNET),
            // Acknowledgements of the other direction take their share, as many as there were.
            _ => {
                let books = match sender {
                    End::Client => run.ledger.client,
                    End::Server => run.ledger.server,
                };
                let books = books.unwrap();
                let socket = books.socket.unwrap();
                let headers = socket.segments_out.unwrap() as f64 * (ETHERNET + 20.0 + 20.0 + 12.0);
                let wire = socket.sent_bytes.unwrap() as f64 + headers;
                books.application.written_bytes as f64 / wire
            }
        }
    }

    /// A run of `load` in which the link gave what it carries.
    fn full(load: &str) -> Run {
        holds(|| fills(load))
    }

    fn fills(load: &str) -> Result<Run, String> {
        // The warm-up leaves the growth of the window out of the figure. The short queue drops what
        // is too much: one that is longer than the socket's buffer would slow the sender instead.
        let words = format!("-4 -O 1 -t 3 -i 100ms --no-probe --load {load} --link");
        let queue = if load.starts_with("udp") {
            ",qdisc=pfifo limit 20"
        } else {
            ""
        };
        let run = Client::new(&words)
            .word(&format!("rate=100mbit{queue}"))
            .document();
        let result = &run.loads[0];
        for way in &result.directions {
            let headline = way.received.unwrap().bits_per_second.unwrap();
            let carried = carried(&run, way.sender);
            let off = headline / carried - 1.0;
            let what = format!("headline of {load} from the {}", way.sender.name());
            judge(
                &run,
                &what,
                off.abs() < 0.01,
                format!("{headline:.0} of {carried:.0} bit/s"),
            )?;
        }
        for end in End::BOTH
            .into_iter()
            .filter(|end| end.receives(result.kind))
        {
            let intervals = run.intervals.iter().filter(|interval| interval.end == end);
            let rates: Vec<f64> = intervals
                .map(|interval| interval.loads[0].received_bits_per_second.unwrap())
                .collect();
            let most = rates.iter().copied().fold(0.0, f64::max);
            judge(
                &run,
                &format!("intervals of {load}"),
                most <= RATE,
                format!("{most:.0} bit/s"),
            )?;
            judge(
                &run,
                "an interval each tenth of a second",
                rates.len() >= 39,
                rates.len(),
            )?;
        }
        Ok(run)
    }

    #[test]
    fn a_stream_gets_what_the_link_carries() {
        not_run::needs_namespaces!();
        not_run::needs_program!("tc");
        full("stream");
    }

    #[test]
    fn a_stream_from_the_server_gets_what_the_link_carries() {
        not_run::needs_namespaces!();
        not_run::needs_program!("tc");
        full("maerts");
    }

    #[test]
    fn both_directions_get_what_the_link_carries() {
        not_run::needs_namespaces!();
        not_run::needs_program!("tc");
        full("bidir");
    }

    #[test]
    fn datagrams_get_what_the_link_carries_and_the_rest_is_lost() {
        not_run::needs_namespaces!();
        not_run::needs_program!("tc");
        let run = full("udp-stream:rate=110M");
        // A sender that other work keeps below the link's rate loses nothing.
        let loss = &run.loads[0].loss[0];
        judge(&run, "the rest is lost", loss.lost > 0, format!("{loss:?}")).unwrap();
    }
}
