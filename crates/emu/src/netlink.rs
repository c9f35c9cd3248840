//! Devices, addresses and routes of the network namespace of the calling thread (rtnetlink(7)).

use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, BorrowedFd};

use netlink_packet_core::{
    NLM_F_ACK, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload,
};
use netlink_packet_route::link::{LinkAttribute, LinkFlags, LinkMessage};
use netlink_packet_route::route::{RouteAddress, RouteAttribute, RouteMessage, RouteType};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use netlink_sys::protocols::NETLINK_ROUTE;
use netlink_sys::{Socket, SocketAddr};

/// Bits of an address that names one host.
const HOST: u8 = 32;
/// Group of messages about routes of IPv4 (RTNLGRP_IPV4_ROUTE of linux/rtnetlink.h).
const ROUTES: u32 = 7;

/// Says something, and returns the first answer.
fn say(what: RouteNetlinkMessage, flags: u16) -> io::Result<NetlinkPayload<RouteNetlinkMessage>> {
    let mut socket = Socket::new(NETLINK_ROUTE)?;
    socket.bind_auto()?;
    socket.connect(&SocketAddr::new(0, 0))?;
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST | flags;
    let mut message = NetlinkMessage::new(header, NetlinkPayload::from(what));
    message.finalize();
    let mut bytes = vec![0; message.buffer_len()];
    message.serialize(&mut bytes);
    socket.send(&bytes, 0)?;
    let (answer, _) = socket.recv_from_full()?;
    let answer = NetlinkMessage::<RouteNetlinkMessage>::deserialize(&answer).map_err(io::Error::other)?;
    match answer.payload {
        NetlinkPayload::Error(error) if error.code.is_some() => Err(error.to_io()),
        payload => Ok(payload),
    }
}

/// Changes a device.
pub(crate) fn change(what: RouteNetlinkMessage) -> io::Result<()> {
    let made = if matches!(what, RouteNetlinkMessage::NewAddress(_)) { NLM_F_CREATE | NLM_F_EXCL } else { 0 };
    say(what, NLM_F_ACK | made).map(|_| ())
}

/// A device goes up.
pub(crate) fn up(index: u32, attributes: Vec<LinkAttribute>) -> io::Result<()> {
    let mut link = LinkMessage::default();
    link.attributes = attributes;
    link.header.index = index;
    (link.header.flags, link.header.change_mask) = (LinkFlags::Up, LinkFlags::Up);
    change(RouteNetlinkMessage::SetLink(link))
}

/// Whether there is a route to a host.
pub(crate) fn has_route(to: Ipv4Addr) -> bool {
    let mut route = RouteMessage::default();
    (route.header.address_family, route.header.destination_prefix_length) = (AddressFamily::Inet, HOST);
    route.attributes = vec![RouteAttribute::Destination(RouteAddress::Inet(to))];
    match say(RouteNetlinkMessage::GetRoute(route), 0) {
        Ok(NetlinkPayload::InnerMessage(RouteNetlinkMessage::NewRoute(route))) => {
            matches!(route.header.kind, RouteType::Unicast | RouteType::Local)
        }
        _ => false,
    }
}

/// Hears when routes change.
pub(crate) struct Routes(Socket);

impl Routes {
    pub(crate) fn watched() -> io::Result<Self> {
        let mut socket = Socket::new(NETLINK_ROUTE)?;
        socket.bind_auto()?;
        socket.add_membership(ROUTES)?;
        socket.set_non_blocking(true)?;
        Ok(Self(socket))
    }

    /// The descriptor to wait for.
    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// Takes what has been said. A socket that has overflowed says so once; routes have changed then too.
    pub(crate) fn drain(&self) {
        while self.0.recv_from_full().is_ok() {}
    }
}
