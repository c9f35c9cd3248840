//! Packet captures on disk: one file per node, which gets its name when it is whole.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use multihop_sim::probe::pcap::Capture;
use multihop_sim::scenario::Resolved;

/// Buffer of each file: some tens of frames.
const BUFFER: usize = 64 * 1024;

/// A capture that writes files.
pub(crate) type FileCapture = Capture<BufWriter<File>>;

/// The files of a capture by temporary and final name. Unless they get their names, they are removed.
pub(crate) struct Files(Vec<(PathBuf, PathBuf)>);

/// Opens a file in `folder` for every node; all together take at most `limit` bytes.
///
/// # Errors
/// A sentence that names the file.
pub(crate) fn open(scenario: &Resolved, folder: &Path, limit: u64) -> Result<(FileCapture, Files), String> {
    let mut files = Files(Vec::with_capacity(scenario.nodes.len()));
    let mut taken = HashSet::new();
    let capture = Capture::new(scenario, limit, |node| {
        let name = file_name(node, &mut taken);
        let part = folder.join(format!("{name}.pcapng.part"));
        let sink = create(&part)?;
        files.0.push((part, folder.join(format!("{name}.pcapng"))));
        Ok::<_, String>(sink)
    })?;
    Ok((capture, files))
}

impl Files {
    /// Gives all files their names: they are whole.
    ///
    /// # Errors
    /// A sentence that names the file.
    pub(crate) fn name(mut self) -> Result<(), String> {
        let mut named: Vec<PathBuf> = Vec::with_capacity(self.0.len());
        for (part, whole) in &self.0 {
            if let Err(error) = fs::rename(part, whole) {
                named.iter().for_each(|file| remove(file));
                return Err(unwritable(whole, &error));
            }
            named.push(whole.clone());
        }
        self.0.clear();
        Ok(())
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        self.0.iter().for_each(|(part, _)| remove(part));
    }
}

/// It may not exist, and there is nothing more to be done if removing fails.
fn remove(file: &Path) {
    let _ = fs::remove_file(file);
}

// Files are opened here, at the edge: the engine itself writes into what it is given.
#[allow(clippy::disallowed_methods)]
fn create(path: &Path) -> Result<BufWriter<File>, String> {
    let file = File::create(path).map_err(|error| unwritable(path, &error))?;
    Ok(BufWriter::with_capacity(BUFFER, file))
}

fn unwritable(path: &Path, error: &io::Error) -> String {
    let hint = if error.raw_os_error() == Some(24) {
        " (one file is open per node; `ulimit -n` says how many may be)" // EMFILE
    } else {
        ""
    };
    format!("no capture can be written to {}: {error}{hint}", path.display())
}

/// A node's name as a file name: letters, digits and `-_.+` stay, the rest becomes `_`; names that would then be the
/// same are numbered.
fn file_name(node: &str, taken: &mut HashSet<String>) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_.+".contains(c) { c } else { '_' };
    // A leading dot would hide the file. Names are short enough for any file system.
    let base: String = node.trim_start_matches('.').chars().take(60).map(plain).collect();
    let base = if base.is_empty() { "node".to_owned() } else { base };
    let mut name = base.clone();
    let mut number = 2;
    while !taken.insert(name.to_lowercase()) {
        name = format!("{base}-{number}");
        number += 1;
    }
    name
}
