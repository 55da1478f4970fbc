//! The testbed itself.

use std::io;
use std::net::IpAddr;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use plan::{Family, Link};
use record::{End, InterfaceCounters};
use sys::netns::{self, NetNs};
use sys::{Tap, child};
use units::Nanos;

use crate::error::RIGHTS;
use crate::host::Host;
use crate::relay::{Cable, Relay};
use crate::tc::Tc;
use crate::{RelayCounts, TestbedError, shaping, wire};

/// Two hosts and their link. The process that made it is the client's host.
///
/// Dropping it stops the relay and lets go of the server's namespace; the caller stays in the
/// client's, whose device goes with its other end.
#[derive(Debug)]
pub struct Testbed {
    family: Family,
    client: Mutex<Host>,
    server: Mutex<Host>,
    cable: Cabling,
}

/// What is between the ends.
#[derive(Debug)]
enum Cabling {
    /// Nothing but the kernel.
    Veth,
    /// The relay's ends, until it is started.
    Coiled(Cable, [Vec<Tap>; 2]),
    /// The running relay.
    Relay(Relay),
}

impl Testbed {
    /// Makes the namespaces and the link, and moves the calling thread into the client's
    /// namespace. Call it before the process has a second thread: threads keep the namespace in
    /// which they were started, and an ordinary user's process, which needs a user namespace
    /// first, gets none while it has two.
    ///
    /// # Errors
    /// When the settings contradict each other, or when a right, a kernel feature or `tc` is
    /// missing. Then the thread is back in the namespace in which it was, where the rights allow
    /// that (as root), else in an empty one with a loopback.
    pub fn create(link: &Link, family: Family) -> Result<Self, TestbedError> {
        wire::check(link, family)?;
        let shaped = !shaping::commands(link, wire::device(End::Client))?.is_empty();
        let tc = shaped.then(Tc::find).transpose()?;
        let home = NetNs::current().map_err(TestbedError::system(
            "open /proc/thread-self/ns/net",
            "mount /proc",
        ))?;
        Self::make(link, family, tc.as_ref()).inspect_err(|_| {
            // As documented; where it fails there is nothing more to be done.
            let _ = home.enter();
        })
    }

    fn make(link: &Link, family: Family, tc: Option<&Tc>) -> Result<Self, TestbedError> {
        let mut server = first_host(End::Server)?;
        let relayed = wire::is_relayed(link);
        let server_taps = relayed.then(|| server.add_taps(link)).transpose()?;
        let mut client = Host::unshare(End::Client)?;
        let client_taps = relayed.then(|| client.add_taps(link)).transpose()?;
        let cable = match (client_taps, server_taps) {
            (Some(client), Some(server)) => Cabling::Coiled(Cable::of(link), [client, server]),
            _ => {
                client.add_veth(link, &server)?;
                Cabling::Veth
            }
        };
        server.enter()?;
        server.set_up(link, family, tc)?;
        client.enter()?;
        client.set_up(link, family, tc)?;
        client.wait_until_it_carries(family)?;
        server.wait_until_it_carries(family)?;
        Ok(Self {
            family,
            client: Mutex::new(client),
            server: Mutex::new(server),
            cable,
        })
    }

    /// Starts the relay's thread, if the link has a delay or a loss. Until then such a link
    /// carries nothing. Call it when all else of the process is in place that its threads
    /// inherit, such as the signal mask.
    ///
    /// # Errors
    /// When the system has no thread or descriptor left.
    pub fn start(&mut self) -> Result<(), TestbedError> {
        self.cable = match std::mem::replace(&mut self.cable, Cabling::Veth) {
            Cabling::Coiled(cable, [client, server]) => {
                Cabling::Relay(Relay::start(client, server, cable).map_err(
                    TestbedError::system("start the relay", "leave out delay and loss"),
                )?)
            }
            started => started,
        };
        Ok(())
    }

    /// An end's address.
    pub fn address(&self, end: End) -> IpAddr {
        wire::address(end, self.family).0
    }

    /// The name of the link's device at an end.
    pub fn device(&self, end: End) -> &'static str {
        wire::device(end)
    }

    /// Makes `command` run on the server's host, and end when the calling thread ends, however
    /// that comes about. So start it from the main thread.
    ///
    /// # Errors
    /// When the process has no descriptor left.
    pub fn place_on_server(&self, command: &mut Command) -> Result<(), TestbedError> {
        child::in_netns(command, self.host(End::Server).netns()).map_err(TestbedError::system(
            "hold the server's network namespace",
            "raise the limit of open files",
        ))?;
        child::die_with_parent(command);
        Ok(())
    }

    /// Moves the calling thread to the server's host.
    ///
    /// # Errors
    /// When the right to do so was given up.
    pub fn enter_server(&self) -> Result<(), TestbedError> {
        self.host(End::Server).enter()
    }

    /// Moves the calling thread to the host at that end.
    ///
    /// # Errors
    /// When the right to do so was given up.
    pub fn enter(&self, end: End) -> Result<(), TestbedError> {
        self.host(end).enter()
    }

    /// What the link's device at an end counted so far.
    ///
    /// # Errors
    /// When the device is gone.
    pub fn counters(&self, end: End) -> Result<InterfaceCounters, TestbedError> {
        self.host(end).counters()
    }

    /// Interrupts the link, or puts it together again. Packets that are sent meanwhile are lost;
    /// with a relay, packets that are on their way then still arrive.
    ///
    /// # Errors
    /// When the device is gone.
    pub fn set_down(&self, down: bool) -> Result<(), TestbedError> {
        if let Cabling::Relay(relay) = &self.cable {
            relay.set_down(down);
            return Ok(());
        }
        // The client's end keeps its address and its routes, and loses its carrier.
        let mut server = self.host(End::Server);
        server.set_link_up(!down)?;
        if down {
            return Ok(());
        }
        server.add_address(self.family)?;
        server.wait_until_it_carries(self.family)?;
        self.host(End::Client).wait_until_it_carries(self.family)
    }

    /// What the relay carried, lost and dropped; none without a relay.
    pub fn relay_counts(&self) -> Option<RelayCounts> {
        self.relay().map(Relay::counts)
    }

    /// CPU time that the relay's thread used; part of the client process's. None without a relay.
    pub fn relay_cpu(&self) -> Option<Nanos> {
        self.relay()?.cpu()
    }

    fn relay(&self) -> Option<&Relay> {
        match &self.cable {
            Cabling::Relay(relay) => Some(relay),
            _ => None,
        }
    }

    fn host(&self, end: End) -> MutexGuard<'_, Host> {
        let host = match end {
            End::Client => &self.client,
            End::Server => &self.server,
        };
        // A panic elsewhere leaves at worst an answer unread, which the next question skips.
        host.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first namespace, in a user namespace of our own where it needs that.
fn first_host(end: End) -> Result<Host, TestbedError> {
    match Host::unshare(end) {
        Err(TestbedError::System { answer, .. })
            if answer.kind() == io::ErrorKind::PermissionDenied =>
        {
            netns::unshare_user().map_err(TestbedError::system("make a user namespace", RIGHTS))?;
            Host::unshare(end)
        }
        answer => answer,
    }
}
