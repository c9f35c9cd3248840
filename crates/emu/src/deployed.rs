//! The layer below the connections of a real host.
//!
//! Two BPF programs in the kernel hand their segments to a TUN device: `leaving` those that TCP sends by a device of
//! the host, `arriving` those that come for it. The layer reads them there. What it lets pass, and what it says itself,
//! goes on by a raw socket and has a mark, so that the programs do not take it again.
//!
//! ```text
//!     TCP ── leaving ──► TUN ─► layer ─► raw socket, by the routes of the host ──► network
//!     TCP ◄── loopback ◄─ raw socket ◄─ layer ◄─ TUN ◄── arriving ────────────── network
//! ```
//!
//! It hears that there is no route from ICMP, from the routes of the host, and from a raw socket that finds none.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::Arc;

use multihop_proto::shim::{Beginning, Counters, ShimConfig};
use multihop_proto::units::{Dur, NodeId, SimTime};
use netlink_packet_route::link::LinkAttribute;
use nix::errno::Errno;
use nix::net::if_::if_nametoindex;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags};
use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, SockaddrIn, sendto, setsockopt, socket,
    sockopt,
};
use nix::unistd::read;
use tappers::{Interface, Tun};

use crate::clock::Clock;
use crate::datagram::{Seen, Way, read_named};
use crate::host::{absent, forget, set};
use crate::icmp;
use crate::layer::{Layers, Output, Times, Verdict, is_told};
use crate::netlink::{Routes, has_route, up};
use crate::socket::Sockets;

/// Name of the TUN device.
const DEVICE: &str = "multihop0";
/// Segments that wait for this process at most: 10 ms at 50 000 a second are 500.
const QUEUE: u32 = 10_000;
/// The longest datagram of IPv4.
const LONGEST: usize = 65_535;
/// Reads of one socket before the others have their turn.
const MOST_AT_ONCE: usize = 64;
/// How often it asks which connections are over.
const LOOK: Dur = Dur::from_secs(5);

/// What there is to wait for.
#[derive(Clone, Copy)]
enum Source {
    Segments,
    Messages,
    Routes,
}

/// The layer below the connections that this host opens or accepts from now on.
pub struct Deployed {
    layers: Layers,
    /// Counted by layers of connections that are over, by public name.
    over: Counts,
    sockets: Sockets,
    clock: Clock,
    epoll: Epoll,
    /// The TUN device: a read takes a segment.
    segments: OwnedFd,
    /// A copy of each message of ICMP for this host.
    messages: OwnedFd,
    routes: Routes,
    /// Sends datagrams as they are.
    raw: OwnedFd,
    /// When it looks for connections that are over.
    look: SimTime,
    room: Vec<u8>,
}

/// Counts by public name.
type Counts = BTreeMap<&'static str, u64>;

fn add(sum: &mut Counts, counters: Counters) {
    counters.each(&mut |name, count| *sum.entry(name).or_default() += count);
}

/// A host of the Internet has its address for a name.
fn named(address: [u8; 4]) -> Option<NodeId> {
    let address = Ipv4Addr::from(address);
    let is_one = !(address.is_multicast() || address.is_broadcast() || address.is_unspecified());
    is_one.then(|| NodeId(address.to_bits()))
}

/// The connection of a segment as its receiver sees it.
fn reversed((from, to, ports): Way) -> Way {
    (to, from, (ports.1, ports.0))
}

/// What Linux knows of a connection; none if it has none.
fn times(sockets: &Sockets, (here, there, ports): Way) -> Option<Times> {
    sockets.times(here.0.to_be_bytes(), there.0.to_be_bytes(), ports)
}

impl Deployed {
    /// Makes the TUN device and its sockets, in the namespace of the calling thread. What the layer sends has this
    /// mark.
    ///
    /// # Errors
    /// A sentence on a technique that has no form for a real host, or on what Linux refuses.
    pub fn new(shim: &ShimConfig, mark: u32) -> Result<Self, String> {
        if !is_told(shim) {
            return Err("a real host does not tell it what it needs".to_owned());
        }
        Self::made(shim, mark).map_err(|error| match error.kind() {
            io::ErrorKind::PermissionDenied => {
                "the layer needs the capabilities CAP_NET_ADMIN and CAP_NET_RAW (`sudo`)".to_owned()
            }
            io::ErrorKind::ResourceBusy => {
                format!(
                    "there is a device {DEVICE} already: the layer stands below this host's TCP only once"
                )
            }
            _ => format!("the layer cannot be put below TCP: {error}"),
        })
    }

    fn made(shim: &ShimConfig, mark: u32) -> io::Result<Self> {
        // What is told on a real host asks for nothing of this.
        let ends = (NodeId::BROADCAST, NodeId::BROADCAST);
        let beginning =
            Beginning { rto: Dur::from_secs(1), ssthresh: f64::INFINITY, ends, receive_threshold: 0.0 };
        let Some(layers) = Layers::new(shim, beginning, named) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let raw = raw(SockProtocol::Raw)?;
        setsockopt(&raw, sockopt::Mark, &mark)?;
        let (segments, messages, routes) = (device()?, self::raw(SockProtocol::Icmp)?, Routes::watched()?);
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        let mut over = Counts::new();
        add(&mut over, Counters::default());
        let sources = [
            (segments.as_fd(), Source::Segments),
            (messages.as_fd(), Source::Messages),
            (routes.descriptor(), Source::Routes),
        ];
        for (descriptor, source) in sources {
            epoll.add(descriptor, EpollEvent::new(EpollFlags::EPOLLIN, source as u64))?;
        }
        Ok(Self {
            layers,
            over,
            sockets: Sockets::here()?,
            clock: Clock::start()?,
            epoll,
            segments,
            messages,
            routes,
            raw,
            look: SimTime::ZERO + LOOK,
            room: vec![0; LONGEST],
        })
    }

    /// Number of the TUN device, for the BPF programs.
    ///
    /// # Errors
    /// A sentence, if the device has been removed.
    pub fn device(&self) -> Result<u32, String> {
        if_nametoindex(DEVICE).map_err(|error| format!("{DEVICE}: {}", error.desc()))
    }

    /// Works for that long.
    ///
    /// # Errors
    /// A sentence on what Linux refuses.
    pub fn work(&mut self, time: Dur) -> Result<(), String> {
        self.follow(time).map_err(|error| format!("the layer had to stop: {}", error.desc()))
    }

    fn follow(&mut self, time: Dur) -> Result<(), Errno> {
        let end = self.clock.now()? + time;
        let mut ready = [EpollEvent::empty(); 3];
        loop {
            let now = self.clock.now()?;
            self.due(now);
            if now >= end {
                return Ok(());
            }
            let next = self.layers.next_at().min(self.look).min(end);
            let wait = next.saturating_since(now).as_ns().div_ceil(1_000_000); // [ms]
            let count = match self.epoll.wait(&mut ready, u16::try_from(wait).unwrap_or(u16::MAX)) {
                Err(Errno::EINTR) => 0,
                told => told?,
            };
            for event in &ready[..count] {
                match event.data() {
                    data if data == Source::Segments as u64 => self.take_segments()?,
                    data if data == Source::Messages as u64 => self.take_messages()?,
                    _ => self.follow_routes()?,
                }
            }
        }
    }

    /// What timers do.
    fn due(&mut self, now: SimTime) {
        let mut outputs = Vec::new();
        self.layers.due(now, |way| times(&self.sockets, way), &mut outputs);
        self.pass_on(outputs);
        if self.look <= now {
            self.look = now + LOOK;
            let is_over = |way: &Way| !self.layers.is_at_work(*way) && times(&self.sockets, *way).is_none();
            let over: Vec<Way> = self.layers.ways().filter(is_over).collect();
            over.into_iter().for_each(|way| self.end(now, way));
        }
    }

    /// A connection is over.
    fn end(&mut self, now: SimTime, way: Way) {
        let mut outputs = Vec::new();
        self.layers.end(now, way, &mut outputs);
        let counted = self.layers.counts.remove(&way).unwrap_or_default();
        add(&mut self.over, counted);
        self.pass_on(outputs);
    }

    /// One read of a descriptor that does not wait; none if there is nothing.
    fn next(room: &mut [u8], of: &OwnedFd) -> Result<Option<Arc<[u8]>>, Errno> {
        match read(of, room) {
            Ok(length) => Ok(Some(room[..length].into())),
            Err(Errno::EAGAIN | Errno::EINTR) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn take_segments(&mut self) -> Result<(), Errno> {
        for _ in 0..MOST_AT_ONCE {
            let Some(bytes) = Self::next(&mut self.room, &self.segments)? else { break };
            let now = self.clock.now()?;
            match read_named(&bytes, named) {
                Some(seen) => self.take(now, &seen, &bytes),
                None => self.pass(&bytes).unwrap_or(()), // the other side will say what is wrong with it
            }
        }
        Ok(())
    }

    /// A segment leaves or arrives.
    fn take(&mut self, now: SimTime, seen: &Seen, bytes: &Arc<[u8]>) {
        let (way, mut outputs) = (seen.way(), Vec::new());
        let leaves = !self.layers.knows(reversed(way));
        let verdict = if leaves {
            self.layers.leaving(now, seen, bytes, &mut outputs)
        } else {
            let times = |way| times(&self.sockets, way);
            self.layers.arriving(now, (seen.destination, 0.0), bytes, times, &mut outputs)
        };
        self.pass_on(outputs);
        let passed = match verdict {
            Verdict::Swallow => Ok(()),
            Verdict::Replace(other) => self.pass(&other),
            Verdict::Pass => self.pass(bytes),
        };
        if leaves && matches!(passed, Err(Errno::ENETUNREACH | Errno::EHOSTUNREACH)) {
            self.unreachable(now, way);
        }
    }

    fn take_messages(&mut self) -> Result<(), Errno> {
        for _ in 0..MOST_AT_ONCE {
            let Some(bytes) = Self::next(&mut self.room, &self.messages)? else { break };
            if let Some(way) = icmp::about(&bytes, named) {
                self.unreachable(self.clock.now()?, way);
            }
        }
        Ok(())
    }

    /// Routes have changed: some connections may have none.
    fn follow_routes(&mut self) -> Result<(), Errno> {
        self.routes.drain();
        let now = self.clock.now()?;
        let mut without: Vec<Way> = self.layers.ways().collect();
        without.sort_by_key(|way| way.1);
        let mut asked: Option<(NodeId, bool)> = None;
        without.retain(|&(_, there, _)| {
            let known = asked.filter(|(node, _)| *node == there);
            let (_, has) = known.unwrap_or_else(|| (there, has_route(Ipv4Addr::from_bits(there.0))));
            asked = Some((there, has));
            !has
        });
        without.into_iter().for_each(|way| self.unreachable(now, way));
        Ok(())
    }

    /// A connection has no route.
    fn unreachable(&mut self, now: SimTime, way: Way) {
        let mut outputs = Vec::new();
        self.layers.unreachable(now, way, times(&self.sockets, way), &mut outputs);
        self.pass_on(outputs);
    }

    /// The outputs of layers go to TCP or into the network, as their header says. A datagram without a route is lost:
    /// the layer sends it again.
    fn pass_on(&self, outputs: Vec<Output>) {
        for output in outputs {
            let _ = match output {
                Output::Host(_, bytes) => self.pass(&bytes),
                Output::Network(_, bytes) => self.pass(&bytes),
            };
        }
    }

    /// Sends a datagram where its header says.
    fn pass(&self, bytes: &[u8]) -> Result<(), Errno> {
        let Some(&[a, b, c, d]) = bytes.get(16..20) else { return Err(Errno::EINVAL) };
        let to = SockaddrIn::from(SocketAddrV4::new(Ipv4Addr::new(a, b, c, d), 0));
        sendto(self.raw.as_raw_fd(), bytes, &to, MsgFlags::MSG_DONTWAIT).map(|_| ())
    }

    /// What all layers have counted, by public name.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        let mut sum = self.over.clone();
        self.layers.counts.values().for_each(|&counts| add(&mut sum, counts));
        sum
    }

    /// Takes the layer away. Connections whose segments only the layer has are reset, and counted here.
    ///
    /// # Errors
    /// A sentence, if there is no clock.
    pub fn finish(&mut self) -> Result<usize, String> {
        let now = self.clock.now().map_err(|error| error.desc().to_owned())?;
        let ways: Vec<Way> = self.layers.ways().collect();
        let lost = ways.iter().filter(|&&way| self.layers.is_at_work(way)).count();
        ways.into_iter().for_each(|way| self.end(now, way));
        Ok(lost)
    }
}

/// A raw socket that does not wait.
fn raw(protocol: SockProtocol) -> io::Result<OwnedFd> {
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    Ok(socket(AddressFamily::Inet, SockType::Raw, flags, protocol)?)
}

/// Makes the TUN device. It has no address, and lives as long as what this returns.
fn device() -> io::Result<OwnedFd> {
    let mut made = Tun::new_named(Interface::new(DEVICE)?)?;
    made.set_nonblocking(true)?;
    let descriptor = made.as_fd().try_clone_to_owned()?;
    forget(made.as_raw_fd(), made)?;
    set(&format!("net/ipv6/conf/{DEVICE}/disable_ipv6"), "1").or_else(absent)?;
    let attributes = vec![LinkAttribute::TxQueueLen(QUEUE), LinkAttribute::Mtu(LONGEST as u32)];
    up(if_nametoindex(DEVICE)?, attributes)?;
    Ok(descriptor)
}

#[cfg(test)]
mod tests {
    use multihop_proto::shim::ShimKind;

    use super::*;

    #[test]
    fn hosts_have_their_addresses_for_names() {
        assert_eq!(named([192, 0, 2, 1]), Some(NodeId(0xc000_0201)));
        for address in [[0; 4], [255; 4], [224, 0, 0, 251]] {
            assert_eq!(named(address), None, "{address:?}");
        }
    }

    #[test]
    fn what_needs_signals_of_the_network_is_refused() {
        let elfn = ShimConfig { kind: ShimKind::Elfn, ..ShimConfig::default() };
        assert!(Deployed::new(&elfn, 1).is_err_and(|why| why.contains("does not tell it")));
    }
}
