//! Pictures beside names: flags of countries, marks of browsers and systems, kinds of devices.

use maud::{Markup, html};

use super::assets::BRANDS;

/// A word within a browser's name in lower case, and its symbol; the first one that fits.
const BROWSERS: [(&str, &str); 11] = [
    ("edge", "browser"),
    ("firefox", "firefox"),
    ("opera", "opera"),
    ("brave", "brave"),
    ("duckduckgo", "duckduckgo"),
    ("vivaldi", "vivaldi"),
    ("tor browser", "tor"),
    ("samsung", "browser"),
    ("chrome", "chrome"),
    ("chromium", "chrome"),
    ("safari", "safari"),
];

/// The same of operating systems.
const SYSTEMS: [(&str, &str); 9] = [
    ("windows", "windows"),
    ("mac", "apple"),
    ("ios", "apple"),
    ("ipados", "apple"),
    ("android", "android"),
    ("chrome", "chrome"),
    ("ubuntu", "ubuntu"),
    ("linux", "linux"),
    ("bsd", "system"),
];

const DEVICES: [(&str, &str); 3] = [
    ("desktop", "desktop"),
    ("mobile", "mobile"),
    ("tablet", "tablet"),
];

/// The picture beside a value of a field, where the field has pictures.
pub fn draw_brand(field: &str, value: &str) -> Option<Markup> {
    let (symbols, other): (&[(&str, &str)], _) = match field {
        "country" => return flag(value).map(|flag| html! { (flag) }),
        "browser_name" => (&BROWSERS, "browser"),
        "os_name" => (&SYSTEMS, "system"),
        "device_type" => (&DEVICES, "device"),
        _ => return None,
    };
    let value = value.to_lowercase();
    let found = symbols.iter().find(|(word, _)| value.contains(word));
    let symbol = found.map_or(other, |(_, symbol)| symbol);
    let address = format!("{}#{symbol}", BRANDS.path());
    Some(
        html! { svg.brand-mark viewBox="0 0 24 24" width="14" height="14" { use href=(address) {} } },
    )
}

/// The flag of a country, as letters that fonts draw as one.
fn flag(code: &str) -> Option<String> {
    let letter = |letter: char| char::from_u32(0x1_F1E6 + (letter as u32).checked_sub('A' as u32)?);
    let letters = code.chars().filter(char::is_ascii_uppercase).map(letter);
    let flag: String = letters.collect::<Option<_>>()?;
    (flag.chars().count() == 2).then_some(flag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn countries_have_flags() {
        assert_eq!(flag("DE").as_deref(), Some("🇩🇪"));
        assert_eq!((flag(""), flag("??")), (None, None));
    }

    #[test]
    fn what_is_not_known_has_the_picture_of_its_field_and_every_symbol_is_there() {
        let drawn = |field: &str, value: &str| draw_brand(field, value).unwrap().into_string();
        assert!(drawn("browser_name", "Mobile Safari").contains("#safari\""));
        assert!(drawn("browser_name", "Chrome Mobile").contains("#chrome\""));
        assert!(drawn("browser_name", "Lynx").contains("#browser\""));
        assert!(drawn("os_name", "Mac OS X").contains("#apple\""));
        assert!(drawn("device_type", "watch").contains("#device\""));
        assert!(draw_brand("path", "/").is_none());
        let others = [("", "browser"), ("", "system"), ("", "device")];
        for (_, symbol) in BROWSERS
            .iter()
            .chain(&SYSTEMS)
            .chain(&DEVICES)
            .chain(&others)
        {
            assert!(
                BRANDS.text.contains(&format!("id=\"{symbol}\"")),
                "{symbol}"
            );
        }
    }
}
