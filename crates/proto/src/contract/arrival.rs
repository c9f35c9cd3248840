//! What a packet was to the endpoint that it was sent to.

/// What a packet was to its endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It carried bytes not seen before; this many more can now be read in order.
    New {
        /// Bytes.
        readable: u64,
    },
    /// Every byte of it was here already.
    Duplicate,
    /// It carried no data.
    Control,
    /// It lies beyond the window, or is malformed.
    Unacceptable,
    /// A shim has kept it from the endpoint.
    Suppressed,
}
