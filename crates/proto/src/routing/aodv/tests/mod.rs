mod answers;
mod failures;
mod random;
mod rig;
mod searches;
