//! A DSDV message on the wire: twelve bytes for each route (destination as an IPv4 address, metric, destination
//! sequence number; 32 bits each, network order), and nothing else. The paper leaves the layout open.

use std::sync::Arc;

use crate::units::{Bytes, NodeId};
use crate::wire::{Malformed, address};

/// Bytes of a line.
const LINE: usize = 12;
/// IPv4 header. ns-2 counts no UDP header, and nor do we.
const IPV4: usize = 20;

/// One line of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Destination.
    pub destination: NodeId,
    /// Hops to it; [`super::INFINITY`] for unreachable.
    pub metric: u32,
    /// Destination sequence number.
    pub sequence: u32,
}

/// The body of an update.
#[must_use]
pub fn emit(lines: &[Line]) -> Arc<[u8]> {
    lines.iter().flat_map(bytes).collect()
}

/// The lines of an update.
///
/// # Errors
/// If the bytes do not divide into lines, or a line is about an address that no node has.
pub fn parse(body: &[u8]) -> Result<Vec<Line>, Malformed> {
    let (lines, rest) = body.as_chunks::<LINE>();
    if !rest.is_empty() {
        return Err(Malformed("lines have twelve bytes"));
    }
    lines.iter().map(line).collect()
}

/// Length of an update of so many lines, with its IPv4 header.
#[must_use]
pub fn size(lines: usize) -> Bytes {
    Bytes(u32::try_from(IPV4 + LINE * lines).unwrap_or(u32::MAX))
}

fn bytes(line: &Line) -> [u8; LINE] {
    let mut bytes = [0; LINE];
    bytes[..4].copy_from_slice(&address::ipv4(line.destination));
    bytes[4..8].copy_from_slice(&line.metric.to_be_bytes());
    bytes[8..].copy_from_slice(&line.sequence.to_be_bytes());
    bytes
}

fn line(&[a, b, c, d, m0, m1, m2, m3, s0, s1, s2, s3]: &[u8; LINE]) -> Result<Line, Malformed> {
    Ok(Line {
        destination: address::one_node([a, b, c, d])?,
        metric: u32::from_be_bytes([m0, m1, m2, m3]),
        sequence: u32::from_be_bytes([s0, s1, s2, s3]),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_has_twelve_bytes_in_network_order() {
        let line = Line { destination: NodeId(2), metric: u32::MAX, sequence: 0x0102_0305 };
        assert_eq!(*emit(&[line]), [10, 0, 0, 3, 255, 255, 255, 255, 1, 2, 3, 5]);
        assert_eq!(size(1), Bytes(32));
    }

    #[test]
    fn what_is_no_update_is_refused() {
        assert_eq!(parse(&[]), Ok(Vec::new()));
        assert!(parse(&[10, 0, 0, 1]).is_err(), "cut");
        assert!(parse(&[11, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2]).is_err(), "no node has 11.0.0.1");
        assert!(parse(&[10, 255, 255, 255, 0, 0, 0, 1, 0, 0, 0, 2]).is_err(), "nor 10.255.255.255");
    }

    fn any_line() -> impl Strategy<Value = Line> {
        (0..address::MOST_NODES, any::<u32>(), any::<u32>()).prop_map(|(destination, metric, sequence)| {
            Line { destination: NodeId(destination), metric, sequence }
        })
    }

    proptest! {
        #[test]
        fn what_is_emitted_is_parsed(lines in prop::collection::vec(any_line(), 0..40)) {
            let body = emit(&lines);
            prop_assert_eq!(size(lines.len()).get() as usize, IPV4 + body.len());
            prop_assert_eq!(parse(&body), Ok(lines));
        }

        #[test]
        fn any_bytes_are_lines_or_an_error(body in prop::collection::vec(any::<u8>(), 0..80)) {
            if let Ok(lines) = parse(&body) {
                prop_assert_eq!(&*emit(&lines), &body[..]);
            }
        }
    }
}
