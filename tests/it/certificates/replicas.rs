//! Two programs over one database: one orders, both answer.

use std::{fs, path::Path, process::Command, rc::Rc};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
};

use super::{HOST, Site, issued, pebble::Pebble, serial};
use crate::{
    app::until,
    postgres::Server,
    process::{Process, free_address, pharos, set_up_by, start},
};

/// A program over a directory that shares a database.
fn command(home: &Path, url: &str) -> Command {
    let mut command = pharos(home);
    command.env("PHAROS__DATABASE__URL", url);
    command
}

/// The same, which serves [`HOST`].
fn serving(home: &Path, url: &str, site: &Site, pebble: &Pebble) -> Command {
    let mut command = command(home, url);
    command
        .env("PHAROS__SERVER__BASE_URL", format!("https://{HOST}"))
        .env("PHAROS__SERVER__HTTPS_LISTEN", &site.https)
        .env("PHAROS__SERVER__HTTP_LISTEN", &site.http)
        .envs(pebble.variables());
    command
}

/// A program with its listeners.
type Replica = (Process, Site);

fn is_ordering((program, _): &Replica) -> bool {
    program.count_log_lines("a certificate is ordered") > 0
}

/// Leads the authority to the program that has not ordered.
async fn lead_to_other(listener: TcpListener, replicas: Rc<[Replica; 2]>, encrypted: bool) {
    loop {
        let (mut from, _) = listener.accept().await.unwrap();
        let mut others = replicas.iter().filter(|replica| !is_ordering(replica));
        let (_, site) = others.next().unwrap();
        let address = if encrypted { &site.https } else { &site.http };
        let mut to = TcpStream::connect(address).await.unwrap();
        actix::spawn(async move { copy_bidirectional(&mut from, &mut to).await.map(drop) });
    }
}

/// One order of two programs, by the challenge that the authority can see; how many orders it has got.
async fn order_once(postgres: &Server, database: &str, by_handshake: bool) -> Option<usize> {
    let bind = async || TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (http, https) = (bind().await, bind().await);
    let address = |listener: &TcpListener| listener.local_addr().unwrap().to_string();
    // Nothing listens at another address.
    let asked = if by_handshake {
        free_address()
    } else {
        address(&http)
    };
    let pebble = Pebble::start(&asked, &address(&https)).await?;
    let url = postgres.database(database).await;
    let homes = [(); 3].map(|()| tempfile::tempdir().unwrap());
    set_up_by(command(homes[0].path(), &url));
    for home in &homes[1..] {
        let secret = home.path().join("instance.key");
        fs::copy(homes[0].path().join("instance.key"), secret).unwrap();
    }
    // While this one leads, which has no certificates, the others don't order.
    let leader = start(command(homes[0].path(), &url)).await;
    let begin = async |home: &Path| {
        let site = Site::new();
        let program = start(serving(home, &url, &site, &pebble)).await;
        (program, site)
    };
    let replicas = Rc::new([begin(homes[1].path()).await, begin(homes[2].path()).await]);
    let leads = [
        actix::spawn(lead_to_other(http, Rc::clone(&replicas), false)),
        actix::spawn(lead_to_other(https, Rc::clone(&replicas), true)),
    ];
    assert_eq!(pebble.count_orders(), 0);
    leader.stop();
    let first = issued(&replicas[0].1.https, HOST, pebble.root()).await;
    until("the other one has it as well", async || {
        serial(&replicas[1].1.https, HOST, pebble.root())
            .await
            .as_ref()
            == Some(&first)
    })
    .await;
    assert_eq!(
        replicas
            .iter()
            .filter(|replica| is_ordering(replica))
            .count(),
        1
    );
    for lead in leads {
        lead.abort();
    }
    Some(pebble.count_orders())
}

#[actix::test]
async fn two_programs_make_one_order_and_the_other_one_answers_the_authority() {
    let Some(postgres) = Server::start() else {
        return;
    };
    let orders = order_once(&postgres, "over_http", false).await;
    assert!(matches!(orders, None | Some(1)), "{orders:?}");
    let orders = order_once(&postgres, "by_handshake", true).await;
    assert!(matches!(orders, None | Some(2)), "{orders:?}");
}
