//! Tests of what all routing machines have in common.

mod contract;
