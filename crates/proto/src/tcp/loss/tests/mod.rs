//! Tests of what all loss detectors have in common.

mod contract;
