//! Counts wrong passwords of what strangers unlock: by thing and address, and by thing, each before it is hashed (threats T23,
//! T29).

use super::{Shared, edge::ClientAddress};
use crate::store::limits::{Demand, Identity, LimitError, LinkPassword};

/// What passwords are guessed of.
#[derive(Clone, Copy)]
pub(super) struct Guessed<'a> {
    /// The kinds under which all guesses, and the first of each network, are counted.
    pub(super) kinds: [&'static str; 2],
    pub(super) id: &'a str,
}

/// One password that was entered, and where it was counted.
pub(super) struct Guess<'a> {
    shared: &'a Shared,
    counted: Vec<Demand>,
}

impl<'a> Guess<'a> {
    /// Counts a password, or refuses it. What is refused uses up nothing.
    pub(super) async fn count(
        shared: &'a Shared,
        address: ClientAddress,
        of: Guessed<'_>,
        limits: LinkPassword,
    ) -> Result<Self, LimitError> {
        let mut guess = Self {
            shared,
            counted: Vec::with_capacity(3),
        };
        match guess.admit(address, of, limits).await {
            Ok(()) => Ok(guess),
            Err(error) => {
                guess.give_back().await;
                Err(error)
            }
        }
    }

    async fn admit(
        &mut self,
        address: ClientAddress,
        of: Guessed<'_>,
        limits: LinkPassword,
    ) -> Result<(), LimitError> {
        let ([kind, first_kind], secret) = (of.kinds, &self.shared.secret);
        let own = address.identity_with(secret, kind, of.id);
        let first = address.network_identity_with(secret, first_kind, of.id);
        self.take(Demand::new(own).rate(limits.address)).await?;
        let all = match self.take(Demand::new(first).rate(limits.first)).await {
            Ok(()) => Demand::new(Identity::from_name(first_kind, of.id)).rate(limits.all_first),
            Err(LimitError::Unavailable(error)) => return Err(LimitError::Unavailable(error)),
            Err(_) => Demand::new(Identity::from_name(kind, of.id)).rate(limits.all),
        };
        self.take(all).await
    }

    async fn take(&mut self, demand: Demand) -> Result<(), LimitError> {
        // There is no slot to hold.
        let _ = self.shared.admission.admit(demand.clone()).await?;
        self.counted.push(demand);
        Ok(())
    }

    /// Takes the count back: only wrong passwords count.
    pub(super) async fn give_back(self) {
        for demand in self.counted {
            if let Err(error) = self.shared.admission.take_back(demand).await {
                tracing::debug!(%error, "a right password stays counted");
            }
        }
    }
}
