//! Apps that name themselves by an address: their `client_id` is the URL of their metadata, so they don't register
//! (draft-ietf-oauth-client-id-metadata-document).
//!
//! A stranger chooses the address, so it is asked as the target of a monitor would be (threat T96). It is read for each question, and
//! nothing of it is trusted but that the app's host serves it.

use std::time::Duration;

use bytes::Bytes;
use hyper::{
    Method,
    header::{ACCEPT, HeaderMap, HeaderValue},
};
use serde::Deserialize;
use url::Url;

use super::{App, NewApp, OAuthError, OAuthStore, redirect_uri::is_loopback, repo, rules};
use crate::{
    egress::{Ask, Bounds, Trace},
    ids::AppId,
};

const BOUNDS: Bounds = Bounds {
    time: Duration::from_secs(5),
    body: 16 << 10,
    text: 16 << 10,
    whole: true,
    redirects: 0,
};

/// The metadata of an app. More is ignored.
#[derive(Deserialize)]
struct Document {
    client_id: String,
    #[serde(default)]
    token_endpoint_auth_method: Option<String>,
    #[serde(flatten)]
    app: NewApp,
}

impl OAuthStore {
    /// The app that asks a person something: one that registered, or one that names itself by an address.
    ///
    /// # Errors
    /// [`OAuthError::Document`] says why there is no app at an address.
    pub async fn find_asking_app(&self, id: &str) -> Result<Option<App>, OAuthError> {
        if !self.is_on() || !is_address(id) {
            return self.find_app(id).await;
        }
        let read = self.read_document(id).await;
        let wrong = |why: String| OAuthError::Document {
            address: id.to_owned(),
            why,
        };
        let (name, redirect_uris) = read.map_err(wrong)?;
        let known = repo::find_app(self.db.reader(), id).await?;
        let now_ms = self.clock.now_ms();
        let app = App {
            id: AppId::from(id),
            name,
            redirect_uris,
            created_ms: known.as_ref().map_or(now_ms, |known| known.created_ms),
        };
        match &known {
            Some(known) if *known == app => {}
            Some(_) => {
                let write = self.db.begin_blind().await?;
                repo::update_app(&*write, &app).await?;
                write.commit_quietly().await?;
            }
            None => self.store_app(&app).await?,
        }
        Ok(Some(app))
    }

    /// Name and redirect URIs of the app at an address, or what is wrong with it.
    async fn read_document(&self, address: &str) -> Result<(String, Vec<String>), String> {
        let ask = Ask {
            url: check_address(address)?,
            method: Method::GET,
            headers: HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("application/json"))]),
            body: Bytes::new(),
            strict: true,
            stay: true,
            bounds: BOUNDS,
        };
        let answer = self.egress.ask(ask, &mut Trace::begin()).await;
        let answer = answer.map_err(|failure| failure.message)?;
        if answer.status != 200 {
            return Err(format!("it answers {}, not 200", answer.status.as_u16()));
        }
        read(address, &answer.text)
    }
}

/// Whether an app names itself by an address.
pub fn is_address(id: &str) -> bool {
    id.starts_with("https://") || id.starts_with("http://")
}

/// An address that can be the name of an app.
fn check_address(id: &str) -> Result<Url, String> {
    let url = Url::parse(id).map_err(|error| error.to_string())?;
    // An own network may have apps without a certificate, for example while they are developed, if `egress.allow` lists it.
    if url.scheme() == "http" && !is_loopback(&url) {
        return Err("it has to begin with https".to_owned());
    }
    if url.as_str() != id {
        let shape = "it has to be written as browsers write it, without dots for folders";
        return Err(format!("{shape} ({url})"));
    }
    if url.path() == "/" {
        return Err("it needs a path".to_owned());
    }
    if url.fragment().is_some() || url.password().is_some() || !url.username().is_empty() {
        return Err("it has a fragment (#), a user name or a password".to_owned());
    }
    Ok(url)
}

fn read(address: &str, text: &[u8]) -> Result<(String, Vec<String>), String> {
    let document: Document = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    if document.client_id != address {
        return Err("its client_id is another address".to_owned());
    }
    if (document.token_endpoint_auth_method.as_deref()).is_some_and(|method| method != "none") {
        return Err("token_endpoint_auth_method has to be none".to_owned());
    }
    rules::check_app(document.app).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_app_is_named_by_an_address_that_is_written_in_one_way() {
        for good in [
            "https://app.example/client.json",
            "https://app.example:8443/oauth/client?version=2",
            "http://127.0.0.1:4000/client.json",
        ] {
            assert!(check_address(good).is_ok(), "{good}");
        }
        for bad in [
            "https://app.example",
            "https://app.example/",
            "http://app.example/client.json",
            "https://APP.example/client.json",
            "https://app.example/a/../client.json",
            "https://app.example/./client.json",
            "https://app.example/client.json#a",
            "https://user@app.example/client.json",
            "https://user:secret@app.example/client.json",
            "https://app.example:443/client.json",
        ] {
            assert!(check_address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn metadata_counts_at_the_address_that_it_names() {
        let address = "https://app.example/client.json";
        let document = |fields: &str| {
            let uris = r#""redirect_uris":["https://app.example/callback"]"#;
            read(address, format!("{{{uris},{fields}}}").as_bytes())
        };
        let own = r#""client_id":"https://app.example/client.json""#;
        let (name, uris) =
            document(&format!(r#"{own},"client_name":"Robot","logo_uri":1"#)).unwrap();
        assert_eq!((name.as_str(), uris.len()), ("Robot", 1));
        for wrong in [
            r#""client_name":"Robot""#.to_owned(),
            r#""client_id":"https://app.example/other.json""#.to_owned(),
            format!(r#"{own},"token_endpoint_auth_method":"client_secret_basic""#),
            format!(r#"{own},"grant_types":["implicit"]"#),
            format!(r#"{own},"client_name":7"#),
        ] {
            assert!(document(&wrong).is_err(), "{wrong}");
        }
        assert!(read(address, format!("{{{own}}}").as_bytes()).is_err());
        assert!(read(address, b"<html>").is_err());
    }
}
