use super::*;

/// User agents of today's browsers, apps, tablets, televisions and consoles, with what they say.
const CORPUS: &str = include_str!("corpus.txt");

fn agents() -> &'static Agents {
    static AGENTS: std::sync::LazyLock<Agents> = std::sync::LazyLock::new(Agents::new);
    &AGENTS
}

fn texts(agent: &Agent) -> [String; 7] {
    let device = device::refine(agent.device, None).map(|device| device.as_str().to_owned());
    [
        agent.browser_name.clone(),
        agent.browser_version.clone(),
        agent.os_name.clone(),
        agent.os_version.clone(),
        device,
        agent.brand.map(str::to_owned),
        agent.model.clone(),
    ]
    .map(|told| told.unwrap_or_else(|| "-".to_owned()))
}

#[test]
fn the_corpus_is_understood() {
    let rows: Vec<Vec<&str>> = CORPUS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(" | ").collect())
        .collect();
    assert!(rows.len() > 100);
    let mut wrong = Vec::new();
    for row in &rows {
        let [expected @ .., text] = &row[..] else {
            panic!("{row:?}");
        };
        let found = texts(&agents().get(text, &Hints::default()));
        if found != *expected {
            wrong.push(format!("{} | {text}", found.join(" | ")));
        }
    }
    assert!(wrong.is_empty(), "read as:\n{}", wrong.join("\n"));
}

fn hinted(text: &str, hints: Hints<'_>) -> ([String; 7], Signals) {
    let agent = agents().get(text, &hints);
    (texts(&agent), agent.signals)
}

const WINDOWS: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
const ANDROID: &str = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36";
const IPHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1";

#[test]
fn hints_say_what_user_agents_no_longer_do() {
    let (found, signals) = hinted(
        WINDOWS,
        Hints {
            brands: Some(r#""Chromium";v="140", "Not=A?Brand";v="24", "Brave";v="140""#),
            platform: Some("\"Windows\""),
            platform_version: Some("\"15.0.0\""),
            ..Hints::default()
        },
    );
    assert_eq!(found[..4], ["Brave", "140", "Windows", "11"]);
    assert_eq!(signals, Signals::default());
    let (found, _) = hinted(
        ANDROID,
        Hints {
            brands: Some(r#""Google Chrome";v="140", "Chromium";v="140", "Not)A;Brand";v="8""#),
            versions: Some(
                r#""Google Chrome";v="140.0.7339.51", "Chromium";v="140.0.7339.51", "Not)A;Brand";v="8.0.0.0""#,
            ),
            platform: Some("\"Android\""),
            platform_version: Some("\"15.0.0\""),
            model: Some("\"Pixel 9 Pro\""),
            form: Some("\"Mobile\""),
        },
    );
    assert_eq!(
        found,
        [
            "Chrome Mobile",
            "140.0.7339",
            "Android",
            "15",
            "mobile",
            "Google",
            "Pixel 9 Pro"
        ]
    );
    let (found, _) = hinted(
        ANDROID,
        Hints {
            platform: Some("\"Android\""),
            model: Some("\"SM-X716B\""),
            form: Some("\"Tablet\""),
            ..Hints::default()
        },
    );
    assert_eq!(found[4..], ["tablet", "Samsung", "SM-X716B"]);
}

#[test]
fn a_browser_that_says_its_name_keeps_it() {
    let edge = format!("{WINDOWS} Edg/140.0.0.0");
    let hints = Hints {
        brands: Some(r#""Microsoft Edge";v="140", "Chromium";v="140", "Not;A=Brand";v="99""#),
        versions: Some(r#""Microsoft Edge";v="140.0.3485.54", "Chromium";v="140.0.7339.51""#),
        platform: Some("\"Windows\""),
        platform_version: Some("\"10.0.0\""),
        ..Hints::default()
    };
    assert_eq!(
        hinted(&edge, hints).0[..4],
        ["Edge", "140.0.3485", "Windows", "10"]
    );
}

#[test]
fn hints_that_contradict_are_a_signal_and_not_believed() {
    let mac = Hints {
        platform: Some("\"macOS\""),
        platform_version: Some("\"15.1.0\""),
        ..Hints::default()
    };
    let (found, signals) = hinted(WINDOWS, mac);
    assert_eq!((found[2].as_str(), found[3].as_str()), ("Windows", "10"));
    assert_eq!(signals, Signals::HINTS_CONTRADICT);
    let brands = Hints {
        brands: Some(r#""Chromium";v="140""#),
        ..Hints::default()
    };
    assert_eq!(hinted(IPHONE, brands).1, Signals::HINTS_CONTRADICT);
    assert_eq!(hinted(WINDOWS, brands).1, Signals::default());
    // A phone that asks for desktop pages.
    let desktop = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
    let android = Hints {
        platform: Some("\"Android\""),
        ..Hints::default()
    };
    assert_eq!(hinted(desktop, android).1, Signals::default());
}

#[test]
fn automation_that_hides_in_the_user_agent_shows_in_the_hints() {
    let headless = Hints {
        brands: Some(r#""HeadlessChrome";v="140", "Chromium";v="140""#),
        ..Hints::default()
    };
    assert_eq!(hinted(WINDOWS, headless).1, Signals::HINTS_AUTOMATION);
    let open = WINDOWS.replace("Chrome/", "HeadlessChrome/");
    assert_eq!(hinted(&open, headless).1, Signals::AUTOMATION);
}

#[test]
fn a_browser_later_than_its_system_s_last_one_is_impossible() {
    let seven = |version: u32| {
        let text = format!(
            "Mozilla/5.0 (Windows NT 6.1; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{version}.0.0.0 Safari/537.36"
        );
        agents().get(&text, &Hints::default()).signals
    };
    assert_eq!(seven(109), Signals::default());
    assert_eq!(seven(110), Signals::IMPOSSIBLE);
}

#[test]
fn the_memory_stays_bounded() {
    let mut memory = Memory::default();
    for number in 0..3 * REMEMBERED {
        memory.keep(number.to_string().into(), Arc::default());
    }
    assert!(memory.young.len() + memory.old.len() <= 2 * REMEMBERED);
    assert!(memory.find("0").is_none());
    assert!(memory.find(&(3 * REMEMBERED - 1).to_string()).is_some());
}

#[test]
fn what_is_remembered_is_short_and_told_apart_by_hints() {
    let agents = Agents {
        patterns: None,
        memory: Mutex::default(),
    };
    agents.get(&"ä".repeat(100_000), &Hints::default());
    agents.get(&"a".repeat(LONGEST_KEPT + 1), &Hints::default());
    assert_eq!(agents.memory().young.len(), 0);
    let platform = |name| Hints {
        platform: Some(name),
        ..Hints::default()
    };
    agents.get(WINDOWS, &Hints::default());
    agents.get(WINDOWS, &platform("\"Windows\""));
    agents.get(WINDOWS, &platform("\"Windows\""));
    agents.get(WINDOWS, &platform("\"macOS\""));
    assert_eq!(agents.memory().young.len(), 3);
    let longest = agents.memory().young.keys().map(|key| key.len()).max();
    assert!(longest <= Some(LONGEST_KEPT));
}

/// Patterns are linear in their input and the input is cut (threat T24): the longest repetitions come to an end.
#[test]
fn hostile_user_agents_come_to_an_end() {
    let pieces = [
        "Mozilla/5.0 ",
        "(",
        ")",
        ";",
        "Android ",
        "Chrome/",
        "1.",
        "/",
        " ",
        "Version/",
        "a",
        "\\",
        "é",
        "+http://",
        "bot",
    ];
    for piece in pieces {
        for more in pieces {
            let text = format!("{piece}{more}").repeat(50_000);
            agents().get(
                &text,
                &Hints {
                    brands: Some(&text),
                    versions: Some(&text),
                    ..Hints::default()
                },
            );
        }
    }
}

proptest::proptest! {
    #[test]
    fn any_user_agent_is_survived(
        start in proptest::sample::select(vec!["", "Mozilla/5.0 (", "Mozilla/5.0 (Linux; Android 14; ", "Opera/9.80 (Android; "]),
        text in ".{0,400}",
        end in proptest::sample::select(vec!["", ") Chrome/140.0.0.0 Mobile Safari/537.36", " Build/", "OPT/", "KAKAOTALK", "Xbox"]),
        hints in proptest::collection::vec(proptest::option::of("[\"\\\\;=, v0-9a-zA-Zé().]{0,60}"), 6),
    ) {
        let text = format!("{start}{text}{end}");
        let hints: Vec<Option<&str>> = hints.iter().map(Option::as_deref).collect();
        let agent = agents().get(&text, &Hints::new(hints.try_into().unwrap()));
        proptest::prop_assert!(agent.model.as_ref().is_none_or(|model| model.len() <= model::LONGEST));
        proptest::prop_assert!(agent.browser_version.as_ref().is_none_or(|version| version.len() <= LONGEST));
    }
}
