//! Sign-in, sessions and installation, through a supervised actor on a temporary database.

use std::{sync::Arc, time::Duration};

use actix::Arbiter;
use sea_orm::ConnectionTrait as _;
use secrecy::{ExposeSecret, SecretString};
use tempfile::TempDir;

use super::{
    model::{ABSOLUTE_MS, IDLE_MS},
    *,
};
use crate::{
    access::Role,
    actors::keys::MakerKeys,
    actors::kit::{Child, Handle, RestartPolicy, drain_all, supervise},
    clock::Clock,
    store::{InstanceSecret, StateDb, limits::Local, state::testing},
};

const NOW: i64 = 1_800_000_000_000;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

struct Fixture {
    _directory: TempDir,
    db: StateDb,
    clock: Clock,
    people: Handle<Organizations>,
    child: Child,
}

impl Fixture {
    /// With one owner, `a@b`, password `right`.
    async fn open() -> Self {
        let (directory, db) = testing::temporary().await;
        let clock = Clock::fixed(NOW);
        let (people, child) = start(&db, &clock).await;
        people.ask(installation()).await.unwrap();
        Self {
            _directory: directory,
            db,
            clock,
            people,
            child,
        }
    }

    async fn sign_in(&self, password: &str) -> Result<SignedIn, OrganizationError> {
        let message = SignIn {
            email: " A@B ".to_owned(),
            password: password.into(),
            user_agent: Some("browser".to_owned()),
            device: None,
        };
        let opened = self.people.ask(message).await?;
        Ok(opened.session().expect("nobody has a second factor"))
    }

    async fn restart(mut self) -> Self {
        end(self.child).await;
        (self.people, self.child) = start(&self.db, &self.clock).await;
        self
    }

    fn holds(&self, token: &SecretString) -> bool {
        let now_ms = self.clock.now_ms();
        let view = self.people.view();
        view.session(token.expose_secret(), now_ms).is_some()
    }

    fn advance_ms(&self, by_ms: i64) {
        self.clock.advance(Duration::from_millis(by_ms as u64));
    }
}

async fn start(db: &StateDb, clock: &Clock) -> (Handle<Organizations>, Child) {
    let env = OrganizationsEnv {
        db: db.clone(),
        clock: clock.clone(),
        options: PeopleOptions {
            open: true,
            ..PeopleOptions::default()
        },
        mail: None,
        secret: InstanceSecret::from_bytes([7; 32]),
        keys: MakerKeys::for_test(db, clock).await,
        admission: Arc::new(Local::new(clock.clone())),
        egress: crate::egress::testing::closed(),
    };
    let on = Arbiter::current();
    supervise(env, &on, RestartPolicy::default()).await.unwrap()
}

async fn end(child: Child) {
    let late = drain_all(vec![child], Duration::from_secs(5)).await;
    assert!(late.is_empty(), "{late:?}");
}

fn installation() -> Install {
    Install {
        organization: "Acme".to_owned(),
        plan: "free".to_owned(),
        email: "a@b".to_owned(),
        password: "right".into(),
        again: None,
    }
}

#[actix::test]
async fn a_sign_in_opens_a_session_that_a_restart_keeps() {
    let fixture = Fixture::open().await;
    let signed_in = fixture.sign_in("right").await.unwrap();
    assert_eq!(
        signed_in.token.expose_secret().len(),
        43,
        "256 bits in base 64"
    );
    assert!(fixture.holds(&signed_in.token));

    let fixture = fixture.restart().await;
    let view = fixture.people.view();
    let grant = view.session(signed_in.token.expose_secret(), NOW).unwrap();
    assert_eq!(grant, signed_in.session.grant);
    let organization = grant.active_organization.clone().unwrap();
    assert_eq!(grant.role_in(&organization), Some(Role::Owner));
    assert_eq!(view.person(&grant.user).unwrap().email, "a@b");
    assert!(view.session("another", NOW).is_none());
    end(fixture.child).await;
}

#[actix::test]
async fn every_sign_in_is_another_session_and_signing_out_ends_one() {
    let fixture = Fixture::open().await;
    let first = fixture.sign_in("right").await.unwrap();
    let second = fixture.sign_in("right").await.unwrap();
    assert_ne!(first.token.expose_secret(), second.token.expose_secret());
    assert_ne!(first.session.grant.id, second.session.grant.id);

    let session = first.session.grant.id.clone();
    fixture
        .people
        .ask(SignOut {
            session: session.clone(),
        })
        .await
        .unwrap();
    assert!(!fixture.holds(&first.token));
    assert!(fixture.holds(&second.token));
    fixture.people.ask(SignOut { session }).await.unwrap();

    let fixture = fixture.restart().await;
    assert!(!fixture.holds(&first.token));
    assert!(fixture.holds(&second.token));
    end(fixture.child).await;
}

#[actix::test]
async fn wrong_passwords_and_unknown_accounts_look_alike() {
    let fixture = Fixture::open().await;
    let wrong = fixture.sign_in("wrong").await.unwrap_err();
    let message = SignIn {
        email: "nobody@b".to_owned(),
        password: "right".into(),
        device: None,
        user_agent: None,
    };
    let unknown = fixture.people.ask(message).await.unwrap_err();
    assert!(matches!(wrong, OrganizationError::WrongCredentials));
    assert_eq!(wrong.to_string(), unknown.to_string());
    end(fixture.child).await;
}

#[actix::test]
async fn ten_failures_lock_the_account_for_fifteen_minutes() {
    let fixture = Fixture::open().await;
    for _ in 0..9 {
        fixture.sign_in("wrong").await.unwrap_err();
    }
    fixture.sign_in("right").await.unwrap();
    for _ in 0..10 {
        let wrong = fixture.sign_in("wrong").await.unwrap_err();
        assert!(matches!(wrong, OrganizationError::WrongCredentials));
    }
    let locked = fixture.sign_in("right").await.unwrap_err();
    let OrganizationError::TooManyAttempts(window) = locked else {
        panic!("{locked}");
    };
    assert_eq!(window.retry_after, 900);
    fixture.clock.advance(Duration::from_mins(15));
    fixture.sign_in("right").await.unwrap();
    end(fixture.child).await;
}

#[actix::test]
async fn use_keeps_a_session_alive_until_its_last_day() {
    let fixture = Fixture::open().await;
    let used = fixture.sign_in("right").await.unwrap().token;
    let idle = fixture.sign_in("right").await.unwrap().token;
    fixture.advance_ms(IDLE_MS - 1);
    assert!(fixture.holds(&used));
    fixture.advance_ms(1);
    assert!(!fixture.holds(&idle));
    assert!(fixture.holds(&used));
    for _ in 0..22 {
        fixture.advance_ms(DAY_MS);
        assert!(fixture.holds(&used));
    }
    fixture.advance_ms(NOW + ABSOLUTE_MS - fixture.clock.now_ms());
    assert!(!fixture.holds(&used));
    end(fixture.child).await;
}

#[actix::test]
async fn use_is_stored_when_the_domain_drains() {
    let fixture = Fixture::open().await;
    let token = fixture.sign_in("right").await.unwrap().token;
    fixture.advance_ms(IDLE_MS - 1);
    assert!(fixture.holds(&token));
    let fixture = fixture.restart().await;
    fixture.advance_ms(IDLE_MS - 1);
    assert!(fixture.holds(&token));
    end(fixture.child).await;
}

#[actix::test]
async fn only_one_of_many_installations_wins() {
    let (_directory, db) = testing::temporary().await;
    let clock = Clock::fixed(NOW);
    let (people, child) = start(&db, &clock).await;
    let asks = (0..5).map(|_| people.ask(installation()));
    let answers = futures_util::future::join_all(asks).await;
    let won: Vec<_> = answers.into_iter().filter_map(Result::ok).collect();
    assert_eq!(won.len(), 1);
    let tenant = people.view().tenant(won[0].organization.id.as_str());
    assert_eq!(tenant.as_ref(), Some(&won[0].organization));
    assert!(won[0].organization.key.0 > 0);
    end(child).await;
}

/// An invitation of an earlier version of the program, or of a role that was taken away by other means.
#[actix::test]
async fn an_invitation_counts_only_while_its_inviter_may_grant_its_role() {
    let fixture = Fixture::open().await;
    let inviter = fixture.sign_in("right").await.unwrap().person;
    let organization = inviter.memberships[0].organization.clone();
    let invited = Invite {
        by: inviter.id.clone(),
        organization,
        email: "c@d".to_owned(),
        role: Role::Owner,
        again: false,
        base_url: String::new(),
    };
    let token = fixture.people.ask(invited).await.unwrap().token;
    let join = || SignUp {
        language: None,
        name: "C".to_owned(),
        email: "c@d".to_owned(),
        password: "long enough".into(),
        invitation: Some(token.clone()),
        user_agent: None,
    };
    let update = "UPDATE memberships SET role = 'admin'";
    fixture
        .db
        .writer()
        .execute_unprepared(update)
        .await
        .unwrap();
    let fixture = fixture.restart().await;
    let refused = fixture.people.ask(join()).await;
    let Err(OrganizationError::InvitationClosed(why)) = refused else {
        panic!("{refused:?}");
    };
    assert!(why.contains("may no longer give this role"), "{why}");
    let update = "UPDATE memberships SET role = 'owner'";
    fixture
        .db
        .writer()
        .execute_unprepared(update)
        .await
        .unwrap();
    let fixture = fixture.restart().await;
    fixture.people.ask(join()).await.unwrap();
    end(fixture.child).await;
}
