//! Endpoints: what a transport is to the node at either end of a flow. The node makes packets of what they send, and
//! knows nothing of TCP.

mod atp;
mod contract;
mod set;
mod steered;
mod tcp;
mod trace;
mod udp;

pub use atp::{AtpSink, AtpSource};
pub use contract::{Action, App, Input, Transport};
pub use set::{AnyTransport, counter_names};
pub use tcp::{ReceiverEnd, SenderEnd};
pub use trace::{Trace, TraceEvent, TraceKind};
