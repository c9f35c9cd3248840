//! Hashes the engine's sources, lock file, profile and compiler into one name for the build, so that records of
//! another engine are never taken for results of this one.

use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

// A build script stands at the edge: it reads files and the environment.
#[allow(clippy::disallowed_methods)]
fn main() {
    // Asked when it runs: a build script that is taken along with a moved folder was compiled in another one.
    let crate_folder = std::env::var("CARGO_MANIFEST_DIR").expect("cargo says where the crate is");
    let root = Path::new(&crate_folder).join("../..");
    let mut files = vec![root.join("Cargo.lock"), root.join("Cargo.toml")];
    for crate_name in ["proto", "air", "sim"] {
        collect(&root.join("crates").join(crate_name).join("src"), &mut files);
    }
    files.sort();
    let mut hash = Sha256::new();
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let content = std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let name = file.strip_prefix(&root).unwrap_or(file).to_string_lossy().into_owned();
        hash.update((name.len() as u64).to_le_bytes());
        hash.update(name);
        hash.update((content.len() as u64).to_le_bytes());
        hash.update(content);
    }
    for directory in ["crates/proto/src", "crates/air/src", "crates/sim/src"] {
        println!("cargo::rerun-if-changed={}", root.join(directory).display());
    }
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    if let Ok(version) = Command::new(rustc).arg("-vV").output() {
        hash.update(version.stdout);
    }
    for key in ["OPT_LEVEL", "DEBUG", "TARGET", "CARGO_ENCODED_RUSTFLAGS"] {
        hash.update(std::env::var(key).unwrap_or_default());
    }
    let profile = profile();
    hash.update(&profile);
    println!("cargo::rustc-env=MULTIHOP_PROFILE={profile}");
    // A profile can be changed from outside, without a word in Cargo.toml.
    let mut settings: Vec<_> =
        std::env::vars().filter(|(key, _)| key.starts_with("CARGO_PROFILE_")).collect();
    settings.sort();
    for (key, value) in settings {
        println!("cargo::rerun-if-env-changed={key}");
        hash.update(format!("{key}={value}\n"));
    }
    let build: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    println!("cargo::rustc-env=MULTIHOP_BUILD={build}");
}

/// The profile by its own name. Cargo's `PROFILE` says `release` of all that inherit from it, which may yet differ in
/// how arithmetic overflows; the folder that Cargo builds into has the name: `target/dist/build/multihop-py-…/out`.
#[allow(clippy::disallowed_methods)]
fn profile() -> String {
    let folder = std::env::var("OUT_DIR").unwrap_or_default();
    let name = Path::new(&folder).ancestors().nth(3).and_then(Path::file_name);
    name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[allow(clippy::disallowed_methods)]
fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
