//! The host of a node: a network namespace with one TUN or TAP device in it.

use std::fs::File;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};

use multihop_proto::tcp::EcnMode;
use multihop_proto::units::NodeId;
use multihop_proto::wire::address::{ipv4, mac};
use netlink_packet_route::address::{AddressAttribute, AddressMessage};
use netlink_packet_route::link::LinkAttribute;
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use nix::net::if_::if_nametoindex;
use nix::sched::{CloneFlags, unshare};
use tappers::{Interface, Tap, Tun};

use crate::device::Device;
use crate::netlink::{change, up};
use crate::socket::Sockets;

/// A node as programs find it.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Number of the file descriptor of its network namespace in this process.
    pub namespace: i32,
    /// Its IPv4 address.
    pub address: [u8; 4],
}

/// Name of the device in each namespace.
const DEVICE: &str = "air0";
/// Bits of the network that all nodes are in, see [`ipv4`].
const NETMASK: u8 = 8;
/// Bits of a network with one node in it.
const ALONE: u8 = 32;
/// Packets that wait for this process at most, for each host. Linux has 500 by default: those are full in 10 ms at 50
/// 000 a second, and a process without real-time priority may wait longer for its processor.
const QUEUE: u32 = 10_000;
/// Index of the loopback device in every namespace.
const LOOPBACK: u32 = 1;

/// The host of one node. Its namespace lives as long as this, or a program in it.
pub(crate) struct Host {
    /// The namespace.
    pub(crate) namespace: OwnedFd,
    /// The device: a read takes a datagram that the stack sends, a write gives it one; neither waits.
    pub(crate) device: OwnedFd,
    /// What its sockets do; taken by what asks.
    pub(crate) sockets: Option<Sockets>,
}

/// Makes the hosts of so many nodes. The calling thread stays in its own namespace.
///
/// # Errors
/// A sentence, with what to do.
pub(crate) fn hosts(count: usize, device: Device, ecn: EcnMode) -> Result<Vec<Host>, String> {
    let make =
        move || (0..).take(count).map(|node| host(NodeId(node), device, ecn)).collect::<io::Result<Vec<_>>>();
    // A thread of its own: it goes from namespace to namespace, and no other thread with it.
    #[allow(clippy::disallowed_methods)]
    let made = std::thread::spawn(make).join();
    match made {
        Ok(made) => made.map_err(|error| refused(&error)),
        Err(_) => Err("the network namespaces cannot be made: the engine has a fault".to_owned()),
    }
}

/// Makes a host, and leaves the calling thread in its namespace.
fn host(node: NodeId, device: Device, ecn: EcnMode) -> io::Result<Host> {
    unshare(CloneFlags::CLONE_NEWNET)?;
    let namespace = open("/proc/thread-self/ns/net")?;
    set("net/ipv4/tcp_no_metrics_save", "1").or_else(absent)?; // no run learns from the one before
    set("net/ipv4/tcp_ecn", switch(ecn)).map_err(|error| match ecn {
        EcnMode::Accurate => io::Error::other(format!(
            "its TCP has no accurate ECN ({error}), which `tcp.ecn = true` does not need"
        )),
        EcnMode::Off | EcnMode::Classic => error,
    })?;
    set("net/ipv4/conf/all/rp_filter", "0")?;
    let descriptor = match device {
        Device::Tun => tun()?,
        Device::Tap => tap()?,
    };
    set(&format!("net/ipv4/conf/{DEVICE}/rp_filter"), "0")?;
    let index = if_nametoindex(DEVICE)?;
    change(RouteNetlinkMessage::NewAddress(address(index, ipv4(node), device)))?;
    up(LOOPBACK, vec![])?; // a node's own address is reached through it
    let mut attributes = vec![LinkAttribute::TxQueueLen(QUEUE)];
    if device == Device::Tap {
        attributes.push(LinkAttribute::Address(mac(node).to_vec()));
    }
    up(index, attributes)?;
    Ok(Host { namespace, device: descriptor, sockets: Some(Sockets::here()?) })
}

/// The value of `net.ipv4.tcp_ecn`.
const fn switch(ecn: EcnMode) -> &'static str {
    match ecn {
        EcnMode::Off => "2", // only when the other side asks for it
        EcnMode::Classic => "1",
        EcnMode::Accurate => "3",
    }
}

// The edge of the system: these files are its switches.
#[allow(clippy::disallowed_methods)]
pub(crate) fn set(switch: &str, value: &str) -> io::Result<()> {
    std::fs::write(format!("/proc/sys/{switch}"), value)
}

/// A kernel that does not have a switch does not do what it is for.
pub(crate) fn absent(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

#[allow(clippy::disallowed_methods)]
pub(crate) fn open(path: &str) -> io::Result<OwnedFd> {
    File::open(path).map(OwnedFd::from)
}

/// Makes a TUN device in the namespace of the calling thread. It lives as long as what this returns.
fn tun() -> io::Result<OwnedFd> {
    set("net/ipv6/conf/all/disable_ipv6", "1").or_else(absent)?;
    set("net/ipv6/conf/default/disable_ipv6", "1").or_else(absent)?;
    let mut made = Tun::new_named(Interface::new(DEVICE)?)?;
    made.set_nonblocking(true)?;
    let descriptor = made.as_fd().try_clone_to_owned()?;
    forget(made.as_raw_fd(), made)?;
    // A node's own word that a host is unreachable comes in by the device, from its own address.
    set(&format!("net/ipv4/conf/{DEVICE}/accept_local"), "1")?;
    Ok(descriptor)
}

/// Makes a TAP device in the namespace of the calling thread, whose kernel forwards. It lives as long as what this
/// returns.
fn tap() -> io::Result<OwnedFd> {
    set("net/ipv4/ip_forward", "1")?;
    // A relay sends most packets out by the device by which they came. That is no detour on a radio.
    for scope in ["all", "default"] {
        set(&format!("net/ipv4/conf/{scope}/send_redirects"), "0")?;
        set(&format!("net/ipv4/conf/{scope}/accept_redirects"), "0")?;
        set(&format!("net/ipv6/conf/{scope}/disable_ipv6"), "0").or_else(absent)?;
        set(&format!("net/ipv6/conf/{scope}/forwarding"), "1").or_else(absent)?;
        set(&format!("net/ipv6/conf/{scope}/accept_redirects"), "0").or_else(absent)?;
        // No two nodes have the same address, and a daemon that starts at once needs its own.
        set(&format!("net/ipv6/conf/{scope}/accept_dad"), "0").or_else(absent)?;
    }
    let mut made = Tap::new_named(Interface::new(DEVICE)?)?;
    made.set_nonblocking(true)?;
    let descriptor = made.as_fd().try_clone_to_owned()?;
    forget(made.as_raw_fd(), made)?;
    Ok(descriptor)
}

/// Closes a device that has been cloned: tappers 0.4.2 closes nothing unless debug assertions are on, as its `close`
/// stands inside of one.
pub(crate) fn forget<T>(descriptor: RawFd, device: T) -> io::Result<()> {
    std::mem::forget(device);
    Ok(nix::unistd::close(descriptor)?)
}

/// A device gets an address. Behind a TUN device, all nodes are in one network; behind a TAP device, none is until a
/// routing daemon says where it is.
fn address(index: u32, address: [u8; 4], device: Device) -> AddressMessage {
    let length = match device {
        Device::Tun => NETMASK,
        Device::Tap => ALONE,
    };
    let mut message = AddressMessage::default();
    (message.header.family, message.header.prefix_len) = (AddressFamily::Inet, length);
    message.header.index = index;
    let address = IpAddr::V4(Ipv4Addr::from(address));
    message.attributes = vec![AddressAttribute::Local(address), AddressAttribute::Address(address)];
    message
}

/// Why hosts cannot be made.
fn refused(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "an emulation makes network namespaces, for which it needs the capabilities \
             CAP_NET_ADMIN and CAP_SYS_ADMIN. Start it with `sudo`, or with `sudo setpriv --reuid \"$(id -u)\" --regid \
             \"$(id -g)\" --init-groups --inh-caps +net_admin,+sys_admin --ambient-caps +net_admin,+sys_admin` before \
             the command"
            .to_owned(),
        io::ErrorKind::NotFound => format!(
            "an emulation needs TUN and TAP devices, and this kernel or container has none ({error}): `modprobe tun` loads \
             them, and a container needs the device /dev/net/tun"
        ),
        _ => format!(
            "the network namespaces of the emulation cannot be made: {error}. A smaller network needs fewer files: \
             `ulimit -n` says how many may be open, and a node takes three"
        ),
    }
}
