//! Tests of what all window rules have in common.

mod contract;
