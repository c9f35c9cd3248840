//! What travels: packets (the network layer's unit), frames (what is on the air), and the store that
//! owns every packet and knows the fate of each.

mod accurate_ecn;
mod ace;
pub mod address;
mod adtcp_path;
mod batch;
mod bitmap;
mod bodies;
mod category;
pub mod causes;
mod dscp;
pub mod ethernet;
mod frame;
mod kin;
mod ledger;
mod malformed;
mod message;
mod options;
mod packet;
mod ranges;
mod sack_blocks;
mod signal;
mod store;
mod timestamps;

pub use accurate_ecn::MarkedBytes;
pub use adtcp_path::{PathOption, PathState, microseconds};
pub use batch::{BatchId, Mpdu, Packed};
pub use bitmap::Bitmap;
pub use bodies::BodyId;
pub use category::{Category, UserPriority};
pub use causes::{DropReason, GiveUp};
pub use dscp::Dscp;
pub use frame::{Frame, FrameKind, FramePart};
pub use ledger::{Absorbed, Fate, FlowLedger, Ledger};
pub use malformed::Malformed;
pub use message::{Carriage, Protocol};
pub use packet::{
    Carried, Datagram, INITIAL_TTL, LinkHeader, Opaque, Packet, PacketId, PacketKind, Payload, RoutingHeader,
    Segment, Towards, UdpDatagram, flags,
};
pub use ranges::RangeSet;
pub use sack_blocks::SackBlocks;
pub use signal::{Signal, SignalKind};
pub use store::{LostPacket, PacketStore, Stay};
pub use timestamps::{Timestamps, clock, is_before};
