//! A station with access categories, and a neighbour that answers.

mod access;
mod amsdu;
mod answers;
mod opportunity;
mod protection;
mod rates;
mod requests;
mod rig;
