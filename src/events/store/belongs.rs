//! Whether the state database and the files of a data directory belong together and to this program.

use std::path::Path;

use anyhow::ensure;

use crate::events::{
    segments::{self, Manifest, file_name},
    spool::recovery,
    tables::SCHEMA,
};

/// Refuses what must not be opened: to go on would delete files, or what a later program knows of them.
pub(super) fn ensure_it_does(
    spool: &Path,
    segments: &Path,
    manifest: &Manifest,
) -> anyhow::Result<()> {
    ensure_it_is_no_stranger(spool, segments, manifest)?;
    ensure_nothing_is_newer(manifest)
}

/// A state database that knows of no segment, although there are some and the log does not begin at its beginning: that
/// is another database than the one these files belong to, and to go on would delete them as leftovers.
fn ensure_it_is_no_stranger(
    spool: &Path,
    segments: &Path,
    manifest: &Manifest,
) -> anyhow::Result<()> {
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
