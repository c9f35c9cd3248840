//! What travels: packets (the network layer's unit), frames (what is on the air), and the store that
//! owns every packet and knows the fate of each.

mod frame;
mod ledger;
mod packet;
mod ranges;
mod store;

pub use frame::{Frame, FrameKind, Part};
pub use ledger::{Absorbed, DropReason, Fate, FlowLedger, Ledger};
pub use packet::{Packet, PacketId, PacketKind, Payload, SackBlocks, Segment, UdpDatagram, flags};
pub use ranges::RangeSet;
pub use store::{LostPacket, PacketStore, RouteAdvert};
