//! ATP's headers. The paper gives their fields and no layout; this one has what its rules need. IP carries it under
//! RFC 3692's first number for experiments, 253.
//!
//! ```text
//!    0                   2                   4         5        6                     8
//!   | source port       | destination port  | kind    | flags  | blocks              |
//!   | number (64 bit)                                                                |
//!   | delay (32 bit, µs)                    |
//!
//!   kind 1, data:     number of the packet in its flow; the longest delay of a node so far. Payload follows
//!   kind 2, probe:    the same without payload, and without a number of its own (0)
//!   kind 3, report:   all packets below this number have come; average of the delays. Blocks follow: how far above the
//!                     number one begins, and how many packets it has, 32 bits each
//!   flag 1:           the node that sent it last was idle: the next adds what this hop took
//! ```

use std::sync::Arc;

use crate::units::FlowId;
use crate::wire::Malformed;
use crate::wire::address::ports;

/// Most blocks of a report (the paper's 20).
pub const MOST_BLOCKS: usize = 20;
/// Bytes before the blocks.
const FIXED: usize = 20;
const DATA: u8 = 1;
const PROBE: u8 = 2;
const REPORT: u8 = 3;
const IDLE: u8 = 1;

/// What a packet is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Data with this number.
    Data(u64),
    /// A question for the delay of the path.
    Probe,
    /// What has come.
    Report {
        /// All packets below this number.
        below: u64,
        /// Packets beyond, as `[start, end)`, lowest first.
        blocks: Vec<(u64, u64)>,
    },
}

/// The header of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// What it is.
    pub body: Body,
    /// Longest delay of a node on the way so far, of a report the average that came \[µs\].
    pub delay: u32,
    /// Whether the node that sent it last was idle.
    pub idle: bool,
}

impl Header {
    /// The bytes, of a packet of this flow.
    #[must_use]
    pub fn emit(&self, flow: FlowId) -> Arc<[u8]> {
        let (kind, number, blocks) = match &self.body {
            Body::Data(number) => (DATA, *number, &[][..]),
            Body::Probe => (PROBE, 0, &[][..]),
            Body::Report { below, blocks } => (REPORT, *below, &blocks[..blocks.len().min(MOST_BLOCKS)]),
        };
        let (source, destination) = ports(flow, kind != REPORT);
        let mut bytes = Vec::with_capacity(FIXED + 8 * blocks.len());
        bytes.extend_from_slice(&source.to_be_bytes());
        bytes.extend_from_slice(&destination.to_be_bytes());
        bytes.extend_from_slice(&[kind, u8::from(self.idle) * IDLE, 0, blocks.len() as u8]); // 20 at most
        bytes.extend_from_slice(&number.to_be_bytes());
        bytes.extend_from_slice(&self.delay.to_be_bytes());
        for &(start, end) in blocks {
            let offset = u32::try_from(start - number).unwrap_or(u32::MAX);
            let count = u32::try_from(end - start).unwrap_or(u32::MAX);
            bytes.extend_from_slice(&offset.to_be_bytes());
            bytes.extend_from_slice(&count.to_be_bytes());
        }
        bytes.into()
    }

    /// Reads what [`Self::emit`] writes; ports are not looked at.
    ///
    /// # Errors
    /// Bytes that are no header of ATP.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let Some((fixed, rest)) = bytes.split_first_chunk::<FIXED>() else {
            return Err(Malformed("shorter than a header of ATP"));
        };
        let [_, _, _, _, kind, flags, 0, count, n0, n1, n2, n3, n4, n5, n6, n7, d0, d1, d2, d3] = *fixed
        else {
            return Err(Malformed("more blocks than a report has"));
        };
        let number = u64::from_be_bytes([n0, n1, n2, n3, n4, n5, n6, n7]);
        let delay = u32::from_be_bytes([d0, d1, d2, d3]);
        let (chunks, []) = rest.as_chunks::<8>() else { return Err(Malformed("half a block")) };
        if chunks.len() != usize::from(count) || chunks.len() > MOST_BLOCKS || flags > IDLE {
            return Err(Malformed("blocks or flags that no header of ATP has"));
        }
        let body = match kind {
            DATA if chunks.is_empty() && number < u64::MAX => Body::Data(number),
            PROBE if chunks.is_empty() && number == 0 => Body::Probe,
            REPORT if flags == 0 => Body::Report { below: number, blocks: read_blocks(number, chunks)? },
            _ => return Err(Malformed("no kind of ATP's, or not with such fields")),
        };
        Ok(Self { body, delay, idle: flags == IDLE })
    }
}

/// Blocks that rise, have packets and do not touch.
fn read_blocks(below: u64, chunks: &[[u8; 8]]) -> Result<Vec<(u64, u64)>, Malformed> {
    let mut blocks = Vec::with_capacity(chunks.len());
    let mut floor = below;
    for &[a, b, c, d, w, x, y, z] in chunks {
        let start = below.checked_add(u64::from(u32::from_be_bytes([a, b, c, d])));
        let count = u64::from(u32::from_be_bytes([w, x, y, z]));
        let block = start.and_then(|start| Some((start, start.checked_add(count)?)));
        let Some((start, end)) = block.filter(|&(start, end)| start > floor && end > start) else {
            return Err(Malformed("blocks that do not rise"));
        };
        blocks.push((start, end));
        floor = end;
    }
    Ok(blocks)
}
