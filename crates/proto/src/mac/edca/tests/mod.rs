//! A station with access categories, and a neighbour that answers.

mod access;
mod amsdu;
mod answers;
mod opportunity;
mod rates;
mod requests;
mod rig;
