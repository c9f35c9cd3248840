//! Configuration of UDP.

use crate::keys;
use crate::units::Bytes;

keys! {
    /// UDP of every host (RFC 768).
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct UdpConfig {
        /// Payload of a datagram, unless the flow says its own.
        pub packet: Bytes = Bytes(1460) => within(Bytes(1), Bytes(65_507)),
    }
}
