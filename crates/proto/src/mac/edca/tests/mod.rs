//! A station with access categories, and a neighbour that answers.

mod access;
mod amsdu;
mod opportunity;
mod rates;
mod rig;
