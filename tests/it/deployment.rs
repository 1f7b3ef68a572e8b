//! The files that put the program somewhere: what they name exists. Nothing here runs a container, a unit or a cluster.

use std::{collections::BTreeSet, ffi::OsString, fs, path::Path, process::Command};

use pharos::config::Settings;

/// Files with settings, ports and commands.
const FILES: [&str; 4] = [
    "Dockerfile",
    "compose.yaml",
    "deploy/pharos.service",
    "deploy/kubernetes/pharos.yaml",
];

fn read(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

/// Lines without comments.
fn lines(file: &str) -> Vec<String> {
    let text = read(file);
    let kept = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    kept.map(str::to_owned).collect()
}

/// `PHAROS__…` and its value, as far as it is on the line.
fn variables(file: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for line in lines(file) {
        let Some(at) = line.find("PHAROS__") else {
            continue;
        };
        let rest = &line[at..];
        let word = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
        let end = rest.bytes().take_while(|byte| word(*byte)).count();
        let value = rest[end..].trim_start_matches(['=', ':', ' ']);
        let value = value.trim_end_matches(['\\', ' ']).trim_matches('"');
        found.push((rest[..end].to_owned(), value.replace(":?}", "}")));
    }
    found
}

#[test]
fn every_setting_is_one_and_has_a_value_that_is_taken() {
    for file in FILES {
        let mut all = variables(file);
        if file.ends_with("kubernetes/pharos.yaml") {
            // Their values are in a secret.
            for (name, value) in &mut all {
                let text = read(file);
                let key = match name.as_str() {
                    "PHAROS__DATABASE__URL" => "database='",
                    "PHAROS__REDIS__URL" => "redis='",
                    _ => "clickhouse='",
                };
                let (_, rest) = text.split_once(key).unwrap();
                *value = rest.split('\'').next().unwrap().to_owned();
            }
        }
        assert!(!all.is_empty(), "{file}");
        let environment = all.iter().map(|(name, value)| (name.into(), value.into()));
        let environment: Vec<(OsString, OsString)> = environment.collect();
        let parsed = Settings::parse(None, environment);
        assert!(parsed.is_ok(), "{file}: {:?}", parsed.err());
    }
}

#[test]
fn the_settings_of_kubernetes_are_a_settings_file() {
    let text = read("deploy/kubernetes/pharos.yaml");
    let (_, behind) = text.split_once("pharos.toml: |\n").unwrap();
    let (file, _) = behind.split_once("\n---").unwrap();
    let file: String = file
        .lines()
        .map(|line| line.trim_start().to_owned() + "\n")
        .collect();
    let environment = [(
        "PHAROS__EVENTS__CLICKHOUSE_URL".into(),
        "http://u:p@h:8123/d".into(),
    )];
    let parsed = Settings::parse(
        Some((Path::new("pharos.toml"), file.as_bytes())),
        environment,
    );
    let settings = parsed.unwrap();
    assert_eq!(settings.storage.data_dir, "/var/lib/pharos");
}

/// The ports that the image listens on are those that everybody publishes, asks and probes.
#[test]
fn ports_are_those_of_the_listeners() {
    let listeners: BTreeSet<String> = variables("Dockerfile")
        .into_iter()
        .filter(|(name, _)| name.ends_with("_LISTEN"))
        .map(|(_, value)| value.rsplit_once(':').unwrap().1.to_owned())
        .collect();
    let usual = Settings::parse(None, []).unwrap().server;
    let usual = [usual.api_listen, usual.track_listen, usual.links_listen];
    let usual: BTreeSet<String> = usual.iter().map(|at| at.port().to_string()).collect();
    assert_eq!(listeners, usual);
    let exposed = lines("Dockerfile");
    let exposed = exposed
        .iter()
        .find_map(|line| line.strip_prefix("EXPOSE "))
        .unwrap();
    assert_eq!(
        exposed
            .split(' ')
            .map(str::to_owned)
            .collect::<BTreeSet<_>>(),
        usual
    );
    let published = lines("compose.yaml");
    let published = published
        .iter()
        .filter_map(|line| line.trim().strip_prefix("- \"127.0.0.1:"));
    let published: BTreeSet<String> = published
        .map(|ports| {
            let (outside, inside) = ports.trim_end_matches('"').split_once(':').unwrap();
            assert_eq!(outside, inside);
            inside.to_owned()
        })
        .collect();
    assert_eq!(published, usual);
    let kubernetes = read("deploy/kubernetes/pharos.yaml");
    for port in &usual {
        for said in [format!("containerPort: {port} "), format!("port: {port},")] {
            assert!(kubernetes.contains(&said), "{said}");
        }
    }
}

#[test]
fn commands_are_ones_of_the_program() {
    let help = |command: &str| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_pharos"));
        program
            .args([command, "--help"])
            .output()
            .unwrap()
            .status
            .success()
    };
    let unit = lines("deploy/pharos.service");
    let started = unit.iter().filter(|line| line.starts_with("ExecStart"));
    let mut commands: Vec<String> = started
        .map(|line| line.split(' ').next_back().unwrap().to_owned())
        .collect();
    for (file, before) in [
        ("Dockerfile", "CMD [\""),
        ("deploy/kubernetes/pharos.yaml", "pharos.toml\", \""),
    ] {
        let text = read(file);
        let (_, behind) = text.split_once(before).unwrap();
        commands.push(behind.split('"').next().unwrap().to_owned());
    }
    assert_eq!(commands, ["check-config", "serve", "serve", "serve"]);
    for command in commands {
        assert!(help(&command), "{command}");
    }
    let probes = read("deploy/kubernetes/pharos.yaml");
    let paths = probes.split("httpGet: { path: ").skip(1);
    let paths: Vec<&str> = paths.map(|rest| rest.split(',').next().unwrap()).collect();
    assert_eq!(paths, ["/health"; 3]);
}

/// What the image is built from is there, and nothing that the program embeds is left out.
#[test]
fn the_image_is_built_from_what_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let kept = read(".dockerignore");
    let kept: BTreeSet<&str> = kept
        .lines()
        .filter_map(|line| line.strip_prefix('!'))
        .collect();
    for name in &kept {
        assert!(root.join(name).exists(), "{name}");
    }
    for needed in [
        "Cargo.toml",
        "Cargo.lock",
        "build.rs",
        "rust-toolchain.toml",
        "src",
        "config",
        "docs",
        "tables",
        "tracker",
        "benches",
    ] {
        assert!(kept.contains(needed), "{needed}");
    }
    let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
    for member in manifest["workspace"]["members"].as_array().unwrap() {
        assert!(kept.contains(member.as_str().unwrap()), "{member}");
    }
    let toolchain = read("rust-toolchain.toml");
    let (_, channel) = toolchain.split_once("channel = \"").unwrap();
    let channel = channel.split('"').next().unwrap();
    let minor = channel.rsplit_once('.').unwrap().0;
    assert!(
        read("Dockerfile").contains(&format!("rust:{minor}-")),
        "{channel}"
    );
    assert!(read("deploy/pharos.service").contains("config/pharos.toml"));
}

#[test]
fn every_file_is_in_the_guide() {
    let guide = read("docs/deployment.md");
    for file in FILES {
        assert!(guide.contains(file), "{file}");
    }
}
