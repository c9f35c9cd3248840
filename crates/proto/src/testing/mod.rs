//! Tools of this crate's own tests: time lines, and packets by the handful.

mod packets;
mod timeline;

pub(crate) use packets::{control_frame, cx, packet, routing_message, udp};
pub(crate) use timeline::{expect, instant, timeline, us};
