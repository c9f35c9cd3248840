//! Tools of this crate's own tests: time lines, packets by the handful, and what the contract suites share.

mod contract;
mod packets;
mod timeline;

pub(crate) use contract::{
    Alarm, Finding, Member, Seeded, ensure, members, must_be_documented, must_find, repeat, scripts, serial,
};
pub(crate) use packets::{TX, control_frame, cx, packet, routing_message, udp};
pub(crate) use timeline::{expect, instant, timeline, us};
