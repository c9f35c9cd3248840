//! Slot diagrams of the thesis's figures 2, 4 and 11, every transition of a packet, and the history structures.

mod board;
mod combined;
mod echo;
mod instants;
mod limits;
mod load;
mod order;
mod random;
mod slots;
mod wire;
