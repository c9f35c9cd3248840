//! What crosses layers: the sink through which machines answer, the context they are given, and the few
//! types in which queue, MAC, routing and transport speak to each other.

mod arrival;
mod backlog;
mod context;
mod custody;
mod evidence;
mod next_hops;
mod notice;
mod overheard;
mod round_trip;
mod stations;
mod steer;
mod wake;

pub use arrival::Arrival;
pub use backlog::{Backlog, Head};
pub use context::{Cx, NodeState, Sink};
pub use custody::{Cause, Dropped, Held, Hold, Offer, Outcome, Supply, drop_packet};
pub use evidence::{DUP_THRESH, is_duplicate_ack, lost_below};
pub use next_hops::{Class, NextHopChoice, NextHops, NoNextHops};
pub use notice::Notice;
pub use overheard::Overheard;
pub use round_trip::RoundTrip;
pub use stations::Stations;
pub use steer::{Control, End, Phase, ReceiverView, TcpView};
pub use wake::Wake;
