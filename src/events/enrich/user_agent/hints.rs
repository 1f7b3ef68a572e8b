//! Client hints (`Sec-CH-UA…`), which browsers send beside a reduced user agent.
//!
//! Only Chromium sends them, and only over https. The brand distinguishes browsers that share a user agent (Brave), the
//! platform's version distinguishes Windows 11 from 10, and phones name their model here or nowhere. A hint that contradicts
//! the user agent is a signal ([`Signals`]) and otherwise not believed.

use std::{collections::HashMap, sync::LazyLock};

use super::{
    Agent, Hint,
    device::Device,
    model,
    patterns::{NAMES, version_at},
};
use crate::events::enrich::bot::{Signals, names_automation};

/// Bytes of one hint that are looked at.
const LONGEST: usize = 256;
/// Characters of a brand that no table knows.
const LONGEST_NAME: usize = 32;

/// The headers, as sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hints<'a> {
    /// `Sec-CH-UA`
    pub brands: Option<&'a str>,
    /// `Sec-CH-UA-Full-Version-List`
    pub versions: Option<&'a str>,
    /// `Sec-CH-UA-Platform`
    pub platform: Option<&'a str>,
    /// `Sec-CH-UA-Platform-Version`
    pub platform_version: Option<&'a str>,
    /// `Sec-CH-UA-Model`
    pub model: Option<&'a str>,
    /// `Sec-CH-UA-Form-Factors`
    pub form: Option<&'a str>,
}

impl<'a> Hints<'a> {
    /// The header that each hint comes in, in the order of [`Self::new`].
    pub const HEADERS: [&'static str; 6] = [
        "sec-ch-ua",
        "sec-ch-ua-full-version-list",
        "sec-ch-ua-platform",
        "sec-ch-ua-platform-version",
        "sec-ch-ua-model",
        "sec-ch-ua-form-factors",
    ];

    /// From the values of [`Self::HEADERS`].
    pub const fn new(values: [Option<&'a str>; 6]) -> Self {
        let [brands, versions, platform, platform_version, model, form] = values;
        Self {
            brands,
            versions,
            platform,
            platform_version,
            model,
            form,
        }
    }

    pub(super) const fn all(&self) -> [Option<&'a str>; 6] {
        [
            self.brands,
            self.versions,
            self.platform,
            self.platform_version,
            self.model,
            self.form,
        ]
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn len(&self) -> usize {
        self.all().into_iter().flatten().map(str::len).sum()
    }

    pub(super) fn cut(&self) -> Self {
        let cut = |hint: &'a str| &hint[..hint.floor_char_boundary(LONGEST)];
        Self::new(self.all().map(|hint| hint.map(cut)))
    }
}

/// The browser behind a brand; `None` = it says nothing of its own.
static BRANDS: LazyLock<HashMap<&'static str, Option<&'static str>>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let (brand, name) = line.strip_prefix("brand\t")?.split_once('\t')?;
        Some((brand, (name != "-").then_some(name)))
    };
    NAMES.lines().filter_map(row).collect()
});

/// Adds to an agent what its hints say; `lower` is its user agent in lower case.
pub(super) fn apply(hints: &Hints<'_>, lower: &str, agent: &mut Agent) {
    let platform = hints.platform.map(unquoted).unwrap_or_default();
    let brands = hints.brands.map(list).unwrap_or_default();
    let automation = brands
        .iter()
        .any(|(brand, _)| names_automation(&brand.to_ascii_lowercase()));
    if automation && !names_automation(lower) {
        agent.signals = agent.signals.with(Signals::HINTS_AUTOMATION);
    }
    if !lower.contains("chrome/") || contradicts(agent.os_name.as_deref(), &platform) {
        agent.signals = agent.signals.with(Signals::HINTS_CONTRADICT);
        return;
    }
    browser(hints, &brands, agent);
    system(hints, &platform, agent);
    device(hints, agent);
}

fn browser(hints: &Hints<'_>, brands: &[(String, String)], agent: &mut Agent) {
    let versions = hints.versions.map(list).unwrap_or_default();
    let shared = ["Chrome", "Chrome Mobile", "Chrome Mobile WebView"];
    let is_shared = agent
        .browser_name
        .as_deref()
        .is_none_or(|name| shared.contains(&name));
    let told = versions
        .iter()
        .chain(brands)
        .find_map(|(brand, _)| own_name(brand));
    if let (true, Some(name)) = (is_shared, told) {
        agent.browser_name = Some(name);
    }
    let name = agent.browser_name.as_deref().unwrap_or_default();
    let of_chrome =
        |brand: &str| shared.contains(&name) && matches!(brand, "Google Chrome" | "Chromium");
    let version = |list: &[(String, String)]| {
        let own = list
            .iter()
            .find(|(brand, _)| own_name(brand).as_deref() == Some(name));
        let found = own.or_else(|| list.iter().find(|(brand, _)| of_chrome(brand)));
        found.and_then(|(_, version)| version_at(version))
    };
    let named_by_hint = is_shared && !shared.contains(&name);
    let found = version(&versions).or_else(|| named_by_hint.then(|| version(brands)).flatten());
    if let Some(found) = found {
        agent.browser_version = Some(found);
    }
}

/// The name that a brand gives a browser, unless it is one that Chromium makes up or that all of them share.
fn own_name(brand: &str) -> Option<String> {
    if let Some(known) = BRANDS.get(brand) {
        return known.map(str::to_owned);
    }
    let letters: String = brand.chars().filter(char::is_ascii_alphabetic).collect();
    let made_up = letters.starts_with("Not") && letters.ends_with("Brand");
    let plain = |letter: char| letter.is_alphanumeric() || matches!(letter, ' ' | '.' | '-');
    let fits = !brand.is_empty()
        && brand.chars().count() <= LONGEST_NAME
        && brand.chars().all(plain)
        && !names_automation(&brand.to_ascii_lowercase());
    (fits && !made_up).then(|| brand.to_owned())
}

fn system(hints: &Hints<'_>, platform: &str, agent: &mut Agent) {
    let told = hints.platform_version.map(unquoted).unwrap_or_default();
    let Some(version) = version_at(&told) else {
        return;
    };
    let major = version
        .split('.')
        .next()
        .and_then(|major| major.parse::<u32>().ok());
    agent.os_version = match platform {
        "Windows" => Some(match (major, version.as_str()) {
            (Some(13..), _) => "11".to_owned(),
            (Some(1..), _) => "10".to_owned(),
            (_, "0.3") => "8.1".to_owned(),
            (_, "0.2") => "8".to_owned(),
            _ => "7".to_owned(),
        }),
        "macOS" | "Android" | "Chrome OS" | "Chromium OS" => Some(version),
        _ => return,
    };
}

fn device(hints: &Hints<'_>, agent: &mut Agent) {
    let model = hints.model.map(unquoted).unwrap_or_default();
    let model = model.trim();
    if !model.is_empty() && model.len() <= model::LONGEST {
        let made = model::by_model(model);
        agent.brand = made.brand.or(agent.brand);
        agent.model = Some(model.to_owned());
        if let Some(device) = made.device {
            agent.device = Hint::Sure(device);
        }
    }
    let forms = hints.form.map(list).unwrap_or_default();
    let form = forms.iter().find_map(|(form, _)| match form.as_str() {
        "Desktop" => Some(Device::Desktop),
        "Mobile" => Some(Device::Mobile),
        "Tablet" => Some(Device::Tablet),
        "XR" => Some(Device::Headset),
        "Watch" => Some(Device::Wearable),
        _ => None,
    });
    if let Some(form) = form {
        agent.device = Hint::Sure(form);
    }
}

/// Whether the platform of the hints is not the user agent's system. Android asks for desktop pages as Linux.
fn contradicts(system: Option<&str>, platform: &str) -> bool {
    let family = match platform {
        "Windows" => 1,
        "macOS" => 2,
        "Chrome OS" | "Chromium OS" => 3,
        "Android" | "Linux" => 4,
        _ => return false,
    };
    let said = match system {
        Some("Windows") => 1,
        Some("macOS") => 2,
        Some("Chrome OS") => 3,
        Some("Android" | "Linux" | "Ubuntu" | "Fedora" | "Debian") => 4,
        _ => return false,
    };
    family != said
}

/// A structured string without its quotes.
fn unquoted(text: &str) -> String {
    let inner = text
        .trim()
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    inner.unwrap_or(text.trim()).replace('\\', "")
}

/// A structured list of strings, each with its parameter `v`: `"Chromium";v="126", "Brave";v="126"`.
fn list(text: &str) -> Vec<(String, String)> {
    let mut items: Vec<(String, String)> = Vec::new();
    let mut rest = text;
    while let Some((before, inner)) = rest.split_once('"') {
        let mut value = String::new();
        let mut letters = inner.char_indices();
        let mut end = inner.len();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\\' => value.extend(letters.next().map(|(_, next)| next)),
                '"' => {
                    end = at + 1;
                    break;
                }
                _ => value.push(letter),
            }
        }
        match items.last_mut() {
            Some(last) if before.trim() == ";v=" => last.1 = value,
            _ => items.push((value, String::new())),
        }
        rest = &inner[end..];
    }
    items
}
