//! Everybody who may call: a person of each role, another organization with all that belongs to it, keys of every kind.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use pharos::{
    access::{Role, Scope},
    actors::{
        keys::{CreateKey, Resources},
        oauth::{App as ConnectedApp, Approval, CodeExchange, NewApp, Resource as ResourceOfToken},
        organizations::SignInMethod,
    },
    entities::{membership, organization, session, sso_domain, sso_provider, user},
    ids::{OrganizationId, UserId, WebsiteId},
    store::StateDb,
};
use sea_orm::{ActiveValue::Set, EntityTrait as _};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{
    app::{Answer, App, NOW},
    database,
};

/// The other organization.
pub const OTHER: &str = "other";
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// The secret of apps between question and code (PKCE).
const VERIFIER: &str = "a-verifier-of-at-least-forty-three-characters-x";

/// A program with people of every role.
pub struct Cast {
    pub app: App,
    /// A website of the other organization.
    pub foreign_website: String,
    /// A link of the organization, and one of the other.
    pub link: String,
    pub foreign_link: String,
    stranger: Proof,
}

/// Credentials of a caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    Nobody,
    Key(String),
    Cookie(String),
    Both(String, String),
    /// A cookie, and the address that a trusted proxy adds to each request.
    Proxied(String, String),
}

/// How a session began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Begun {
    Password,
    /// At a provider of the operator.
    Provider,
    /// At the organization's own provider.
    OwnProvider,
    /// By the header of [`PROXY`].
    Proxy,
    Passkey,
}

impl Begun {
    const ALL: [Self; 5] = [
        Self::Password,
        Self::Provider,
        Self::OwnProvider,
        Self::Proxy,
        Self::Passkey,
    ];

    /// As it is stored.
    const fn method(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Provider => "oidc:test",
            Self::OwnProvider => "oidc:sso_own",
            Self::Proxy => "proxy",
            Self::Passkey => "passkey",
        }
    }
}

/// The organization's own provider and its verified domain.
pub const OWN_PROVIDER: &str = "sso_own";
pub const OWN_DOMAIN: &str = "own-domain";

/// Lines of TOML that have a proxy sign people in.
pub const PROXY: &str =
    "server.trusted_proxies = ['127.0.0.1/32']\nauth.proxy_header = 'Remote-Email'";

impl Cast {
    pub async fn spawn() -> Self {
        Self::with("").await
    }

    /// [`Cast::spawn`] with lines of TOML on top of the defaults.
    pub async fn with(toml: &str) -> Self {
        let mut app = App::with(toml).await;
        let organization = app.organization.clone();
        app.restart_after(async |directory| {
            let db = database::open(directory).await;
            insert_organization(&db, OTHER).await;
            insert_provider(&db, &organization).await;
            for role in Role::ALL {
                join(&db, &organization, role).await;
            }
            join(&db, OTHER, Role::Owner).await;
            db.close().await.unwrap();
        })
        .await;
        let other = Proof::Cookie(cookie(OTHER, Role::Owner));
        let website = json!({ "name": "Other", "domain": "other.example" });
        let foreign_website = create(&app, &other, "/websites/create", &website).await;
        let link = create_link(&app, &organization).await;
        let foreign_link = create_link(&app, OTHER).await;
        Self {
            app,
            foreign_website,
            link,
            foreign_link,
            stranger: other,
        }
    }

    /// A session of the organization's person with this role.
    pub fn person(&self, role: Role) -> Proof {
        Proof::Cookie(cookie(&self.app.organization, role))
    }

    /// The same person's session that began in another way.
    pub fn person_by(&self, begun: Begun, role: Role) -> Proof {
        let cookie = cookie_by(begun, &self.app.organization, role);
        match begun {
            Begun::Proxy => Proof::Proxied(cookie, email(&self.app.organization, role)),
            _ => Proof::Cookie(cookie),
        }
    }

    /// A fresh link of an organization.
    pub async fn create_link(&self, organization: &str) -> String {
        create_link(&self.app, organization).await
    }

    /// A session of the other organization's owner.
    pub const fn stranger(&self) -> &Proof {
        &self.stranger
    }

    /// The id of the organization's person with this role.
    pub fn user(&self, role: Role) -> UserId {
        user_id(&self.app.organization, role).as_str().into()
    }

    /// A key with these scopes everywhere.
    pub async fn key(&self, scopes: &[Scope]) -> Proof {
        self.create_key(&self.app.organization, scopes).await
    }

    /// A key of one of the organizations with these scopes everywhere in it.
    pub async fn create_key(&self, organization: &str, scopes: &[Scope]) -> Proof {
        let key = CreateKey {
            organization: Some(organization.into()),
            created_by: Some(user_id(organization, Role::Owner).as_str().into()),
            scopes: scopes.to_vec(),
            ..CreateKey::named("test")
        };
        Proof::Key(self.app.make_key(key).await)
    }

    /// A key with these scopes for one website.
    pub async fn website_key(&self, website: &str, scopes: &[Scope]) -> Proof {
        let websites = BTreeMap::from([(WebsiteId::from(website), scopes.to_vec())]);
        let resources = Resources {
            global: Vec::new(),
            websites,
        };
        let key = CreateKey {
            organization: Some(self.organization()),
            created_by: Some(self.user(Role::Owner)),
            resources: Some(resources),
            ..CreateKey::named("one website")
        };
        Proof::Key(self.app.make_key(key).await)
    }

    /// A key with every scope whose time is over when `expire` has run.
    pub async fn expiring_key(&self, expires_ms: i64) -> Proof {
        let key = CreateKey {
            organization: Some(self.organization()),
            scopes: Scope::ALL.to_vec(),
            expires_ms: Some(expires_ms),
            ..CreateKey::named("expiring")
        };
        Proof::Key(self.app.make_key(key).await)
    }

    /// An app with these scopes for the API, which the organization's person with this role has connected.
    pub async fn app_of(&self, role: Role, scopes: &[Scope]) -> Proof {
        let oauth = &self.app.platform.as_ref().unwrap().domains().oauth;
        let place = (self.user(role), self.organization(), ResourceOfToken::Api);
        let (app, code) = self.allow_app(place, scopes).await;
        let exchange = CodeExchange {
            app: app.id.into(),
            code,
            verifier: VERIFIER.into(),
            redirect_uri: None,
            resource: None,
        };
        let tokens = oauth.exchange(exchange).await.unwrap();
        Proof::Key(tokens.access.expose_secret().to_owned())
    }

    /// An app that a person has allowed something in an organization, with the code for it.
    pub async fn allow_app(
        &self,
        (user, organization, resource): (UserId, OrganizationId, ResourceOfToken),
        scopes: &[Scope],
    ) -> (ConnectedApp, SecretString) {
        let oauth = &self.app.platform.as_ref().unwrap().domains().oauth;
        let redirect_uri = "https://app.example/".to_owned();
        let new = NewApp {
            redirect_uris: vec![redirect_uri.clone()],
            ..NewApp::default()
        };
        let app = oauth.register(new).await.unwrap();
        let approval = Approval {
            app: app.clone(),
            user,
            organization,
            method: SignInMethod::Password,
            scopes: scopes.to_vec(),
            resource,
            redirect_uri,
            challenge: URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER)),
        };
        let code = oauth.approve(approval).await.unwrap();
        (app, code)
    }

    /// A key with every scope that has ended.
    pub async fn revoked_key(&self) -> Proof {
        let owner = self.person(Role::Owner);
        let key = json!({ "name": "revoked", "scopes": Scope::ALL });
        let key = self.call_ok(&owner, "/apikeys/create", &key).await;
        let one = json!({ "id": key["id"] });
        self.call_ok(&owner, "/apikeys/revoke", &one).await;
        Proof::Key(key["secret"].as_str().unwrap().to_owned())
    }

    fn organization(&self) -> OrganizationId {
        self.app.organization.as_str().into()
    }

    /// Posts JSON to `{base_url}`.
    pub async fn post(&self, proof: &Proof, path: &str, body: &Value) -> Answer {
        let request = self.app.http.post(format!("{}{path}", self.app.base));
        Answer::send(proof.on(request).header("x-request-id", "same").json(body)).await
    }

    /// Posts JSON to `{base_url}`, which has to succeed.
    pub async fn call_ok(&self, proof: &Proof, path: &str, body: &Value) -> Value {
        let answer = self.post(proof, path, body).await;
        assert_eq!(answer.status, 200, "{path} {body}: {}", answer.text);
        answer.body
    }
}

impl Proof {
    /// Puts the credentials on a request.
    pub fn on(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        match self {
            Self::Nobody => request,
            Self::Key(key) => request.header("x-api-key", key),
            Self::Cookie(cookie) => request.header("cookie", cookie),
            Self::Both(key, cookie) => request.header("x-api-key", key).header("cookie", cookie),
            Self::Proxied(cookie, email) => request
                .header("cookie", cookie)
                .header("remote-email", email),
        }
    }
}

async fn create_link(app: &App, organization: &str) -> String {
    let owner = Proof::Cookie(cookie(organization, Role::Owner));
    let link = json!({ "name": "thing", "targetUrl": "https://target.example/" });
    create(app, &owner, "/links/create", &link).await
}

/// The id of what a procedure makes.
async fn create(app: &App, by: &Proof, path: &str, body: &Value) -> String {
    let request = app.http.post(format!("{}{path}", app.base));
    let answer = Answer::send(by.on(request).json(body)).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    answer.body["id"].as_str().unwrap().to_owned()
}

fn user_id(organization: &str, role: Role) -> String {
    format!("{}-of-{organization}", role.as_str())
}

fn email(organization: &str, role: Role) -> String {
    format!("{}@people.example", user_id(organization, role))
}

fn token(begun: Begun, organization: &str, role: Role) -> String {
    let method = begun.method();
    format!("token-of-{}-by-{method}", user_id(organization, role))
}

fn cookie(organization: &str, role: Role) -> String {
    cookie_by(Begun::Password, organization, role)
}

fn cookie_by(begun: Begun, organization: &str, role: Role) -> String {
    format!("pharos_session={}", token(begun, organization, role))
}

async fn insert_organization(db: &StateDb, id: &str) {
    let row = organization::ActiveModel {
        id: Set(id.to_owned()),
        key: Set(1),
        name: Set("Other".to_owned()),
        slug: Set(id.to_owned()),
        plan: Set("free".to_owned()),
        created_at: Set(pharos::clock::from_ms(NOW)),
        ..Default::default()
    };
    organization::Entity::insert(row)
        .exec_without_returning(db.writer())
        .await
        .unwrap();
}

/// The hash of an unknown password.
const NOBODYS: &str =
    "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// The provider of an organization, for the verified domain of its people.
async fn insert_provider(db: &StateDb, organization: &str) {
    let now = pharos::clock::from_ms(NOW);
    let domain = sso_domain::ActiveModel {
        id: Set(OWN_DOMAIN.to_owned()),
        organization_id: Set(organization.to_owned()),
        name: Set("people.example".to_owned()),
        token: Set("token".to_owned()),
        verified_name: Set(Some("people.example".to_owned())),
        outcome: Set(None),
        checked_at: Set(Some(now)),
        missing_since: Set(None),
        created_at: Set(now),
    };
    let provider = sso_provider::ActiveModel {
        id: Set(OWN_PROVIDER.to_owned()),
        organization_id: Set(organization.to_owned()),
        label: Set("Own".to_owned()),
        issuer: Set("https://sign-in.people.example".to_owned()),
        client_id: Set("pharos".to_owned()),
        sealed_secret: Set(None),
        scopes: Set("openid email".to_owned()),
        groups_claim: Set("groups".to_owned()),
        roles: Set("[]".to_owned()),
        join_role: Set(None),
        is_enabled: Set(true),
        created_at: Set(now),
        updated_at: Set(now),
    };
    let inserted = sso_domain::Entity::insert(domain).exec_without_returning(db.writer());
    inserted.await.unwrap();
    let inserted = sso_provider::Entity::insert(provider).exec_without_returning(db.writer());
    inserted.await.unwrap();
}

/// A person with a role, and a session of each kind.
async fn join(db: &StateDb, organization: &str, role: Role) {
    let id = user_id(organization, role);
    let now = pharos::clock::from_ms(NOW);
    let person = user::ActiveModel {
        id: Set(id.clone()),
        email: Set(email(organization, role)),
        name: Set(id.clone()),
        password_hash: Set(NOBODYS.to_owned()),
        created_at: Set(now),
        updated_at: Set(now),
        email_verified: Set(true),
        ..Default::default()
    };
    let member = membership::ActiveModel {
        organization_id: Set(organization.to_owned()),
        user_id: Set(id.clone()),
        role: Set(role.as_str().to_owned()),
        provider: Set(None),
        created_at: Set(now),
    };
    let db = db.writer();
    let inserted = user::Entity::insert(person).exec_without_returning(db);
    inserted.await.unwrap();
    let inserted = membership::Entity::insert(member).exec_without_returning(db);
    inserted.await.unwrap();
    for begun in Begun::ALL {
        let (method, token) = (begun.method(), token(begun, organization, role));
        let hash = Sha256::digest(token);
        let hash = hash.iter().map(|byte| format!("{byte:02x}"));
        let session = session::ActiveModel {
            id: Set(format!("session-of-{id}-{method}")),
            token_hash: Set(hash.collect()),
            user_id: Set(id.clone()),
            active_organization_id: Set(Some(organization.to_owned())),
            created_at: Set(now),
            last_seen_at: Set(now),
            expires_at: Set(pharos::clock::from_ms(NOW + 30 * DAY_MS)),
            user_agent: Set(None),
            method: Set(method.to_owned()),
            provider_session: Set(None),
        };
        let inserted = session::Entity::insert(session).exec_without_returning(db);
        inserted.await.unwrap();
    }
}
