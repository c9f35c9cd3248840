//! Time lines of every shim: each transition of its state diagram is a line that is wrong without it.

mod atcp;
mod ebsn;
mod elfn;
mod enic;
mod freeze_tcp;
mod rig;
mod tcp_bus;
mod tcp_f;
