//! ADTCP, the TCP-friendly transport of Fu, Greenstein, Meng & Lu (ICNP 2002), at both ends. The receiver measures how
//! segments come, and says with every ACK what it takes the path for; the sender acts on it instead of taking every
//! loss for congestion. Its rule for duplicate ACKs is the loss detector `tcp/loss/adtcp`.

mod receiver;
mod samples;
mod sender;

pub use receiver::{AdtcpConfig, AdtcpReceiver, SignCounters};
pub use sender::AdtcpSender;
