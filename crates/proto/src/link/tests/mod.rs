//! Tests of what all links have in common.

mod contract;
