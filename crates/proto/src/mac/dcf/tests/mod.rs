//! Time lines of the DCF. Back-off draws come from the stream of node "0", whose first draws are golden
//! (`units::rng`): 12, 2, 5, 30 slots from a window of 31, and 12, 4, 23, 254, 41, 715, 448 from windows that
//! double after each failure.

mod access;
mod answering;
mod contention;
mod exchange;
mod flow_control;
mod nav_doze;
mod ns3;
mod power;
mod protection;
mod random;
mod rates;
mod retries;
mod rounds;
mod station;
