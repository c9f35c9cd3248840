mod atcp;
mod closing;
mod rig;
mod steered;
