//! What a text may be.

use super::ScimError;

/// Characters of one text.
const MAX_TEXT: usize = 254;

/// Refuses texts that are too long or have control characters, which databases and lines of text do not take.
pub(super) fn check<'a>(texts: impl IntoIterator<Item = &'a String>) -> Result<(), ScimError> {
    let is_fine =
        |text: &String| text.chars().count() <= MAX_TEXT && !text.chars().any(char::is_control);
    if texts.into_iter().all(is_fine) {
        return Ok(());
    }
    Err(ScimError::Value(format!(
        "A text has at most {MAX_TEXT} characters, and no control characters"
    )))
}

/// The value of a required text.
pub(super) fn require(name: &str, text: Option<&str>) -> Result<(), ScimError> {
    match text.map(str::trim) {
        None | Some("") => Err(ScimError::Value(format!("`{name}` is required"))),
        Some(_) => Ok(()),
    }
}
