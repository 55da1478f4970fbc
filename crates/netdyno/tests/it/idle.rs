//! A server that nobody talks to.

use std::time::Duration;

use crate::client::Client;
use crate::process::{cpu_ticks, voluntary_switches};
use crate::server::Server;

#[test]
fn an_idle_server_uses_no_cpu_and_does_not_wake_up() {
    let server = Server::start("");
    let rests = |when: &str| {
        let look = || (cpu_ticks(server.pid()), voluntary_switches(server.pid()));
        let before = look();
        std::thread::sleep(Duration::from_secs(2));
        assert_eq!(look(), before, "{when}");
    };
    // What its start has to do may not be over when it says its port.
    std::thread::sleep(Duration::from_millis(200));
    rests("before the first test");
    Client::new(&format!("{} -t 0.3 --load rr:flows=10", server.address())).document();
    std::thread::sleep(Duration::from_millis(200));
    rests("after a test");
}
