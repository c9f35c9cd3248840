mod answers;
mod failures;
mod hellos;
mod random;
mod rig;
mod searches;
