//! What crosses layers: the sink through which machines answer, the context they are given, and the few
//! types in which queue, MAC, routing and transport speak to each other.

mod context;
mod custody;
mod notice;
mod overheard;

pub use context::{Cx, Facts, Sink};
pub use custody::{Cause, Dropped, Held, Offer, Outcome, drop_packet};
pub use notice::{Control, Notice, TcpView};
pub use overheard::Overheard;
