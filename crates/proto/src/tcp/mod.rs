//! TCP as a product of small choices: [`window`] (Tahoe, Reno, NewReno) × [`loss`] (duplicate ACKs, SACK) ×
//! [`acks`] (when the receiver answers, and what it advertises), joined in [`connection`].

pub mod acks;
pub mod config;
pub mod connection;
mod ecn_mode;
pub mod frto;
pub mod gate;
pub mod loss;
pub mod pace;
pub mod persist;
pub mod recovery;
pub mod right_sizing;
pub mod rto;
pub mod sendlog;
mod smoothed;
pub mod stamps;
pub mod stream;
pub mod tail_probe;
pub mod timeout;
pub mod timer;
pub mod undo;
pub mod wheel;
pub mod window;

pub use config::{
    CubicConfig, CubicRules, EcnMode, EcnRule, GateKind, Halving, Handshake, IdleRestart, LimitedTransmit,
    Loss, LossDetectorKind, Pace, PaceConfig, PartialAckRestart, RackConfig, ReceiveBuffer, ReceiverConfig,
    RecoveryRule, RtoArithmetic, RtoBackOff, RtoRestart, RtoSsthresh, RttSamples, RttVoid, SackRule,
    SlowStart, TailProbeConfig, TcpConfig, Window,
};
pub use connection::{Action, Counters, Event, Input, PathView, Receiver, Sender, Timer};
pub use gate::AnyGate;
