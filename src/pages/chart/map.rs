//! A number by country on a map of the world.

use maud::{Markup, html};

use super::world::{HEIGHT, OUTLINES, WIDTH};
use crate::locale::Texts;

/// A country with a number.
#[derive(Debug, Clone, PartialEq)]
pub struct Country {
    /// ISO 3166-1 alpha-2.
    pub code: String,
    /// Its name and number: `Germany: 12 pageviews`.
    pub label: String,
    /// Its number, of the largest one's: 0 to 1.
    pub share: f64,
    /// The address of a click.
    pub link: Option<String>,
}

/// The largest share of each color but the strongest: few countries have most, so the steps are not even.
const STEPS: [f64; 3] = [0.03, 0.15, 0.5];

/// The map with its legend. Every country with a number is reached by keys, and its label is shown on hover and on focus. `written`
/// writes the number of a share, for the legend.
pub fn map(
    texts: Texts,
    title: &str,
    countries: &[Country],
    written: impl Fn(f64) -> String,
) -> Markup {
    let find = |code: &str| countries.iter().find(|country| country.code == code);
    let rest = OUTLINES.iter().filter(|(code, _)| find(code).is_none());
    let rest: String = rest.map(|(_, path)| path.as_str()).collect();
    let path = |code: &str| OUTLINES.iter().find(|(own, _)| *own == code);
    // The order of the numbers is also the order of the keyboard.
    let known = countries
        .iter()
        .filter_map(|country| Some((country, &path(&country.code)?.1)));
    let (x, y) = (WIDTH / 2, HEIGHT - 12);
    html! {
        svg.map viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="group" aria-label=(title) {
            path.rest d=(rest) {}
            @for (country, path) in known {
                @let plain = country.link.is_none();
                a.{ "some" (strength(country.share)) } href=[&country.link] tabindex=[plain.then_some("0")]
                    role=[plain.then_some("img")] aria-label=[plain.then_some(&country.label)] { path d=(path) {} text x=(x) y=(y) { (country.label) } }
            }
        }
        ul.legend.scale aria-label=(texts.label("Colors of the map")) {
            @for (place, most) in STEPS.into_iter().chain([1.0]).enumerate() { li.{ "some" (place + 1) } { "≤ " (written(most)) } }
        }
    }
}

/// How strong the color is, of four.
fn strength(share: f64) -> usize {
    1 + STEPS.iter().filter(|most| share > **most).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn country(code: &str, share: f64, link: Option<&str>) -> Country {
        Country {
            code: code.to_owned(),
            label: format!("<{code}>: 5 pageviews"),
            share,
            link: link.map(str::to_owned),
        }
    }

    #[test]
    fn countries_are_named_colored_and_lead_somewhere() {
        let known = [
            country("DE", 1.0, Some("?f=country%3Aeq%3ADE")),
            country("FR", 0.1, None),
            country("??", 0.1, None),
        ];
        let drawn = map(Texts::ENGLISH, "Countries", &known, |share| {
            format!("{share}")
        })
        .into_string();
        assert!(
            drawn.contains("<a class=\"some4\" href=\"?f=country%3Aeq%3ADE\"><path d=\"M"),
            "{drawn}"
        );
        assert!(
            drawn.contains(">&lt;DE&gt;: 5 pageviews</text></a>"),
            "{drawn}"
        );
        let plain = "<a class=\"some2\" tabindex=\"0\" role=\"img\" aria-label=\"&lt;FR&gt;: 5 pageviews\"><path";
        assert!(drawn.contains(plain), "{drawn}");
        assert_eq!(drawn.matches("</a>").count(), 2, "{drawn}");
        assert!(drawn.contains("<li class=\"some4\">≤ 1</li>"), "{drawn}");
        assert!(drawn.len() < 32_000, "{} bytes", drawn.len());
    }

    #[test]
    fn stronger_is_more() {
        let steps = [0.0, 0.01, 0.1, 0.3, 1.0, f64::NAN].map(strength);
        assert_eq!(steps, [1, 1, 2, 3, 4, 1]);
    }
}
