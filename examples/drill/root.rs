//! What only root can do: file systems of a drill's own.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, ensure};

/// Runs a tool, which has to succeed; what it printed.
pub(crate) fn sh(tool: &str, args: &[&str]) -> anyhow::Result<String> {
    let done = Command::new(tool)
        .args(args)
        .output()
        .with_context(|| format!("`{tool}` cannot be run"))?;
    ensure!(
        done.status.success(),
        "{tool} {}: {}",
        args.join(" "),
        String::from_utf8_lossy(&done.stderr).trim()
    );
    Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

/// A mounted file system; gone when this goes out of scope.
pub(crate) struct Mount(PathBuf);

impl Mount {
    /// Mounts with these arguments before the mount point.
    pub(crate) fn new(at: &Path, args: &[&str]) -> anyhow::Result<Self> {
        std::fs::create_dir_all(at)?;
        let place = at.to_string_lossy();
        let args: Vec<&str> = args.iter().copied().chain([&*place]).collect();
        sh("mount", &args)?;
        Ok(Self(at.to_owned()))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let place = self.0.to_string_lossy();
        if sh("umount", &[&place]).is_err() {
            // Somebody is in it still; it goes when they do.
            let _ = sh("umount", &["--lazy", &place]);
        }
    }
}
