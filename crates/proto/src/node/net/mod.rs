//! The network layer of a node, with all that is below it: routing, the notifier, and the links to its neighbours. It
//! knows nothing of the ends of flows and of agents: what is theirs it leaves in its inbox.

mod hop_rate;
mod inbox;
mod interface;
mod interfaces;
mod layer;
mod link;
mod links;
mod notify;
mod origin;
mod outbox;
mod packet_link;
mod resolve;
mod route;
mod router;
mod service;
mod sinks;
mod teller;
mod wire;
mod wires;

pub(super) use inbox::Item;
pub use interface::Interface;
pub use interfaces::IfIndex;
pub(super) use layer::NetLayer;
pub use links::Links;
pub use origin::Origin;
pub(super) use outbox::Later;
pub(super) use sinks::MacEvent;
