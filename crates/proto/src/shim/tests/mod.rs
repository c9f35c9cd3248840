//! Time lines of every shim: each transition of its state diagram is a line that is wrong without it.

mod atcp;
mod ebsn;
mod elfn;
mod rig;
mod tcp_f;
