//! Tests of what all ACK policies have in common.

mod adaptive;
mod contract;
