//! Time lines of DSDV, without jitter: full updates at 0, 15, 30 s.

mod buffer;
mod random;
mod rig;
mod sequence;
mod updates;
