//! `pharos data`: the data that is compiled in, where it comes from and under which licence.

use serde::{Deserialize, Serialize};

/// A data file inside the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataFile {
    /// What it is called.
    pub name: String,
    /// What it holds.
    pub about: String,
    /// Where it comes from.
    pub source: String,
    pub version: String,
    /// When that was made, or collected.
    pub date: String,
    /// Its licence, by SPDX name.
    pub licence: String,
    /// How it is made again.
    pub made_by: String,
}

#[derive(Deserialize)]
struct Manifest {
    file: Vec<DataFile>,
}

/// Every data file inside the program.
///
/// # Errors
/// The manifest that is compiled in cannot be read, which is a bug.
pub fn data() -> anyhow::Result<Vec<DataFile>> {
    let manifest: Manifest = toml::from_str(include_str!("../../tables/MANIFEST.toml"))?;
    Ok(manifest.file)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_manifest_is_read() {
        let files = super::data().unwrap();
        assert!(
            files
                .iter()
                .any(|file| file.name == "countries.bin.gz" && file.licence == "PDDL-1.0")
        );
    }
}
