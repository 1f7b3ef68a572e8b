//! Every channel of the program: its file, and what its service's answers mean.

use serde::Deserialize;

use super::{definition::Definition, *};

/// What `tests/channels/<name>.toml` says.
#[derive(Debug, Deserialize)]
struct Example {
    #[serde(default)]
    success: String,
    #[serde(default)]
    answers: Vec<Said>,
}

#[derive(Debug, Deserialize)]
struct Said {
    status: u16,
    body: String,
    means: String,
    error: Option<String>,
}

fn example(name: &str) -> Example {
    let path = format!("{}/tests/channels/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let file = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    toml::from_str(&file).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn every_file_can_be_read_and_names_its_source() {
    assert!(BUILT_IN.len() >= 41, "{}", BUILT_IN.len());
    for (name, file) in BUILT_IN {
        let read = Definition::parse(file).unwrap_or_else(|error| panic!("{name}: {error}"));
        let is_page = read.source.starts_with("https://") || read.recipient.email;
        assert!(is_page && read.read_on.len() == 10, "{name}");
        assert!(!read.recipient.label.is_empty(), "{name}");
        for field in &read.fields {
            let text = [&field.name, &field.label].map(|text| text.to_lowercase());
            let sounds_secret = ["token", "secret", "password"]
                .iter()
                .any(|word| text.iter().any(|text| text.contains(word)));
            assert!(field.secret || !sounds_secret, "{name}: {}", field.name);
        }
    }
}

#[test]
fn every_answer_means_what_the_service_says() {
    let over_http = BUILT_IN
        .iter()
        .filter(|(name, _)| *name != ChannelKind::EMAIL);
    for (name, _) in over_http {
        let (channel, example) = (built_in(name).unwrap(), example(name));
        assert!(channel.judge(200, &example.success).success, "{name}");
        assert!(!example.answers.is_empty(), "{name} has no answer");
        for said in example.answers {
            let verdict = channel.judge(said.status, &said.body);
            let never = matches!(said.status, 400 | 405 | 410 | 413 | 415 | 422);
            let means = match verdict {
                Verdict { success: true, .. } => "delivered",
                Verdict { gone: true, .. } => "gone",
                Verdict { forever, .. } if forever || never => "forever",
                _ => "again",
            };
            assert_eq!(means, said.means, "{name}: {said:?}");
            if let (Some(expected), Some(error)) = (&said.error, &verdict.error) {
                assert_eq!(error, expected, "{name}");
            }
        }
    }
}

#[test]
fn a_file_that_is_wrong_is_refused_with_its_line() {
    let good = BUILT_IN
        .iter()
        .find(|(name, _)| *name == "telegram")
        .unwrap()
        .1;
    for (from, to, line, what) in [
        ("[request]", "[reqest]", Some(18), "unknown field"),
        (
            "name = \"token\"",
            "name = \"text\"",
            Some(12),
            "can't be named",
        ),
        (
            "{{ recipient }}",
            "{{ recipient | nothing }}",
            Some(23),
            "filter",
        ),
        ("{{ recipient }}", "{% if %}", Some(23), "syntax error"),
        ("is false)\"", "is false\"", Some(28), "syntax error"),
        ("pattern = '[A", "pattern = '([A", Some(16), "regex"),
    ] {
        assert!(good.contains(from), "{from}");
        let error = Definition::parse(&good.replacen(from, to, 1)).unwrap_err();
        assert!(error.to_string().contains(what), "{to}: {error}");
        if line.is_some() {
            assert_eq!(error.line, line, "{to}: {error}");
        }
    }
}

#[test]
fn own_channels_are_read_from_a_folder_and_cannot_replace_others() {
    let folder = tempfile::tempdir().unwrap();
    let options = ChannelOptions {
        channels_directory: folder.path().display().to_string(),
        ..ChannelOptions::default()
    };
    let file = BUILT_IN.iter().find(|(name, _)| *name == "ntfy").unwrap().1;
    std::fs::write(folder.path().join("pager.toml"), file).unwrap();
    std::fs::write(folder.path().join("README.md"), "no channel").unwrap();
    let channels = Channels::load(&options).unwrap();
    assert_eq!(channels.get("pager").unwrap().title, "ntfy");
    assert_eq!(channels.all().len(), BUILT_IN.len() + 1);
    std::fs::write(folder.path().join("slack.toml"), file).unwrap();
    let error = Channels::load(&options).unwrap_err().to_string();
    assert!(
        error.contains("slack.toml") && error.contains("already"),
        "{error}"
    );
    std::fs::write(folder.path().join("slack.toml"), "title = ").unwrap();
    let error = Channels::load(&options).unwrap_err().to_string();
    assert!(error.contains("slack.toml: line 1"), "{error}");
}

#[test]
fn the_guide_lists_every_channel_and_its_example_can_be_read() {
    let guide = include_str!("../../../../../docs/channels.md");
    for (name, _) in BUILT_IN {
        let channel = built_in(name).unwrap();
        let (title, label) = (&channel.title, &channel.recipient.label);
        let row = format!("| `{name}` | {title} | {label} | ");
        let line = guide.lines().find(|line| line.starts_with(&row));
        let line = line.unwrap_or_else(|| panic!("docs/channels.md has no row {row}"));
        for field in &channel.fields {
            assert!(line.contains(&format!("`{}`", field.name)), "{line}");
        }
    }
    let (_, example) = guide.split_once("```toml\ntitle").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    Definition::parse(&format!("title{example}")).unwrap();
}
