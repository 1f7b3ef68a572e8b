//! The outlines of countries.

use std::sync::LazyLock;

/// See the head of the file for its source and its licence.
const TEXT: &str = include_str!("world.txt");
/// The size of the map, as `scripts/world-map` draws it.
pub(super) const WIDTH: u16 = 1_000;
pub(super) const HEIGHT: u16 = 435;
/// The radius of a country that is too small for an outline.
const RADIUS: u8 = 4;

/// Countries by their ISO 3166-1 codes with their paths, in the order of the codes.
pub(super) static OUTLINES: LazyLock<Vec<(&str, String)>> = LazyLock::new(|| {
    let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
    let pairs = lines.filter_map(|line| line.split_once(' '));
    pairs.map(|(code, drawn)| (code, path(drawn))).collect()
});

/// A path as it is, or the square around a point.
fn path(drawn: &str) -> String {
    if drawn.starts_with('M') {
        return drawn.to_owned();
    }
    format!("M{drawn}m0-{RADIUS}l{RADIUS} {RADIUS}-{RADIUS} {RADIUS}-{RADIUS}-{RADIUS}z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlines_are_small_and_stay_on_the_map() {
        assert!(TEXT.len() <= 60_000, "{} bytes", TEXT.len());
        assert!(TEXT.contains("public domain") && TEXT.contains("ISC"));
        assert!(TEXT.contains(&format!("viewBox 0 0 {WIDTH} {HEIGHT}\n")));
        assert!(
            OUTLINES.windows(2).all(|pair| pair[0].0 < pair[1].0),
            "none is there twice"
        );
        for (code, path) in OUTLINES.iter() {
            assert_eq!(code.len(), 2, "{code}");
            assert!(
                path.starts_with('M') && path.ends_with('z'),
                "{code}: {path}"
            );
        }
        assert_eq!(path("10 20"), "M10 20m0-4l4 4-4 4-4-4z");
    }
}
