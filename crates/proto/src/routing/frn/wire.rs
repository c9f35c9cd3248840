//! A configuration control packet on the wire (Yuki 2004, table 3): five bytes for each destination, its IPv4 address
//! and the shortest relay count of the sender, its own line with 0 first. The thesis leaves the layout open.

use std::sync::Arc;

use super::table::FARTHEST;
use crate::units::{Bytes, NodeId};
use crate::wire::{Malformed, address};

/// Bytes of a line.
const LINE: usize = 5;
/// IPv4 header.
const IPV4: usize = 20;

/// A destination, and the relays that it takes from the sender.
pub type Line = (NodeId, u8);

/// The body of a control packet.
#[must_use]
pub fn emit(lines: impl Iterator<Item = Line>) -> Arc<[u8]> {
    lines.flat_map(|(id, relays)| address::ipv4(id).into_iter().chain([relays])).collect()
}

/// The lines of a control packet.
///
/// # Errors
/// If the bytes do not divide into lines, if a line is about an address that no node has or a relay count that nothing
/// is reached in, or if the first line is not the sender's own.
pub fn parse(body: &[u8], from: NodeId) -> Result<Vec<Line>, Malformed> {
    let (lines, rest) = body.as_chunks::<LINE>();
    if !rest.is_empty() {
        return Err(Malformed("lines have five bytes"));
    }
    let lines: Vec<Line> = lines.iter().map(line).collect::<Result<_, _>>()?;
    if lines.first() != Some(&(from, 0)) {
        return Err(Malformed("the first line is the sender's own"));
    }
    Ok(lines)
}

/// Length of a control packet of so many bytes, with its IPv4 header.
#[must_use]
pub fn size(body: &[u8]) -> Bytes {
    Bytes(u32::try_from(IPV4 + body.len()).unwrap_or(u32::MAX))
}

fn line(&[a, b, c, d, relays]: &[u8; LINE]) -> Result<Line, Malformed> {
    let id = address::one_node([a, b, c, d])?;
    if relays > FARTHEST {
        return Err(Malformed("farther than anything that is reached"));
    }
    Ok((id, relays))
}
