//! The tables of the thesis, the classes of its figure 3, and the machine that keeps them.

mod machine;
mod tables;
