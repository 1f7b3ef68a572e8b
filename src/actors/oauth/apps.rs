//! Registration: any client may register an app, so the number of unused apps is bounded (threat T73).

use super::{
    App, NewApp, OAuthError, OAuthStore,
    model::MAX_UNUSED,
    repo,
    rules::{self, ABANDONED_MS, CROWDED_MS, UNUSED_MS},
};
use crate::{ids::AppId, store::state::Write};

impl OAuthStore {
    /// Registers an app (RFC 7591).
    pub async fn register(&self, new: NewApp) -> Result<App, OAuthError> {
        if !self.is_on() {
            return Err(OAuthError::Off);
        }
        let (name, redirect_uris) = rules::check_app(new)?;
        let app = App {
            id: AppId::new(),
            name,
            redirect_uris,
            created_ms: self.clock.now_ms(),
        };
        self.store_app(&app).await?;
        Ok(app)
    }

    /// Keeps an app that is new here.
    pub(super) async fn store_app(&self, app: &App) -> Result<(), OAuthError> {
        let (write, now_ms) = (self.db.begin_blind().await?, self.clock.now_ms());
        prune(&write, now_ms).await?;
        if repo::count_unused_apps(&*write).await? >= MAX_UNUSED {
            repo::delete_unused_apps(&*write, now_ms - CROWDED_MS).await?;
            if repo::count_unused_apps(&*write).await? >= MAX_UNUSED {
                return Err(OAuthError::TooManyApps);
            }
        }
        repo::insert_app(&*write, app).await?;
        Ok(write.commit_quietly().await?)
    }

    /// A registered app, while people may connect apps.
    pub async fn find_app(&self, id: &str) -> Result<Option<App>, OAuthError> {
        if !self.is_on() {
            return Ok(None);
        }
        Ok(repo::find_app(self.db.reader(), id).await?)
    }
}

/// Forgets what is over.
pub(super) async fn prune(write: &Write, now_ms: i64) -> Result<(), OAuthError> {
    repo::delete_expired_grants(&**write, now_ms).await?;
    repo::delete_unused_apps(&**write, now_ms - UNUSED_MS).await?;
    Ok(repo::delete_abandoned_apps(&**write, now_ms - ABANDONED_MS).await?)
}
