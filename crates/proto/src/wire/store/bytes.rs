//! The bytes of packets that stay in the store: messages, headers of other transports, whole datagrams, headers of
//! routing. And the codepoints of flows, which no packet carries itself.

use std::sync::Arc;

use super::PacketStore;
use crate::units::{Bytes, FlowId};
use crate::wire::{
    BodyId, Carriage, Carried, Datagram, Dscp, Opaque, PacketId, Payload, Protocol, RoutingHeader,
};

/// Length of an IPv4 header without options (RFC 791 §3.1).
const IPV4: u32 = 20;

/// Where the codepoint of a flow stands; of no flow, at the beginning.
const fn place_of(flow: FlowId) -> usize {
    flow.0.wrapping_add(1) as usize
}

impl PacketStore {
    /// A payload with these bytes, for one [`Self::create`]: they live as long as a copy of that packet.
    pub fn payload(&mut self, protocol: Protocol, message: Arc<[u8]>) -> Payload {
        Payload::Message { protocol, body: self.bodies.add(message) }
    }

    /// A packet of another transport than TCP and UDP with this header and `len` bytes of payload, for one
    /// [`Self::create`].
    pub fn transport(&mut self, protocol: Protocol, number: u64, len: u32, header: Arc<[u8]>) -> Payload {
        Payload::Transport(Datagram { protocol, number, len, body: self.bodies.add(header) })
    }

    /// A datagram of another IP stack with these bytes, IP header included, for one [`Self::create`]. `seen` says what
    /// is to be known of it, given the place of its bytes.
    pub fn opaque(&mut self, bytes: Arc<[u8]>, seen: impl FnOnce(BodyId) -> Opaque) -> Payload {
        Payload::Opaque(seen(self.bodies.add(bytes)))
    }

    /// Gives this copy other bytes in the place of its message, transport header or datagram, as long as those: what a
    /// node on the way notes there. Other copies keep theirs.
    ///
    /// # Panics
    /// If it has none, or of another length.
    pub fn rewrite(&mut self, id: PacketId, bytes: Arc<[u8]>) {
        let old = self.places.packet(id).payload.body().expect("a packet with bytes in the store");
        assert_eq!(self.bodies.get(old).map(|old| old.len()), Some(bytes.len()), "sizes are settled");
        let new = self.bodies.add(bytes);
        self.bodies.hold(new);
        self.bodies.release(old);
        match &mut self.places.packet_mut(id).payload {
            Payload::Message { body, .. }
            | Payload::Transport(Datagram { body, .. })
            | Payload::Opaque(Opaque { body, .. }) => *body = new,
            Payload::Tcp(_) | Payload::Udp(_) | Payload::Signal(_) => {}
        }
    }

    /// Gives this copy of a routing message another body and size, as a relay does that adds to it. Other copies keep
    /// theirs.
    ///
    /// # Panics
    /// If it is no routing message.
    pub fn set_message(&mut self, id: PacketId, bytes: Arc<[u8]>, size: Bytes) {
        let new = self.bodies.add(bytes);
        self.bodies.hold(new);
        let packet = self.places.packet_mut(id);
        let Payload::Message { body, .. } = &mut packet.payload else { panic!("a routing message") };
        self.bodies.release(std::mem::replace(body, new));
        packet.size = size;
    }

    /// The bytes of a routing message, of the header of another transport than TCP and UDP, or of a whole datagram of
    /// another stack; none for other packets.
    #[must_use]
    pub fn message(&self, id: PacketId) -> Option<&Arc<[u8]>> {
        self[id].payload.body().and_then(|body| self.bodies.get(body))
    }

    /// Length of a packet with this payload after its IP header, but for TCP.
    #[must_use]
    pub(crate) fn length(&self, payload: &Payload) -> u32 {
        let body = payload.body().and_then(|body| self.bodies.get(body));
        let bytes = body.map_or(0, |bytes| u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        match payload {
            Payload::Udp(datagram) => 8 + datagram.len,
            Payload::Transport(datagram) => bytes.saturating_add(datagram.len),
            Payload::Opaque(datagram) => bytes.saturating_sub(IPV4 + u32::from(datagram.head)),
            Payload::Tcp(_) | Payload::Signal(_) | Payload::Message { .. } => bytes,
        }
    }

    /// The bytes of a packet's routing header, if it has one.
    #[must_use]
    pub fn header(&self, id: PacketId) -> Option<&Arc<[u8]>> {
        self[id].header.and_then(|header| self.bodies.get(header.body))
    }

    /// Gives this copy another routing header, or none; its length changes by the difference. Other copies keep
    /// theirs.
    pub fn set_header(&mut self, id: PacketId, header: Option<(Protocol, Arc<[u8]>)>) {
        let length = |bytes: &[u8]| Bytes(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        let packet = self.places.packet_mut(id);
        if let Some(old) = packet.header.take() {
            packet.size -= self.bodies.get(old.body).map_or(Bytes::ZERO, |bytes| length(bytes));
            self.bodies.release(old.body);
        }
        if let Some((protocol, bytes)) = header {
            packet.size += length(&bytes);
            let body = self.bodies.add(bytes);
            self.bodies.hold(body);
            packet.header = Some(RoutingHeader { protocol, cursor: 0, body });
        }
    }

    /// Packets of a flow, or (`FlowId::NONE`) routing messages, carry this codepoint, in both directions.
    pub fn set_dscp(&mut self, flow: FlowId, dscp: Dscp) {
        let place = place_of(flow);
        if self.dscps.len() <= place {
            self.dscps.resize(place + 1, Dscp::DEFAULT);
        }
        self.dscps[place] = dscp;
    }

    /// The codepoint that a packet carries: that of its flow; of a datagram of another IP stack the one in its header.
    #[must_use]
    pub fn dscp(&self, id: PacketId) -> Dscp {
        let packet = &self[id];
        match &packet.payload {
            Payload::Opaque(datagram) => {
                let place = usize::from(datagram.head) + 1;
                let byte = self.bodies.get(datagram.body).and_then(|bytes| bytes.get(place));
                byte.map_or(Dscp::DEFAULT, |&byte| Dscp::of_byte(byte))
            }
            // What IP does not carry has none.
            Payload::Message { protocol, .. }
                if matches!(protocol.carriage(), Carriage::Link(_) | Carriage::Frame) =>
            {
                Dscp::DEFAULT
            }
            _ => self.dscps.get(place_of(packet.flow)).copied().unwrap_or_default(),
        }
    }

    /// A packet with its bytes.
    #[must_use]
    pub fn carried(&self, id: PacketId) -> Carried<'_> {
        Carried {
            packet: &self[id],
            message: self.message(id).map_or(&[], |bytes| bytes),
            header: self.header(id).map_or(&[], |bytes| bytes),
            dscp: self.dscp(id),
        }
    }
}
