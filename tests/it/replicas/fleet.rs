//! Three programs that share a `PostgreSQL` and a Redis, behind a proxy that goes round.

use std::{
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use super::super::{
    app::{Answer, until},
    postgres::Server,
    process::{Process, pharos, start, start_at},
    redis::Redis,
    stores,
};

/// How many programs there are.
pub const REPLICAS: usize = 3;

/// Stands in settings for the address of the proxy.
pub const PROXY: &str = "the proxy";

/// How often a drill does what it does: `PHAROS_DRILL_ROUNDS`, or once.
pub fn rounds() -> usize {
    std::env::var("PHAROS_DRILL_ROUNDS").map_or(1, |rounds| rounds.parse().unwrap())
}

/// The programs with what they share.
pub struct Fleet {
    pub replicas: Vec<Process>,
    /// Goes to one after the other, a connection each.
    pub proxy: String,
    pub website: String,
    pub organization: String,
    pub email: String,
    pub password: String,
    key: String,
    /// The owner's session, once there is one.
    session: String,
    http: reqwest::Client,
    _turns: JoinSet<()>,
    homes: Vec<TempDir>,
    settings: Vec<(String, String)>,
    pub redis: Redis,
    pub postgres: Server,
}

impl Fleet {
    /// Starts all of it with lines of the environment on top of the defaults; `None` where there is no `PostgreSQL` or no Redis.
    pub async fn start(settings: &[(&str, &str)]) -> Option<Self> {
        let (postgres, redis) = (Server::start()?, Redis::start()?);
        let url = postgres.database("fleet").await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = format!("http://{}", listener.local_addr().unwrap());
        let homes: Vec<_> = (0..REPLICAS)
            .map(|_| tempfile::tempdir().unwrap())
            .collect();
        let (counts, patience) = (redis.url(), stores::PATIENCE_MS.to_string());
        let common = [
            ("PHAROS__DATABASE__URL", url.as_str()),
            ("PHAROS__REDIS__URL", counts.as_str()),
            ("PHAROS__REDIS__TIMEOUT_MS", patience.as_str()),
            ("PHAROS__EGRESS__ALLOW", "127.0.0.0/8"),
        ];
        let settings = common.iter().chain(settings);
        let settings: Vec<(String, String)> = settings
            .map(|(name, value)| ((*name).to_owned(), value.replace(PROXY, &proxy)))
            .collect();
        let output = command(&homes[0], &settings)
            .args(["setup", "--json"])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let made: Value = serde_json::from_slice(&output.stdout).unwrap();
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        let mut replicas = Vec::new();
        for home in &homes {
            let secret = home.path().join("instance.key");
            if !secret.exists() {
                std::fs::copy(homes[0].path().join("instance.key"), secret).unwrap();
            }
            replicas.push(start(command(home, &settings)).await);
        }
        let turns = take_turns(listener, &replicas);
        Some(Self {
            replicas,
            proxy,
            website: text("websiteId"),
            organization: text("organizationId"),
            email: text("email"),
            password: text("password"),
            key: text("apiKey"),
            session: String::new(),
            // A connection each, which lets the proxy rotate.
            http: crate::web::builder()
                .pool_max_idle_per_host(0)
                .build()
                .unwrap(),
            _turns: turns,
            homes,
            settings,
            redis,
            postgres,
        })
    }

    /// Asks one of the programs, or the proxy, with a key.
    pub async fn ask(&self, base: &str, key: &str, path: &str, body: &Value) -> Answer {
        let request = self.http.post(format!("{base}{path}"));
        Answer::send(request.header("x-api-key", key).json(body)).await
    }

    /// Asks the program of this number with the key of the set-up.
    pub async fn at(&self, replica: usize, path: &str, body: &Value) -> Answer {
        let base = &self.replicas[replica % REPLICAS].base;
        self.ask(base, &self.key, path, body).await
    }

    /// [`Fleet::at`] of what has to be done.
    pub async fn call_ok(&self, replica: usize, path: &str, body: Value) -> Value {
        let answer = self.at(replica, path, &body).await;
        assert_eq!(answer.status, 200, "{path} {body}: {}", answer.text);
        answer.body
    }

    /// The address of the database.
    pub fn database(&self) -> &str {
        &self.settings[0].1
    }

    /// The key of the set-up.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Signs the owner in at the program of this number; the cookie.
    pub async fn cookie(&self, replica: usize) -> String {
        let base = &self.replicas[replica % REPLICAS].base;
        let body = json!({ "email": self.email, "password": self.password });
        let request = self.http.post(format!("{base}/api/auth/sign-in/email"));
        let answer = Answer::send(request.header("origin", base).json(&body)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let cookie = answer.header("set-cookie");
        cookie.split(';').next().unwrap().to_owned()
    }

    /// Has the owner signed in, for [`Fleet::as_owner`].
    pub async fn sign_in(&mut self) {
        self.session = self.cookie(0).await;
    }

    /// Asks the program of this number as the owner.
    pub async fn as_owner(&self, replica: usize, path: &str, body: &Value) -> Answer {
        let base = &self.replicas[replica % REPLICAS].base;
        let request = self.http.post(format!("{base}{path}"));
        let request = request.header("cookie", &self.session);
        Answer::send(request.header("origin", base).json(body)).await
    }

    /// A page or list that the owner looks at.
    pub async fn visit(&self, replica: usize, path: &str) -> Answer {
        let base = &self.replicas[replica % REPLICAS].base;
        let request = self.http.get(format!("{base}{path}"));
        Answer::send(request.header("cookie", &self.session)).await
    }

    /// A form of a page that the owner sends. Its answer is seen, not followed.
    pub async fn submit(&self, replica: usize, path: &str, fields: &[(&str, &str)]) -> Answer {
        let base = &self.replicas[replica % REPLICAS].base;
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        let http = crate::web::builder().redirect(reqwest::redirect::Policy::none());
        let request = http.build().unwrap().post(format!("{base}{path}"));
        let request = request
            .header("cookie", &self.session)
            .header("origin", base)
            .header("content-type", "application/x-www-form-urlencoded");
        Answer::send(request.body(body)).await
    }

    /// Kills a program and starts it again over its directory, where it was.
    pub async fn again(&mut self, replica: usize) {
        let before = &mut self.replicas[replica];
        before.child.kill().unwrap();
        before.child.wait().unwrap();
        let at = |base: &str| base.trim_start_matches("http://").to_owned();
        let (api, track) = (at(&before.base), at(&before.track));
        let command = command(&self.homes[replica], &self.settings);
        self.replicas[replica] = start_at(command, &api, &track).await;
    }

    /// Waits until every program is ready.
    pub async fn back(&self) {
        for replica in &self.replicas {
            until("a program is ready again", async || {
                let url = format!("{}/health/ready", replica.base);
                Answer::send(self.http.get(url)).await.status == 200
            })
            .await;
        }
    }

    /// A new password of the owner, by the command.
    pub fn reset_password(&self) -> String {
        let output = command(&self.homes[0], &self.settings)
            .args(["user", "reset-password", "--email", &self.email])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let printed = String::from_utf8(output.stdout).unwrap();
        printed.trim().lines().last().unwrap().to_owned()
    }

    /// An unsigned request.
    pub fn plain(&self) -> &reqwest::Client {
        &self.http
    }

    /// Ends all of it; every program has to end well.
    pub fn finish(self) {
        for replica in self.replicas {
            replica.stop();
        }
    }
}

fn command(home: &TempDir, settings: &[(String, String)]) -> Command {
    let mut command = pharos(home.path());
    command.envs(settings.iter().map(|(name, value)| (name, value)));
    command
}

/// Gives every connection to the next program.
fn take_turns(listener: TcpListener, replicas: &[Process]) -> JoinSet<()> {
    let targets: Vec<_> = replicas
        .iter()
        .map(|one| one.base.trim_start_matches("http://").to_owned())
        .collect();
    let (targets, next) = (Arc::new(targets), Arc::new(AtomicUsize::new(0)));
    let mut turns = JoinSet::new();
    turns.spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let (targets, next) = (Arc::clone(&targets), Arc::clone(&next));
            tokio::spawn(async move {
                // One that is gone is passed over.
                for _ in 0..targets.len() {
                    let target = &targets[next.fetch_add(1, SeqCst) % targets.len()];
                    if let Ok(mut server) = TcpStream::connect(target).await {
                        let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                        return;
                    }
                }
            });
        }
    });
    turns
}

/// An input with the website's id.
pub fn with_website(fleet: &Fleet, fields: Value) -> Value {
    let mut body = json!({ "websiteId": fleet.website });
    let Value::Object(fields) = fields else {
        panic!("fields are an object");
    };
    body.as_object_mut().unwrap().extend(fields);
    body
}
