//! Files embedded by `include_dir` are not tracked by the compiler: name them here.

fn main() {
    for folder in ["profiles", "techniques", "scenarios", "studies/reproductions", "studies/sweeps"] {
        println!("cargo::rerun-if-changed=../../{folder}");
    }
}
