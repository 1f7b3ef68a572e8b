//! The files that pages load: one stylesheet, one script, one picture. They are compiled in. Their names
//! hash their content, which lets browsers keep their copies forever.

use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

/// Where assets are.
pub const FOLDER: &str = "/console/assets/";

/// A file.
#[derive(Debug)]
pub struct Asset {
    /// Its name, with a hash of its bytes.
    pub name: String,
    /// Its media type.
    pub media: &'static str,
    pub text: &'static str,
}

impl Asset {
    fn new(stem: &str, ending: &str, media: &'static str, text: &'static str) -> Self {
        let digest = Sha256::digest(text.as_bytes());
        let print = data_encoding::HEXLOWER.encode(&digest[..8]);
        let name = format!("{stem}-{print}{ending}");
        Self { name, media, text }
    }

    pub fn path(&self) -> String {
        format!("{FOLDER}{}", self.name)
    }
}

/// Spaces of a stylesheet that separate nothing. No string in ours has them.
const SPACES: [(&str, &str); 5] = [
    (" {", "{"),
    ("{ ", "{"),
    ("; }", "}"),
    ("; ", ";"),
    (": ", ":"),
];

/// The same without indentation, without lines that are comments, and without spaces that separate nothing.
fn pack(text: &str) -> &'static str {
    let lines = text.lines().map(str::trim_start);
    let lines: Vec<&str> = lines.filter(|line| !line.starts_with("/*")).collect();
    let lines = lines.join("\n");
    let packed = SPACES
        .iter()
        .fold(lines, |text, (from, to)| text.replace(from, to));
    packed.leak()
}

const STYLES: &str = concat!(
    include_str!("assets/base.css"),
    include_str!("assets/frame.css"),
    include_str!("assets/parts.css"),
    include_str!("assets/charts.css"),
    include_str!("assets/uptime.css"),
    include_str!("assets/monitors.css"),
    include_str!("assets/products.css"),
);

/// The stylesheet.
pub static STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("console", ".css", "text/css; charset=utf-8", pack(STYLES)));

/// The script, without which every page works too.
pub static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let text = concat!(
        include_str!("assets/console.js"),
        include_str!("assets/charts.js"),
        include_str!("assets/preview.js"),
        include_str!("assets/passkeys.js"),
    );
    Asset::new("console", ".js", "text/javascript; charset=utf-8", text)
});

/// What the documentation adds to the stylesheet and to the script.
pub static DOCS_STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let text = include_str!("assets/docs.css");
    Asset::new("docs", ".css", "text/css; charset=utf-8", text)
});

pub static DOCS_SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let text = include_str!("assets/docs.js");
    Asset::new("docs", ".js", "text/javascript; charset=utf-8", text)
});

/// The picture of the program.
pub static ICON: LazyLock<Asset> = LazyLock::new(|| {
    let text = include_str!("assets/icon.svg");
    Asset::new("icon", ".svg", "image/svg+xml", text)
});

/// Symbols of browsers, operating systems and kinds of devices.
pub static BRANDS: LazyLock<Asset> = LazyLock::new(|| {
    let text = include_str!("assets/brands.svg");
    Asset::new("brands", ".svg", "image/svg+xml", text)
});

/// Every file.
pub fn all() -> [&'static Asset; 6] {
    [&STYLE, &SCRIPT, &DOCS_STYLE, &DOCS_SCRIPT, &ICON, &BRANDS]
}

/// The file of a name, if its hash is today's.
pub fn find(name: &str) -> Option<&'static Asset> {
    all().into_iter().find(|asset| asset.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_the_name_that_their_bytes_give_them() {
        for asset in all() {
            assert!(std::ptr::eq(find(&asset.name).unwrap(), asset));
            assert!(asset.path().starts_with(FOLDER));
        }
        assert!(find("console.css").is_none() && find("").is_none());
        let other = Asset::new("console", ".css", "text/css", "body{}");
        assert_ne!(other.name, STYLE.name, "other bytes, another name");
    }

    #[test]
    fn strings_of_stylesheets_keep_their_spaces() {
        let strings: Vec<&str> = STYLES.split('"').skip(1).step_by(2).collect();
        let packed: Vec<&str> = STYLE.text.split('"').skip(1).step_by(2).collect();
        assert_eq!(strings, packed);
        assert_eq!(
            pack("/* a */\na {\n  b: \"c\"; d: e;\n}\n"),
            "a{\nb:\"c\";d:e;\n}"
        );
    }

    #[test]
    fn the_script_of_charts_is_small() {
        use std::io::Write as _;

        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packed
            .write_all(include_bytes!("assets/charts.js"))
            .unwrap();
        let size = packed.finish().unwrap().len();
        assert!(size <= 8_192, "{size} bytes");
    }

    #[test]
    fn nothing_of_others_is_loaded() {
        for asset in all() {
            let text = asset.text.replace("http://www.w3.org/2000/svg", "");
            for word in ["http:", "https:", "@import", "url(", "eval("] {
                assert!(!text.contains(word), "{} has {word}", asset.name);
            }
        }
    }
}
