mod answers;
mod failures;
mod rig;
mod searches;
