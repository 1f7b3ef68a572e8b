//! Who asks, confirms and leaves.

use super::subscribers::{
    Confirm, Contact, Leave, RemoveSubscriber, Subscribe, Subscriber, SubscriberKind,
    SubscriptionScope, repo, tell,
    vault::{Proven, Vault},
};
use crate::{
    actors::{
        delivery::new_secret,
        kit::{commit, handlers},
        status_pages::{
            StatusPage, StatusPageError, StatusPages, StatusPagesEnv, StatusPagesView,
            actor::Answer,
        },
    },
    ids::{StatusPageId, SubscriberId},
};

/// Subscribers of a page.
const MAX: u64 = 5_000;

async fn subscribe(
    env: StatusPagesEnv,
    page: StatusPage,
    message: Subscribe,
) -> Result<(), StatusPageError> {
    let vault = Vault::new(&env.secret);
    let (contact, now_ms) = (message.contact, env.clock.now_ms());
    let wanted = message.components.map(|mut all| {
        all.retain(|id| page.monitors.iter().any(|one| one.id == *id));
        all
    });
    let write = env.db.begin().await?;
    // Whoever is told already is refused as well, or everybody could see who that is.
    if repo::count(&*write, &page.id).await? >= MAX {
        return Err(StatusPageError::refused(
            "A page has at most 5,000 subscribers",
        ));
    }
    let known = repo::by_contact(&vault, &*write, &page.id, &contact).await?;
    let secret = match contact.kind {
        SubscriberKind::Email => None,
        SubscriberKind::Webhook => Some(new_secret()?),
    };
    let one = match known {
        Some(known) => Subscriber {
            wanted,
            asked_ms: now_ms,
            ..known
        },
        None => Subscriber {
            id: SubscriberId::new(),
            page: page.id.clone(),
            contact,
            secret,
            components: None,
            wanted,
            asked_ms: now_ms,
            confirmed_ms: None,
            created_ms: now_ms,
        },
    };
    repo::put(&vault, &*write, &one).await?;
    let question = tell::question(&env, &vault, &page, &one);
    env.outbox.put(&write, question, now_ms).await?;
    write.commit().await?;
    env.outbox.ring();
    Ok(())
}

async fn confirm(env: StatusPagesEnv, message: Confirm) -> Result<(), StatusPageError> {
    let (vault, now_ms) = (Vault::new(&env.secret), env.clock.now_ms());
    let Some(Proven::Confirms(id, asked_ms)) = vault.read(&message.token, now_ms) else {
        return Err(StatusPageError::NotProven);
    };
    let write = env.db.begin().await?;
    let known = repo::by_id(&vault, &*write, &id).await?;
    // What was asked for since has a link of its own.
    let known = known.filter(|known| known.asked_ms == asked_ms);
    let known = known.ok_or(StatusPageError::NotProven)?;
    let one = Subscriber {
        components: known.wanted.clone(),
        confirmed_ms: known.confirmed_ms.or(Some(now_ms)),
        ..known
    };
    repo::put(&vault, &*write, &one).await?;
    write.commit().await?;
    Ok(())
}

async fn leave(env: StatusPagesEnv, message: Leave) -> Result<(), StatusPageError> {
    let (vault, now_ms) = (Vault::new(&env.secret), env.clock.now_ms());
    let Some(Proven::Leaves(id)) = vault.read(&message.token, now_ms) else {
        return Err(StatusPageError::NotProven);
    };
    match repo::by_id(&vault, env.db.reader(), &id).await? {
        Some(known) => {
            let page = known.page;
            remove(env, RemoveSubscriber { page, id }).await
        }
        None => Ok(()),
    }
}

async fn remove(env: StatusPagesEnv, message: RemoveSubscriber) -> Result<(), StatusPageError> {
    let write = env.db.begin().await?;
    repo::delete(&write, &message.page, &message.id).await?;
    write.commit().await?;
    Ok(())
}

handlers! { StatusPages:
    decide Subscribe => StatusPages::subscribe;
    commit Confirm => confirm;
    commit Leave => leave;
    commit RemoveSubscriber => remove;
}

impl StatusPages {
    fn subscribe(&mut self, message: Subscribe) -> Answer<()> {
        let page = self.find(&message.page)?;
        let asked = subscribe(self.env.clone(), page.as_ref().clone(), message);
        Ok(commit(asked, |_, ()| ()))
    }
}

impl StatusPagesView {
    /// Reads where somebody wants to be told.
    ///
    /// # Errors
    /// Why nobody can be told there, in a sentence.
    pub fn contact(&self, said: &str) -> Result<Contact, String> {
        Contact::read(said, &self.env.egress.policy(), self.env.sends_mail)
    }

    /// The subscribers of a page, from storage.
    pub async fn subscribers(
        &self,
        page: &StatusPageId,
    ) -> Result<Vec<Subscriber>, StatusPageError> {
        let vault = Vault::new(&self.env.secret);
        Ok(repo::of(&vault, self.env.db.reader(), page, false).await?)
    }

    /// What a link for confirming is about, from storage; nothing when it is not good any more.
    pub async fn asked(&self, token: &str) -> Result<Option<SubscriptionScope>, StatusPageError> {
        let vault = Vault::new(&self.env.secret);
        let proven = vault.read(token, self.env.clock.now_ms());
        let Some(Proven::Confirms(id, asked_ms)) = proven else {
            return Ok(None);
        };
        let known = repo::by_id(&vault, self.env.db.reader(), &id).await?;
        let known = known.filter(|known| known.asked_ms == asked_ms);
        let found = known.and_then(|known| Some((self.by_id(known.page.as_str())?, known)));
        let Some((page, known)) = found else {
            return Ok(None);
        };
        let names = self.env.names(page);
        let named = |wanted: Vec<String>| {
            let own = names.iter().filter(|(id, _)| wanted.contains(id));
            own.map(|(_, name)| name.clone()).collect()
        };
        Ok(Some(SubscriptionScope {
            page: page.fields.name.clone(),
            components: known.wanted.map(named),
        }))
    }

    /// Whether a link for leaving is one of ours. Says nothing about whether anybody is left.
    pub fn is_leaving(&self, token: &str) -> bool {
        let vault = Vault::new(&self.env.secret);
        matches!(vault.read(token, 0), Some(Proven::Leaves(_)))
    }
}
