//! Who may do what, generated from the tables that serve it: every procedure, route and query type × own, foreign and unknown
//! targets × everybody who may call. Foreign and unknown answers are the same bytes once the id asked for is masked.

mod console;
mod inputs;
mod pages;
mod procedures;
mod routes;
mod table;
mod types;

use std::{cell::RefCell, collections::HashMap};

use pharos::access::{Permission, Role, Scope};
use serde_json::{Value, json};

use crate::{
    app::{Answer, NOW},
    cast::{Begun, Cast, PROXY, Proof},
};

/// Everybody who may call, as far as a right is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Caller {
    Nobody,
    Revoked,
    Expired,
    /// A key with just the scope that is needed.
    Right,
    /// A key with every other scope.
    Others,
    /// A key with the scope for the own website.
    Website,
    /// In a session that began like this.
    Person(Role, Begun),
    /// An app with just the scope that is needed, which a person with this role has connected.
    App(Role),
}

const CALLERS: [Caller; 22] = [
    Caller::Nobody,
    Caller::Revoked,
    Caller::Expired,
    Caller::Right,
    Caller::Others,
    Caller::Website,
    Caller::Person(Role::Viewer, Begun::Password),
    Caller::Person(Role::Member, Begun::Password),
    Caller::Person(Role::Admin, Begun::Password),
    Caller::Person(Role::Owner, Begun::Password),
    Caller::Person(Role::Viewer, Begun::Provider),
    Caller::Person(Role::Admin, Begun::Provider),
    Caller::Person(Role::Viewer, Begun::OwnProvider),
    Caller::Person(Role::Admin, Begun::OwnProvider),
    Caller::Person(Role::Owner, Begun::OwnProvider),
    Caller::Person(Role::Member, Begun::Proxy),
    Caller::Person(Role::Owner, Begun::Proxy),
    Caller::Person(Role::Viewer, Begun::Passkey),
    Caller::Person(Role::Owner, Begun::Passkey),
    Caller::App(Role::Viewer),
    Caller::App(Role::Member),
    Caller::App(Role::Owner),
];

/// Whose thing is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Own,
    Foreign,
    Unknown,
}

struct Matrix {
    cast: Cast,
    revoked: Proof,
    expired: Proof,
    document: Value,
    /// Keys of people who may call with a scope.
    keys: RefCell<HashMap<(Caller, Option<Scope>), Proof>>,
}

impl Matrix {
    async fn open() -> Self {
        let unlimited = "limits.query_requests = 0\nlimits.query_requests_anonymous = 0\n\
                         limits.compile_requests = 0\nlimits.compile_requests_anonymous = 0\n\
                         limits.track_requests = 0\nalarms.telegram_base_url = 'http://127.0.0.1:1'";
        let cast = Box::pin(Cast::with(&format!("{unlimited}\n{PROXY}"))).await;
        let revoked = cast.revoked_key().await;
        let expired = cast.expiring_key(NOW + 1).await;
        cast.app.clock.advance(std::time::Duration::from_millis(1));
        let app = &cast.app;
        // Names of inputs that no rule covers.
        let flag = json!({"websiteId": app.website, "key": "sample"});
        let made = app.post(format!("{}/flags/create", app.base), &flag).await;
        assert_eq!(made.status, 200, "{}", made.text);
        let answer = Answer::send(app.http.get(format!("{}/openapi.json", app.base))).await;
        Self {
            cast,
            revoked,
            expired,
            document: answer.body,
            keys: RefCell::default(),
        }
    }

    /// Credentials of a caller for what needs this scope; where keys never may, the right key has all of them.
    async fn proof(&self, caller: Caller, scope: Option<Scope>) -> Proof {
        let known = self.keys.borrow().get(&(caller, scope)).cloned();
        if let Some(known) = known {
            return known;
        }
        let proof = self.make_proof(caller, scope).await;
        let mut keys = self.keys.borrow_mut();
        keys.insert((caller, scope), proof.clone());
        proof
    }

    async fn make_proof(&self, caller: Caller, scope: Option<Scope>) -> Proof {
        let all = Scope::ALL.to_vec();
        let right = scope.map_or_else(|| all.clone(), |scope| vec![scope]);
        match caller {
            Caller::Nobody => Proof::Nobody,
            Caller::Revoked => self.revoked.clone(),
            Caller::Expired => self.expired.clone(),
            Caller::Right => self.cast.key(&right).await,
            Caller::Others => {
                let others = all.into_iter().filter(|other| Some(*other) != scope);
                self.cast.key(&others.collect::<Vec<_>>()).await
            }
            Caller::Website => self.cast.website_key(&self.cast.app.website, &right).await,
            Caller::Person(role, begun) => self.cast.person_by(begun, role),
            Caller::App(role) => self.cast.app_of(role, &right).await,
        }
    }

    /// The expected status of a refusal; `None` if the call is allowed.
    fn refusal(
        permission: Permission,
        caller: Caller,
        whose: Whose,
        about_website: bool,
    ) -> Option<u16> {
        let unseen = (whose != Whose::Own).then_some(404);
        match caller {
            Caller::Nobody | Caller::Revoked | Caller::Expired => Some(401),
            Caller::Person(..) if unseen.is_some() => unseen,
            Caller::Person(role, _) => (!permission.held_by(role)).then_some(403),
            // A key must hold the scope anywhere at all before anything is looked up.
            _ if permission.scope().is_none() => Some(403),
            Caller::App(role) if !permission.held_by(role) => Some(403),
            Caller::Others if permission.implied_by().is_none() => Some(403),
            Caller::Others | Caller::Right | Caller::App(_) => unseen,
            Caller::Website if unseen.is_some() => unseen,
            Caller::Website => (!about_website).then_some(403),
        }
    }
}
