//! Many domains of organizations: what each costs in memory, handshakes with certificates that were never asked for, and
//! redirects over all of them beside those of one. `benches/README.md` says how to run and read it.
#![expect(clippy::print_stdout, reason = "figures go to standard output")]

#[path = "support/args.rs"]
mod args;
#[path = "support/authority.rs"]
mod authority;
#[path = "support/child.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod child;
#[path = "support/filled_domains.rs"]
mod filled_domains;
#[path = "support/handshakes.rs"]
mod handshakes;
#[path = "support/machine.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod machine;
#[path = "support/program.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod program;
#[path = "support/wire.rs"]
#[expect(dead_code, reason = "shared with the other benches")]
mod wire;
#[path = "support/wrk.rs"]
mod wrk;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use pharos::platform::Install;

use self::{
    args::Args,
    authority::Authority,
    child::Server,
    filled_domains::{SLUG, host_name},
    wrk::Load,
};

/// How long the program rests before its memory is read.
const REST: Duration = Duration::from_secs(3);

fn main() -> anyhow::Result<()> {
    let args = Args::read(&["connections", "rounds", "seconds", "hosts", "handshakes"])?;
    let load = Load {
        connections: args.number("connections", 64)?,
        rounds: args.number("rounds", 3)?,
        seconds: args.number("seconds", 8)?,
    };
    let hosts = args.number("hosts", 10_000)?;
    let count = args.number("handshakes", 2_000)?;
    actix::System::new().block_on(async {
        let directory = tempfile::tempdir_in(program::directory()?)?;
        println!("machine: {}", machine::describe());
        let data = directory.path().join("data");
        let made = program::installed(&data, Install::default()).await?;
        let listen = Listen::choose()?;
        let without = listen.start(&data).await?.rested_mb(REST).await?;

        let authority = Authority::new()?;
        filled_domains::fill(&data, &made.organization_id, &authority, hosts).await?;
        let with = listen.start(&data).await?.rested_mb(REST).await?;
        println!(
            "{hosts} hosts with certificates: {with:.1} MB resident, {:.1} MB more than without any ({:.0} bytes a host)",
            with - without,
            (with - without) * 1e6 / hosts as f64
        );

        let pharos = listen.start(&data).await?;
        pharos.quiet().await?;
        handshakes::measure(listen.https, &authority, count.min(hosts)).await?;
        let all = pharos.rested_mb(REST).await?;
        println!(
            "after these handshakes: {all:.1} MB resident, {:.1} MB more",
            all - with
        );

        filled_domains::add_links(&data, &made.organization_id, hosts).await?;
        measure_redirects(&load, &listen, (directory.path(), &data), hosts).await
    })
}

/// Where the program listens.
struct Listen {
    links: SocketAddr,
    https: SocketAddr,
}

impl Listen {
    fn choose() -> anyhow::Result<Self> {
        Ok(Self {
            links: child::free()?,
            https: child::free()?,
        })
    }

    /// The program over a directory, without an authority: nothing is ordered.
    async fn start(&self, data: &Path) -> anyhow::Result<Server> {
        let (workers, links) = (program::WORKERS.to_string(), self.links.to_string());
        let https = self.https.to_string();
        let mut settings = program::unlimited(&workers).to_vec();
        settings.push(("PHAROS__SERVER__LINKS_LISTEN", &links));
        settings.push(("PHAROS__SERVER__HTTPS_LISTEN", &https));
        settings.push(("PHAROS__ACME__DIRECTORY_URL", ""));
        let mut pharos = Server::start(data, &settings)?;
        pharos.healthy().await?;
        Ok(pharos)
    }
}

async fn measure_redirects(
    load: &Load,
    listen: &Listen,
    (directory, data): (&Path, &Path),
    hosts: usize,
) -> anyhow::Result<()> {
    let pharos = listen.start(data).await?;
    let random = write_script(&directory.join("random.lua"), hosts, "n % hosts")?;
    let one = write_script(&directory.join("one.lua"), hosts, "0")?;
    let path = format!("/{SLUG}");
    let over_all = async || {
        let figures = load.run(listen.links, &path, Some(&random))?;
        pharos.quiet().await?;
        Ok(figures)
    };
    let of_one = async || {
        let figures = load.run(listen.links, &path, Some(&one))?;
        pharos.quiet().await?;
        Ok(figures)
    };
    let name = format!("redirects over {hosts} hosts at random");
    load.compare((&name, "of one host"), over_all, of_one)
        .await?;
    pharos.stop()
}

/// A script of `wrk` that asks the hosts of its table one after the other; the table is filled in a random order. Every request
/// differs, so that Lua keeps as many texts for one host as for all.
fn write_script(file: &Path, hosts: usize, which: &str) -> anyhow::Result<PathBuf> {
    let (first, suffix) = host_name(0).split_once('.').map_or_else(
        || (String::new(), String::new()),
        |(first, suffix)| (first.to_owned(), suffix.to_owned()),
    );
    let digits = first.len() - 1;
    let text = format!(
        "local hosts = {hosts}\nlocal asks = {{}}\ninit = function()\n  math.randomseed(7)\n  for at = 0, hosts - 1 do\n    \
         local n = math.random(0, hosts - 1)\n    \
         asks[at + 1] = wrk.format(\"GET\", nil, {{ [\"Host\"] = string.format(\"h%0{digits}d.{suffix}\", {which}), \
         [\"User-Agent\"] = wrk.headers[\"User-Agent\"], [\"X-Ask\"] = tostring(at) }})\n  end\nend\n\
         local at = 0\nrequest = function()\n  at = at % hosts + 1\n  return asks[at]\nend\n"
    );
    std::fs::write(file, text)?;
    Ok(file.to_owned())
}
