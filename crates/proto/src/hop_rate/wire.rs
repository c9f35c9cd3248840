//! What each segment says of its flow at the node that sends it: eight bytes between IP and TCP.
//!
//! ```text
//!  0               1               2               3
//! +---------------+---------------+---------------+---------------+
//! | next header   | 0             | segments that wait            |
//! +---------------+---------------+---------------+---------------+
//! | rate in 1/1024 segments a second                              |
//! +---------------+---------------+---------------+---------------+
//! ```

use std::sync::Arc;

use crate::wire::Malformed;

/// Number of TCP in IP (RFC 9293 §3.1).
const TCP: u8 = 6;
/// Parts of a segment a second in which rates are told.
const PARTS: f64 = 1024.0;

/// How a flow stands at a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Note {
    /// Segments of it that wait there.
    pub waiting: u16,
    /// How fast they leave it \[segments/s\].
    pub rate: f64,
}

impl Note {
    /// Its bytes.
    #[must_use]
    pub fn emit(&self) -> Arc<[u8]> {
        let rate = (self.rate * PARTS) as u32; // saturates
        let [w0, w1] = self.waiting.to_be_bytes();
        let [r0, r1, r2, r3] = rate.to_be_bytes();
        Arc::from([TCP, 0, w0, w1, r0, r1, r2, r3])
    }

    /// Reads what [`Self::emit`] has written.
    ///
    /// # Errors
    /// If these are no such bytes.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        match *bytes {
            [TCP, 0, w0, w1, r0, r1, r2, r3] => Ok(Self {
                waiting: u16::from_be_bytes([w0, w1]),
                rate: f64::from(u32::from_be_bytes([r0, r1, r2, r3])) / PARTS,
            }),
            _ => Err(Malformed("no note of a rate")),
        }
    }
}
