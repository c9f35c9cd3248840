//! One frame as a record: the encoder by itself, for checks from outside.

use multihop_proto::units::SimTime;
use multihop_proto::wire::{Bitmap, Carried, Frame, FrameKind};

use super::channel::tuned;
use super::datagram::Datagrams;
use super::frame::{control, data};
use super::radiotap::Radio;
use crate::scenario::Resolved;

/// The record of `frame` in a capture of `scenario`: radiotap header, MPDU, FCS.
///
/// `carried` is the packet of a data frame, with its bytes; a control frame carries none.
/// `received` is when the frame ended and at what power \[W\] it was heard; without it, the record is its sender's.
///
/// A [`super::Capture`] writes the same bytes. This function is for those who check them, like the fuzz target
/// `packet`: it looks everything up anew for each frame.
#[must_use]
pub fn encode(
    scenario: &Resolved,
    frame: &Frame,
    carried: Option<Carried<'_>>,
    received: Option<(SimTime, f64)>,
) -> Vec<u8> {
    // The channel of a sender that is no station of the network has no frequency of its own.
    let frequency = tuned(scenario, &scenario.stations()).get(frame.from.index()).copied().flatten();
    let radio = Radio::new(&scenario.config.air, frequency);
    let mut record = match received {
        None => radio.sent(frame, SimTime::ZERO, false),
        Some((ended, power)) => radio.received(frame, ended, power, false),
    };
    record.extend(match carried.filter(|_| frame.kind == FrameKind::Data) {
        Some(carried) => data(&Datagrams::new(&scenario.flows), frame, frame.to, &carried),
        None => control(frame, Bitmap::NONE),
    });
    record
}
