//! Who made a device and which one it is: by words of the user agent, and by the model that Android names.

use std::sync::LazyLock;

use super::device::Device;

const TABLE: &str = include_str!("../../../../tables/devices.tsv");

/// Bytes of a model's name that are kept.
pub(super) const LONGEST: usize = 64;

/// What is known of a device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DeviceModel {
    pub(super) brand: Option<&'static str>,
    pub(super) model: Option<String>,
    pub(super) device: Option<Device>,
}

struct Row {
    is_model: bool,
    word: &'static str,
    brand: Option<&'static str>,
    model: Option<&'static str>,
    device: Option<Device>,
}

/// Words in the order of the table, then models, the longest first.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let mut rows: Vec<Row> = TABLE
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(row)
        .collect();
    rows.sort_by_key(|row| {
        (
            row.is_model,
            row.is_model.then_some(usize::MAX - row.word.len()),
        )
    });
    rows
});

fn row(line: &'static str) -> Option<Row> {
    let known = |text: &'static str| (text != "-").then_some(text);
    let fields: Vec<&'static str> = line.split('\t').collect();
    let [how, word, brand, model, device] = fields[..] else {
        return None;
    };
    Some(Row {
        is_model: how == "model",
        word,
        brand: known(brand),
        model: known(model),
        device: known(device).and_then(Device::parse),
    })
}

/// Reads a user agent; `lower` is `text` in lower case.
pub(super) fn read(text: &str, lower: &str) -> DeviceModel {
    let mut found = DeviceModel::default();
    if let Some(model) = android_model(text, lower) {
        found = by_model(model);
        found.model = Some(model.to_owned());
    }
    let words = ROWS.iter().filter(|row| !row.is_model);
    if let Some(row) = words.into_iter().find(|row| lower.contains(row.word)) {
        found.brand = found.brand.or(row.brand);
        found.model = found.model.or_else(|| row.model.map(str::to_owned));
        found.device = row.device.or(found.device);
    }
    found
}

/// What a model's name alone says.
pub(super) fn by_model(model: &str) -> DeviceModel {
    let lower = model.to_ascii_lowercase();
    let mut models = ROWS.iter().filter(|row| row.is_model);
    models
        .find(|row| lower.starts_with(row.word))
        .map(|row| DeviceModel {
            brand: row.brand,
            model: None,
            device: row.device,
        })
        .unwrap_or_default()
}

/// `Pixel 8` of `(Linux; Android 14; Pixel 8 Build/UD1A)`.
fn android_model<'a>(text: &'a str, lower: &str) -> Option<&'a str> {
    let android = lower
        .find("android")
        .filter(|_| !lower.contains("windows phone"))?;
    let rest = &text[android..];
    // A name may contain brackets: `moto g(7)`.
    let mut depth = 1;
    let end = rest.find(|letter| {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    rest[..end.unwrap_or(rest.len())]
        .split(';')
        .skip(1)
        .find_map(|part| {
            let part = part.trim();
            let part = part.split(" Build/").next().unwrap_or(part).trim_end();
            is_model(part).then_some(part)
        })
}

/// Whether a part of the bracket names a device, and is neither a language nor a word of the browser's.
fn is_model(part: &str) -> bool {
    let lower = part.to_ascii_lowercase();
    let language = {
        let mut letters = lower.split(['-', '_']);
        letters.next().is_some_and(|first| first.len() == 2)
            && letters.next().is_none_or(|second| second.len() == 2)
            && letters.next().is_none()
            && lower
                .bytes()
                .all(|byte| byte.is_ascii_alphabetic() || byte == b'-' || byte == b'_')
    };
    let other = [
        "u",
        "k",
        "wv",
        "mobile",
        "tablet",
        "tv",
        "vr",
        "harmonyos",
        "linux",
        "arm_64",
    ];
    !part.is_empty()
        && part.len() <= LONGEST
        && !language
        && !other.contains(&lower.as_str())
        && ![
            "rv:",
            "build/",
            "hmscore",
            "android",
            "opera mini",
            "gmscore",
        ]
        .iter()
        .any(|start| lower.starts_with(start))
}
