//! Tests of DSR.

mod codec;
