//! Discrete-event simulation of multihop wireless networks over the machines of `multihop-proto`.
#![forbid(unsafe_code)]

