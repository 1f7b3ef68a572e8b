//! A provider: what is known of it, and what it is asked.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use hyper::{
    Method,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue},
};
use secrecy::ExposeSecret as _;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use url::{Url, form_urlencoded};

use super::{
    Attempt, Failure, Identity, Logout, ProviderOptions,
    claims::{self, Claims, Expected},
    identity,
    metadata::{self, Metadata},
    source::{KNOWN_MS, Source},
};
use crate::{clock::Clock, egress::Egress};

/// The providers that people can sign in with, in the order in which they are shown; cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Providers(Arc<Vec<Arc<Provider>>>);

impl Providers {
    pub fn new(all: Vec<Provider>) -> Self {
        Self(Arc::new(all.into_iter().map(Arc::new).collect()))
    }

    pub fn find(&self, name: &str) -> Option<&Arc<Provider>> {
        self.iter().find(|provider| provider.options.name == name)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<Provider>> {
        self.0.iter()
    }
}

/// A provider that people can sign in with.
#[derive(Debug)]
pub struct Provider {
    pub options: ProviderOptions,
    source: Source,
    metadata: ArcSwapOption<(i64, Metadata)>,
}

impl Provider {
    pub fn new(options: ProviderOptions, egress: Egress, clock: Clock) -> Self {
        Self {
            options,
            source: Source::new(egress, clock),
            metadata: ArcSwapOption::empty(),
        }
    }

    /// Whether the provider describes itself as it has to.
    ///
    /// # Errors
    /// It is away, or what it says can't be used.
    pub async fn describe(&self) -> Result<(), Failure> {
        self.metadata().await.map(drop)
    }

    /// The address at which the provider asks who the person is.
    ///
    /// # Errors
    /// The provider does not say where that is.
    pub async fn start(&self, attempt: &Attempt, back: &str) -> Result<Url, Failure> {
        let mut url = self.metadata().await?.1.authorization_endpoint.clone();
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&attempt.verifier));
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.options.client_id)
            .append_pair("redirect_uri", back)
            .append_pair("scope", &self.options.scopes)
            .append_pair("state", &attempt.state)
            .append_pair("nonce", &attempt.nonce)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        Ok(url)
    }

    /// Refuses an answer of another provider than the one that was asked (RFC 9207).
    ///
    /// # Errors
    /// It names another issuer, or none although this provider always does.
    pub async fn check_issuer(&self, named: Option<&str>) -> Result<(), Failure> {
        let always = self.metadata().await?.1.names_issuer;
        match named {
            Some(named) if named == self.options.issuer => Ok(()),
            None if !always => Ok(()),
            _ => Err(Failure::OtherIssuer),
        }
    }

    /// Who signed in, for the code that the provider sent back.
    ///
    /// # Errors
    /// The provider does not take the code, or its token is none for this attempt.
    pub async fn redeem(
        &self,
        attempt: &Attempt,
        code: &str,
        back: &str,
    ) -> Result<Identity, Failure> {
        let known = self.metadata().await?;
        let answer = self.exchange(&known.1, attempt, code, back).await?;
        let token = claims::text(&answer, "id_token");
        let missing = || Failure::BadAnswer("token answer", "it has no `id_token`".to_owned());
        let mut claims = self.verify(&known.1, token.ok_or_else(missing)?).await?;
        let subject = self.expected().id_token(&claims, &attempt.nonce)?;
        let groups = &self.options.groups_claim;
        let wants_groups =
            !self.options.roles.is_empty() && identity::find(&claims, groups).is_none();
        if let Some(endpoint) = &known.1.userinfo_endpoint
            && (wants_groups || !claims.contains_key("email"))
            && let Some(access) = claims::text(&answer, "access_token")
        {
            let info = self.user_info(endpoint, access).await?;
            if claims::text(&info, "sub") != Some(&subject) {
                return Err(Failure::WrongClaim("sub"));
            }
            for (name, value) in info {
                // What is signed counts more.
                claims.entry(name).or_insert(value);
            }
        }
        Identity::read(subject, &claims, groups)
    }

    /// What a logout token says.
    ///
    /// # Errors
    /// It is none of this provider's for this client.
    pub async fn logout(&self, token: &str) -> Result<Logout, Failure> {
        let known = self.metadata().await?;
        let claims = self.verify(&known.1, token).await?;
        self.expected().logout(&claims)
    }

    fn expected(&self) -> Expected<'_> {
        Expected {
            issuer: &self.options.issuer,
            audience: &self.options.client_id,
            now_ms: self.source.now_ms(),
        }
    }

    async fn verify(&self, known: &Metadata, token: &str) -> Result<Claims, Failure> {
        self.source.verify(&known.jwks_uri, token).await
    }

    async fn metadata(&self) -> Result<Arc<(i64, Metadata)>, Failure> {
        let now_ms = self.source.now_ms();
        let known = self.metadata.load_full();
        if let Some(known) = known.filter(|known| now_ms < known.0 + KNOWN_MS) {
            return Ok(known);
        }
        let url = metadata::address(&self.options.issuer)?;
        let text = self.source.get("description", url, None).await?;
        let found = Arc::new((now_ms, Metadata::parse(&self.options.issuer, &text)?));
        self.metadata.store(Some(Arc::clone(&found)));
        Ok(found)
    }

    async fn exchange(
        &self,
        known: &Metadata,
        attempt: &Attempt,
        code: &str,
        back: &str,
    ) -> Result<Claims, Failure> {
        let (id, secret) = (
            &self.options.client_id,
            self.options.client_secret.expose_secret(),
        );
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", back)
            .append_pair("code_verifier", &attempt.verifier);
        let mut headers = HeaderMap::new();
        if secret.is_empty() {
            form.append_pair("client_id", id);
        } else if known.takes_secret_in_body {
            form.append_pair("client_id", id)
                .append_pair("client_secret", secret);
        } else {
            let encode =
                |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
            let pair = STANDARD.encode(format!("{}:{}", encode(id), encode(secret)));
            headers.insert(AUTHORIZATION, secret_header(&format!("Basic {pair}"))?);
        }
        let form_type = HeaderValue::from_static("application/x-www-form-urlencoded");
        headers.insert(CONTENT_TYPE, form_type);
        let (url, body) = (known.token_endpoint.clone(), form.finish());
        let (status, text) = self
            .source
            .ask(url, Method::POST, headers, body.into())
            .await?;
        let answer = serde_json::from_slice::<Claims>(&text).ok();
        match (status, answer) {
            (200, Some(answer)) => Ok(answer),
            (400..=499, Some(answer)) => Err(match claims::text(&answer, "error") {
                Some("invalid_grant") => Failure::CodeRefused,
                error => Failure::ClientRefused(Failure::code(error.unwrap_or_default())),
            }),
            (200, None) => Err(Failure::BadAnswer(
                "token answer",
                "it isn't JSON".to_owned(),
            )),
            (status, _) => Err(Failure::BadAnswer(
                "token answer",
                format!("its status is {status}"),
            )),
        }
    }

    async fn user_info(&self, endpoint: &Url, access: &str) -> Result<Map<String, Value>, Failure> {
        let bearer = secret_header(&format!("Bearer {access}"))?;
        let text = self
            .source
            .get("user info", endpoint.clone(), Some(bearer))
            .await?;
        serde_json::from_slice(&text)
            .map_err(|_| Failure::BadAnswer("user info", "it isn't JSON".to_owned()))
    }
}

/// A header that is never shown.
fn secret_header(text: &str) -> Result<HeaderValue, Failure> {
    let bad = |_| Failure::BadAnswer("token answer", "it can't be sent on".to_owned());
    let mut value = HeaderValue::from_str(text).map_err(bad)?;
    value.set_sensitive(true);
    Ok(value)
}
