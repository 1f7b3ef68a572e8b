//! Forms: the data that a browser sends, and tables of inputs that fill, draw and read one.

mod choices;
mod draw;
mod fill;
mod input;
mod multipart;
mod read;
mod request;
mod rows;
mod upload;
mod windows;

pub(in crate::http::pages) use self::{
    choices::Choices,
    fill::text,
    input::{Empty, Input, Inputs, Kind, Need, Section},
    multipart::Multipart,
    rows::Rows,
    upload::file as uploaded_file,
    windows::Windows,
};
use crate::{
    clock::iso_ms,
    fault::{Fault, Issue},
    pages::time::DateFormat,
};

/// The fields of a form, in their order.
#[derive(Debug, Clone, Default)]
pub(in crate::http::pages) struct FormData(Vec<(String, String)>);

impl From<Vec<(String, String)>> for FormData {
    fn from(fields: Vec<(String, String)>) -> Self {
        Self(fields)
    }
}

/// The value that was read of a form, unless there are issues.
///
/// # Errors
/// The issues, with the message `what`.
pub(in crate::http::pages) fn value_or_issues<T>(
    read: T,
    issues: Vec<Issue>,
    what: &'static str,
) -> Result<T, Fault> {
    if issues.is_empty() {
        Ok(read)
    } else {
        Err(Fault::issues(what, issues))
    }
}

impl FormData {
    /// Reads the body that a browser sends.
    pub(in crate::http::pages) fn read(bytes: &[u8]) -> Self {
        Self(url::form_urlencoded::parse(bytes).into_owned().collect())
    }

    /// A form with these fields.
    pub(in crate::http::pages) fn with<'a>(
        fields: impl IntoIterator<Item = (&'a str, String)>,
    ) -> Self {
        let owned = fields
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        Self(owned.collect())
    }

    /// The same with another field.
    #[cfg(test)]
    pub(in crate::http::pages) fn and(mut self, name: &str, value: &str) -> Self {
        self.push(name, value);
        self
    }

    fn push(&mut self, name: &str, value: impl Into<String>) {
        self.0.push((name.to_owned(), value.into()));
    }

    /// A field as it was sent; empty when it was not.
    pub(in crate::http::pages) fn raw(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(own, _)| own == name);
        found.map_or("", |(_, value)| value)
    }

    /// A field without the white space around it.
    pub(in crate::http::pages) fn text(&self, name: &str) -> &str {
        self.raw(name).trim()
    }

    /// A field without the white space around it, unless that is all.
    pub(in crate::http::pages) fn some(&self, name: &str) -> Option<&str> {
        Some(self.text(name)).filter(|text| !text.is_empty())
    }

    /// Every value of a field.
    pub(in crate::http::pages) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let own = self.0.iter().filter(move |(own, _)| own == name);
        own.map(|(_, value)| value.as_str())
    }

    /// The fields whose names begin so, by the rest of their names, without the white space around their values.
    pub(in crate::http::pages) fn below<'a>(
        &'a self,
        prefix: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        let own = self.0.iter();
        own.filter_map(move |(own, value)| Some((own.strip_prefix(prefix)?, value.trim())))
    }

    /// The lines of a field that are not empty.
    pub(in crate::http::pages) fn lines(&self, name: &str) -> Vec<&str> {
        let lines = self.raw(name).lines().map(str::trim);
        lines.filter(|line| !line.is_empty()).collect()
    }

    /// The words of a field, separated by commas.
    pub(in crate::http::pages) fn words(&self, name: &str) -> Vec<&str> {
        let words = self.raw(name).split(',').map(str::trim);
        words.filter(|word| !word.is_empty()).collect()
    }

    /// The number in a field that is not empty. Other text is an issue.
    pub(in crate::http::pages) fn number<N: std::str::FromStr>(
        &self,
        name: &str,
        issues: &mut Vec<Issue>,
    ) -> Option<N> {
        let read = self.some(name)?.parse();
        if read.is_err() {
            issues.push(Issue::new("invalid_type", name, "must be a number"));
        }
        read.ok()
    }

    /// The JSON in a field that is not empty. Other text is an issue with its position.
    pub(in crate::http::pages) fn json(
        &self,
        name: &str,
        issues: &mut Vec<Issue>,
    ) -> Option<serde_json::Value> {
        let read = serde_json::from_str(self.some(name)?);
        read.map_err(|error| {
            issues.push(Issue::new(
                "invalid",
                name,
                format!("must be valid JSON: {error}"),
            ));
        })
        .ok()
    }

    /// The moment in a field that is not empty, as the API writes it. Other text is an issue.
    pub(in crate::http::pages) fn moment(
        &self,
        name: &str,
        date_format: &DateFormat,
        issues: &mut Vec<Issue>,
    ) -> Option<String> {
        let read = date_format.parse_field(self.some(name)?);
        if read.is_none() {
            issues.push(Issue::new("invalid", name, "must be a date and a time"));
        }
        read.map(iso_ms)
    }

    /// Whether a box is ticked.
    pub(in crate::http::pages) fn is_on(&self, name: &str) -> bool {
        self.0.iter().any(|(own, _)| own == name)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::pages::problem::Problems;

    const FORM: &[Section] = &[
        Section::plain(&[
            Input::line("name", "Name").required(),
            Input::choice("often", "How often", &[("day", "Daily")]).usual("day"),
        ]),
        Section::behind(
            "Further",
            &[
                Input::number("expect.days", "Days").only(&["web"]),
                Input::new(Kind::Moment, "endsAt", "Ends").empty(Empty::Missing),
                Input::new(Kind::Several(&[("a", "A"), ("b", "B")]), "scopes", "It may"),
            ],
        ),
    ];

    #[test]
    fn a_table_reads_what_it_filled_and_reports_missing_fields() {
        let date_format = DateFormat::default();
        let web = Inputs::new(FORM, "web", &date_format);
        let whole = json!({
            "name": "A", "often": "week", "expect": { "days": 3 }, "endsAt": "2026-12-31T10:00:00.000Z", "scopes": ["b"],
        });
        let sent = web.fill(&whole).unwrap();
        assert_eq!(Value::Object(web.read(&sent).unwrap()), whole);
        let other = Inputs::new(FORM, "other", &date_format);
        let blank = other.fill(&()).unwrap();
        assert_eq!(blank.text("often"), "day");
        let problems = Problems::from_fault(other.read(&blank).unwrap_err()).unwrap();
        assert_eq!(problems.beside("endsAt"), ["This field is required"]);
        let drawn = other.draw(&blank, &Choices::default(), &problems);
        let drawn = drawn.into_string();
        assert!(
            drawn.contains("class=\"behind\" open") && !drawn.contains("expect.days"),
            "{drawn}"
        );
    }

    #[test]
    fn fields_are_read_as_browsers_write_them() {
        let sent = FormData::read("name=+A%26B+&x=1&x=2&%C3%A4=%F0%9F%8C%8D&bad=%ff".as_bytes());
        assert_eq!((sent.raw("name"), sent.text("name")), (" A&B ", "A&B"));
        assert_eq!(sent.raw("x"), "1");
        assert_eq!(sent.raw("ä"), "🌍");
        assert_eq!(sent.raw("bad"), "\u{fffd}");
        assert!(sent.is_on("x") && !sent.is_on("y"));
        assert_eq!(FormData::read(b"").raw("x"), "");
        assert_eq!(sent.all("x").collect::<Vec<_>>(), ["1", "2"]);
        let mut issues = Vec::new();
        assert_eq!(sent.number("x", &mut issues), Some(1_u8));
        assert_eq!(sent.number::<u8>("none", &mut issues), None);
        assert!(issues.is_empty());
        assert_eq!(sent.number::<u8>("name", &mut issues), None);
        assert_eq!(issues[0].field, "name");
        let area = FormData::with([("a", " b \r\n\r\nc".to_owned())]);
        assert_eq!(area.lines("a"), ["b", "c"]);
        assert_eq!(
            (area.some("a"), area.some("b")),
            (Some("b \r\n\r\nc"), None)
        );
    }
}
