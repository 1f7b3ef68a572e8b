//! What a product found out about a visitor, in our words.

use super::clip;
use crate::events::event::Event;

/// Browsers under the names that we use, by how theirs begin.
const BROWSERS: [(&str, &str); 17] = [
    ("android webview", "Android Browser"),
    ("android", "Android Browser"),
    ("chrome", "Chrome"),
    ("crios", "Chrome"),
    ("microsoft edge", "Edge"),
    ("edge", "Edge"),
    ("mobile firefox", "Firefox"),
    ("firefox", "Firefox"),
    ("fxios", "Firefox"),
    ("internet explorer", "Internet Explorer"),
    ("ios", "Safari"),
    ("opera mini", "Opera Mini"),
    ("opera", "Opera"),
    ("mobile safari", "Safari"),
    ("safari", "Safari"),
    ("samsung", "Samsung Internet"),
    ("mobile chrome", "Chrome"),
];
/// Systems under the names that we use, by how theirs begin.
const SYSTEMS: [(&str, &str); 9] = [
    ("android", "Android"),
    ("chrome os", "Chrome OS"),
    ("gnu/linux", "Linux"),
    ("ios", "iOS"),
    ("ipados", "iOS"),
    ("linux", "Linux"),
    ("mac", "macOS"),
    ("ubuntu", "Ubuntu"),
    ("windows", "Windows"),
];
/// Devices under the names that we use; the others are called the same.
const DEVICES: [(&str, &str); 6] = [
    ("laptop", "desktop"),
    ("phablet", "mobile"),
    ("smart tv", "smarttv"),
    ("smartphone", "mobile"),
    ("tv", "smarttv"),
    ("web", "desktop"),
];

/// Browser, system, device and place. What is `None` is unknown.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    pub(super) browser: Option<String>,
    pub(super) browser_version: Option<String>,
    pub(super) os: Option<String>,
    pub(super) os_version: Option<String>,
    pub(super) device: Option<String>,
    pub(super) brand: Option<String>,
    pub(super) model: Option<String>,
    /// ISO 3166-1 alpha-2, in any case.
    pub(super) country: Option<String>,
    pub(super) region: Option<String>,
    pub(super) city: Option<String>,
}

impl Known {
    /// Puts it on an event.
    pub(super) fn stamp(self, event: &mut Event) {
        event.browser_name = self.browser.map(|name| translate(&BROWSERS, name));
        event.browser_version = clip(self.browser_version);
        event.os_name = self.os.map(|name| translate(&SYSTEMS, name));
        event.os_version = clip(self.os_version);
        event.device_type = self.device.map(|device| {
            let device = device.to_ascii_lowercase();
            let known = DEVICES.iter().find(|(name, _)| *name == device);
            known.map_or(device, |(_, own)| (*own).to_owned())
        });
        event.device_brand = clip(self.brand);
        event.device_model = clip(self.model);
        event.country = self
            .country
            .filter(|code| code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_alphabetic()))
            .map(|code| code.to_ascii_uppercase());
        event.region = clip(self.region);
        event.city = clip(self.city);
    }
}

fn translate(names: &[(&str, &str)], text: String) -> String {
    let lower = text.to_ascii_lowercase();
    let found = names.iter().find(|(name, _)| lower.starts_with(name));
    let other = || clip(Some(text)).unwrap_or_default();
    found.map_or_else(other, |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_we_use() {
        for (theirs, ours) in [
            ("Mobile Safari", "Safari"),
            ("Chrome Mobile iOS", "Chrome"),
            ("Microsoft Edge", "Edge"),
            ("edge-chromium", "Edge"),
            ("Opera Mini", "Opera Mini"),
            ("Brave", "Brave"),
        ] {
            assert_eq!(translate(&BROWSERS, theirs.to_owned()), ours);
        }
        let known = Known {
            os: Some("Macintosh".to_owned()),
            device: Some("Smartphone".to_owned()),
            country: Some("de".to_owned()),
            ..Known::default()
        };
        let mut event = Event::default();
        known.stamp(&mut event);
        let found = [event.os_name, event.device_type, event.country].map(Option::unwrap);
        assert_eq!(found, ["macOS", "mobile", "DE"]);
    }
}
