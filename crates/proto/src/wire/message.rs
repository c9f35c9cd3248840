//! What routing and address resolution send: whose messages and headers they are, and what carries them.

/// Whose message, or whose header between IP and transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Destination-sequenced distance vector.
    Dsdv,
    /// Dynamic Source Routing.
    Dsr,
    /// Ad hoc on-demand distance vector, RFC 3561.
    Aodv,
    /// Flexible Radio Network: it has no number of its own, RFC 3692's second for experiments stands for it.
    Frn,
    /// Hop-by-hop rate control: notes between IP and TCP, under the same number as [`Self::Experimental`].
    HopRate,
    /// Address resolution, RFC 826.
    Arp,
    /// Another network stack: whole frames of Ethernet, whose header the link replaces by its own.
    Ethernet,
    /// ATP, a transport: it has no number of its own, RFC 3692's first for experiments stands for it.
    Atp,
    /// Machines from outside this crate: RFC 3692's first number for experiments.
    Experimental,
}

/// What carries the messages of a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Carriage {
    /// UDP from this port to this port.
    Udp(u16),
    /// IP itself, under this protocol number.
    Ip(u8),
    /// The link layer itself, under this EtherType.
    Link(u16),
    /// The link layer itself: the message is a frame of Ethernet, which has its EtherType.
    Frame,
}

impl Protocol {
    /// Whose message a frame of another network stack with this EtherType is.
    #[must_use]
    pub const fn of_frame(ether_type: u16) -> Self {
        match Self::Arp.carriage() {
            Carriage::Link(own) if own == ether_type => Self::Arp,
            _ => Self::Ethernet,
        }
    }

    /// Whether it stands between the network layer and the link, so that routing knows nothing of its packets.
    #[inline]
    #[must_use]
    pub const fn is_below_routing(self) -> bool {
        matches!(self, Self::Arp)
    }

    /// What carries its messages. A header between IP and transport needs [`Carriage::Ip`].
    #[must_use]
    pub const fn carriage(self) -> Carriage {
        match self {
            Self::Dsdv => Carriage::Udp(65_535), // no flow has this port
            Self::Dsr => Carriage::Ip(48),       // RFC 4728 §10
            Self::Aodv => Carriage::Udp(654),    // RFC 3561 §1
            Self::Frn => Carriage::Ip(254),
            Self::Arp => Carriage::Link(0x0806), // RFC 826
            Self::Ethernet => Carriage::Frame,
            Self::HopRate | Self::Atp | Self::Experimental => Carriage::Ip(253),
        }
    }
}
