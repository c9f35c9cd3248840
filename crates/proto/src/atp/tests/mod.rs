//! Time lines of ATP's source, sink and meter, and any loss and order of what they send each other.

mod codec;
mod meter;
mod random;
mod sink;
mod source;
