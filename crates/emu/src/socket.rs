//! What Linux says of a socket: the `TCP_INFO` of a connection, asked through the diagnosis interface of netlink
//! (sock_diag(7)), as the tool `ss` does.

use std::io;
use std::net::{IpAddr, Ipv4Addr};

use multihop_proto::units::Dur;
use netlink_packet_core::{NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload};
use netlink_packet_sock_diag::SockDiagMessage;
use netlink_packet_sock_diag::constants::{AF_INET, IPPROTO_TCP};
use netlink_packet_sock_diag::inet::nlas::{Nla, TcpInfo};
use netlink_packet_sock_diag::inet::{ExtensionFlags, InetRequest, SocketId, StateFlags};
use netlink_sys::protocols::NETLINK_SOCK_DIAG;
use netlink_sys::{Socket, SocketAddr};

use crate::layer::Times;

/// What Linux knows of the times of a connection.
impl From<&TcpInfo> for Times {
    fn from(info: &TcpInfo) -> Self {
        let us = |us: u32| Dur::from_us(u64::from(us));
        Self { rto: us(info.rto), srtt: us(info.rtt) }
    }
}

/// Asks about the sockets of one network namespace.
pub(crate) struct Sockets(Socket);

impl std::fmt::Debug for Sockets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sockets")
    }
}

impl Sockets {
    /// For the namespace of the calling thread.
    pub(crate) fn here() -> io::Result<Self> {
        let mut socket = Socket::new(NETLINK_SOCK_DIAG)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        Ok(Self(socket))
    }

    /// The times of a connection; none if there is no such connection.
    pub(crate) fn times(&self, here: [u8; 4], there: [u8; 4], ports: (u16, u16)) -> Option<Times> {
        self.ask(here, there, ports).map(|(info, _)| Times::from(&info))
    }

    /// The state of a connection and the name of its congestion control; none if there is no such connection.
    pub(crate) fn ask(&self, here: [u8; 4], there: [u8; 4], ports: (u16, u16)) -> Option<(TcpInfo, String)> {
        let address = |address| IpAddr::V4(Ipv4Addr::from(address));
        let mut header = NetlinkHeader::default();
        header.flags = NLM_F_REQUEST;
        let request = InetRequest {
            family: AF_INET,
            protocol: IPPROTO_TCP,
            extensions: ExtensionFlags::INFO | ExtensionFlags::CONG,
            states: StateFlags::all(),
            socket_id: SocketId {
                source_port: ports.0,
                destination_port: ports.1,
                source_address: address(here),
                destination_address: address(there),
                interface_id: 0,
                cookie: [0xff; 8], // any
            },
        };
        let mut message = NetlinkMessage::new(header, SockDiagMessage::InetRequest(request).into());
        message.finalize();
        let mut bytes = vec![0; message.buffer_len()];
        message.serialize(&mut bytes);
        self.0.send(&bytes, 0).ok()?;
        let (answer, _) = self.0.recv_from_full().ok()?;
        let answer = NetlinkMessage::<SockDiagMessage>::deserialize(&answer).ok()?;
        let NetlinkPayload::InnerMessage(SockDiagMessage::InetResponse(response)) = answer.payload else {
            return None;
        };
        let (mut info, mut control) = (None, String::new());
        for nla in response.nlas {
            match nla {
                Nla::TcpInfo(told) => info = Some(told),
                Nla::Congestion(name) => control = name,
                _ => {}
            }
        }
        Some((info?, control))
    }
}
