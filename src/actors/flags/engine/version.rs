//! Versions, compared by semver; what is missing is zero, and a `v` in front is not part of it.

use semver::Version;

/// Reads a version such as `1.4`, `v2.0.0-beta.1` or `3`.
pub(super) fn version(text: &str) -> Option<Version> {
    let text = text.trim();
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    if let Ok(version) = Version::parse(text) {
        return Some(version);
    }
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (core, rest) = text.split_at(end);
    let missing = 2_usize.checked_sub(core.matches('.').count())?;
    Version::parse(&format!("{core}{}{rest}", ".0".repeat(missing))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_an_order() {
        let ascending = [
            "1",
            "1.0.1",
            "v1.2-beta",
            "1.2",
            "1.10.0",
            "2.0.0-rc.1",
            "V2",
        ];
        let versions: Vec<_> = ascending
            .into_iter()
            .map(|text| version(text).unwrap())
            .collect();
        assert!(versions.is_sorted_by(|one, other| one < other));
        for wrong in ["", "x", "1.2.3.4", "1..2", "1.2.x"] {
            assert_eq!(version(wrong), None, "{wrong}");
        }
    }
}
