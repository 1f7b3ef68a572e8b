//! Desktop, mobile, tablet and the rest: by the user agent, and by the screen where that leaves doubt.

/// The kinds of device that answers distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "lowercase", const_into_str)]
pub enum Device {
    /// Anything with a large, stationary screen.
    Desktop,
    Mobile,
    Tablet,
    /// A television, or a box at one.
    #[strum(serialize = "smarttv")]
    Television,
    Console,
    /// Something on the wrist.
    Wearable,
    /// Something on the head.
    #[strum(serialize = "xr")]
    Headset,
}

impl Device {
    /// As it is stored.
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    pub(super) fn parse(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}

/// What a user agent says about the device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Hint {
    Sure(Device),
    /// A Mac, or an iPad that pretends to be one.
    MacOrPad,
    #[default]
    Unknown,
}

/// Reads a user agent; `text` must be lower case.
pub(super) fn hint(text: &str) -> Hint {
    let has = |word: &str| text.contains(word);
    let is_browser = has("mozilla/") || has("opera/");
    let tablet = has("ipad")
        || has("tablet")
        || has("kindle")
        || has("silk/")
        || has("playbook")
        || (has("android") && is_browser && !has("mobile") && !has("opera mini"));
    if tablet {
        Hint::Sure(Device::Tablet)
    } else if has("iphone")
        || has("ipod")
        || has("windows phone")
        || has("mobile")
        || has("opera mini")
    {
        Hint::Sure(Device::Mobile)
    } else if has("macintosh") && has("version/") && has("safari/") {
        Hint::MacOrPad
    } else if (is_browser || !has("android"))
        && ["windows", "macintosh", "x11", "linux", "cros ", "mozilla/"]
            .iter()
            .any(|word| has(word))
    {
        Hint::Sure(Device::Desktop)
    } else {
        Hint::Unknown
    }
}

/// The device, with a screen size (`WxH`, in CSS pixels) to help.
///
/// iPads say that they are Macs, but report their screen upright, which no Mac does.
pub(in crate::events::enrich) fn refine(hint: Hint, screen: Option<&str>) -> Option<Device> {
    let size = screen.and_then(|screen| {
        let (width, height) = screen.split_once('x')?;
        Some((width.parse::<u32>().ok()?, height.parse::<u32>().ok()?))
    });
    match (hint, size) {
        (Hint::Sure(device), _) => Some(device),
        (Hint::MacOrPad, Some((width, height))) if width < height && width <= 1_032 => {
            Some(Device::Tablet)
        }
        (Hint::MacOrPad, _) => Some(Device::Desktop),
        (Hint::Unknown, Some((width, height))) => Some(match width.min(height) {
            0..600 => Device::Mobile,
            600..900 => Device::Tablet,
            _ => Device::Desktop,
        }),
        (Hint::Unknown, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(agent: &str, screen: Option<&str>) -> Option<Device> {
        refine(hint(&agent.to_ascii_lowercase()), screen)
    }

    #[test]
    fn user_agents_decide() {
        let windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36";
        let iphone = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148 Safari/604.1";
        let tab = "Mozilla/5.0 (Linux; Android 13; SM-X906C) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36";
        let phone = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/126.0.0.0 Mobile Safari/537.36";
        assert_eq!(device(windows, Some("360x800")), Some(Device::Desktop));
        assert_eq!(device(iphone, None), Some(Device::Mobile));
        assert_eq!(device(tab, None), Some(Device::Tablet));
        assert_eq!(device(phone, None), Some(Device::Mobile));
    }

    #[test]
    fn an_ipad_that_claims_to_be_a_mac_is_found_by_its_screen() {
        let mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15";
        assert_eq!(device(mac, Some("1440x900")), Some(Device::Desktop));
        assert_eq!(device(mac, Some("820x1180")), Some(Device::Tablet));
        assert_eq!(device(mac, None), Some(Device::Desktop));
    }

    #[test]
    fn without_a_user_agent_the_screen_decides() {
        assert_eq!(device("", Some("390x844")), Some(Device::Mobile));
        assert_eq!(device("", Some("1024x768")), Some(Device::Tablet));
        assert_eq!(device("", Some("1920x1080")), Some(Device::Desktop));
        assert_eq!(device("curl/8.5.0", None), None);
        assert_eq!(device("", Some("wide")), None);
    }
}
