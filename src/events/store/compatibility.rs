//! Whether the state database and the files of a data directory belong together and to this program.

use std::path::Path;

use anyhow::ensure;

use crate::events::{
    log::recovery,
    segments::{self, Manifest, aside, file_name, journal::Journal},
    versions::SCHEMA,
};

/// Refuses what must not be opened: to go on would delete files, or what a later program knows of them.
pub(super) fn ensure_compatible(
    spool: &Path,
    segments: &Path,
    manifest: &Manifest,
) -> anyhow::Result<()> {
    ensure_same_database(spool, segments, manifest)?;
    ensure_nothing_is_newer(manifest)
}

/// A state database that was rolled back does not know the newest files, and names files that were merged away. Directories of
/// earlier programs have no journal: there, the signs are a log that begins later than the segments end, and files that
/// the manifest does not name.
pub(super) fn ensure_not_older(
    spool: &Path,
    segments: &Path,
    manifest: &Manifest,
) -> anyhow::Result<()> {
    if let Some(noted) = Journal::read(segments)? {
        ensure!(
            noted.version <= manifest.version,
            explain_older(segments, manifest.version, noted.version)
        );
        return Ok(());
    }
    let has_gap = recovery::begins_at(spool)?.is_some_and(|first| first > manifest.cursor + 1);
    let mut strays = aside::strays(segments, manifest)?.into_iter();
    ensure!(
        !has_gap || !strays.any(|path| aside::is_whole(&path)),
        "the state database is older than the files in `{}`: it does not know all of them, and the event log goes on later \
         than it says. Nothing was changed. Put the newer state database back, or restore a backup of both; to go on with the \
         older one, move the files that it does not know away",
        segments.display()
    );
    Ok(())
}

/// What to do about a manifest of one version beside files of a newer one.
pub(super) fn explain_older(segments: &Path, version: u64, newest: u64) -> String {
    format!(
        "the state database is older than the event files in `{}`: it has version {version} of their manifest, and they are of \
         version {newest}. Nothing was changed. Put the newer state database back; or, if there is none, run \
         `pharos restore-manifest`, which writes the newest manifest into the older database and loses no event",
        segments.display()
    )
}

/// A state database that knows of no segment, although there are some and the log does not begin at its beginning: that
/// is another database than the one these files belong to, and to go on would delete them as leftovers.
fn ensure_same_database(spool: &Path, segments: &Path, manifest: &Manifest) -> anyhow::Result<()> {
    let knows_none = manifest.cursor == 0 && manifest.segments.is_empty();
    ensure!(
        !knows_none || !segments::any(segments)? || recovery::begins_at(spool)? == Some(1),
        "`{}` holds event segments, but the state database knows none: it is not the database that they belong to. \
         Restore it, or move the directory away to begin anew",
        segments.display()
    );
    Ok(())
}

/// Merging segments of a later program would lose the columns that we do not know.
fn ensure_nothing_is_newer(manifest: &Manifest) -> anyhow::Result<()> {
    let newer = |row: &&segments::SegmentRow| row.schema > SCHEMA;
    if let Some(row) = manifest.segments.iter().find(newer) {
        anyhow::bail!(
            "segment {} has version {} of the event table, and this program knows versions up to {SCHEMA}: a later \
             pharos wrote it. Start that one again, or restore a backup from before the upgrade",
            file_name(&row.id),
            row.schema
        );
    }
    Ok(())
}
