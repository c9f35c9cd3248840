//! TCP in scripts after the manner of packetdrill (see [`script`]), over a lossy pipe, and under arbitrary input.

mod accurate;
mod adtcp;
mod controls;
mod ecn;
mod fack;
mod going_back;
mod handshake;
mod kept;
mod loss;
mod loss_detectors;
mod newreno;
mod persist;
mod pipe;
mod rack;
mod random;
mod receiving;
mod sack;
mod sack1;
mod script;
mod seams;
mod sending;
mod timeout;
mod timestamps;
mod undo;
mod wire;
