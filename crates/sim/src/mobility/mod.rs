//! Models of motion: each makes of a node's place, an area and a random stream of the node's own the waypoints that it
//! passes in a run. What is random in them is drawn here, before the run: the run reads positions as functions of time.

pub mod area;
pub mod config;
mod gauss_markov;
mod random_walk;
mod random_waypoint;
mod trace;

pub use area::{Area, AreaConfig};
pub use config::MobilityConfig;
pub use gauss_markov::GaussMarkovConfig;
pub use random_walk::RandomWalkConfig;
pub use random_waypoint::RandomWaypointConfig;
pub use trace::{Start, Trace};
