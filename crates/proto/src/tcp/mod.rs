//! TCP as a product of small choices: [`window`] (Tahoe, Reno, NewReno) × [`loss`] (duplicate ACKs, SACK) ×
//! receiver policy, joined in [`connection`].

pub mod config;
pub mod connection;
pub mod gate;
pub mod loss;
pub mod persist;
pub mod rto;
pub mod window;

pub use config::{
    Halving, Handshake, IdleRestart, LimitedTransmit, Loss, PartialAckRestart, RtoBackOff, RtoSsthresh,
    RttSamples, TcpConfig, Window,
};
pub use connection::{Action, Event, Input, Receiver, Sender, Timer};
pub use gate::Gate;
