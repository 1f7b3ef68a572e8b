//! The table `provisioned`: what was made of each declaration.

use crate::{
    actors::provisioned::{self, Name, Provisioned},
    clock::Clock,
    fault::Fault,
    platform::provision::fingerprints::Fingerprinter,
    store::StateDb,
};

pub(super) struct Recorder<'a> {
    pub(super) db: &'a StateDb,
    pub(super) clock: &'a Clock,
    pub(super) fingerprinter: &'a Fingerprinter,
}

impl Recorder<'_> {
    /// Notes how far a declaration is, and forgets the name that it had before.
    pub(super) async fn note(&self, row: &Provisioned, before: Option<&Name>) -> Result<(), Fault> {
        let noted = provisioned::note(self.db, self.clock, row, before).await;
        noted.map_err(Fault::internal)
    }

    pub(super) async fn forget(&self, name: &Name) -> Result<(), Fault> {
        let forgotten = provisioned::forget(self.db, self.clock, name).await;
        forgotten.map_err(Fault::internal)
    }
}
