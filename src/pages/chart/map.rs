//! Countries as squares of one size, each roughly where it lies: small ones can be seen and pointed at like large ones, and no
//! borders are drawn.

use std::fmt::Write as _;

use maud::{Markup, html};

/// Rows from north to south, columns from west to east; every country code is there once.
const SQUARES: [&str; 19] = [
    ".. .. .. .. .. .. .. .. GL .. .. .. .. .. SJ .. .. .. .. .. .. .. .. .. .. .. .. .. .. .. .. ..",
    ".. .. .. .. .. .. .. .. .. .. IS .. FO .. NO SE FI .. .. .. .. .. .. .. .. .. .. .. .. .. .. ..",
    ".. CA .. .. .. PM .. .. .. .. .. IM .. .. DK AX EE .. .. .. RU .. .. .. .. .. .. .. .. .. .. ..",
    ".. US .. .. .. .. .. .. .. .. IE GB .. NL DE PL LV LT .. .. .. .. .. .. .. .. .. .. .. .. .. ..",
    ".. .. .. .. .. BM .. .. .. .. GG JE BE LU CZ SK UA BY .. .. KZ .. .. .. MN .. .. .. .. .. .. ..",
    ".. MX .. .. BS TC .. .. .. .. .. FR CH LI AT HU RO MD GE .. UZ KG .. .. CN .. KP .. .. .. .. ..",
    ".. GT BZ .. CU HT DO VG AI MF .. AD MC SI HR RS BG TR AM AZ TM TJ .. .. .. .. KR JP .. .. .. ..",
    ".. SV HN KY JM PR VI SX BL .. PT ES IT SM BA ME XK .. SY IQ IR AF .. NP BT MO HK TW .. .. .. ..",
    ".. .. NI .. .. .. .. KN AG .. .. GI VA MT AL MK GR CY LB JO KW PK .. IN BD MM LA VN .. MP .. ..",
    ".. .. CR PA AW CW BQ MS GP .. .. MA DZ TN LY EG .. IL PS SA BH QA .. .. .. TH KH .. PH GU .. UM",
    ".. .. .. CO VE .. VC DM MQ .. EH MR ML NE TD SD ER .. .. YE OM AE MV LK .. MY SG BN PW FM MH ..",
    ".. .. EC .. GY TT GD BB LC SN GM GN BF BJ NG CF SS ET DJ .. .. .. IO .. .. .. ID TL PG SB NR KI",
    ".. .. PE .. BR SR GF .. CV GW SL CI GH TG CM CD UG KE SO .. .. .. .. .. CC CX .. .. .. VU TV TK",
    ".. .. .. BO PY .. .. .. .. .. LR .. ST GQ GA CG RW TZ .. SC .. .. .. .. .. .. .. AU .. NC FJ WF",
    ".. .. CL AR UY .. .. .. .. .. .. SH .. .. AO ZM BI MW KM YT .. .. .. .. .. .. .. .. .. NF TO WS",
    ".. .. .. .. FK GS .. .. .. .. .. .. .. .. NA BW ZW MZ MG RE MU .. .. .. .. .. .. .. .. NZ NU AS",
    ".. .. .. .. .. .. .. .. .. .. .. .. .. .. .. ZA LS SZ .. .. .. .. .. .. .. .. .. .. .. .. CK PF",
    ".. .. .. .. .. .. .. .. .. .. .. .. BV .. .. .. .. .. .. TF HM .. .. .. .. .. .. .. .. .. .. PN",
    ".. .. .. .. .. .. .. .. .. .. .. .. .. .. .. AQ .. .. .. .. .. .. .. .. .. .. .. .. .. .. .. ..",
];
/// Columns; the first has no country.
const COLUMNS: usize = 32;
/// The side of a square, of its place's.
const SIDE: f64 = 0.92;

/// A country with a number.
#[derive(Debug, Clone, PartialEq)]
pub struct Country {
    /// ISO 3166-1 alpha-2.
    pub code: String,
    /// Its name and number: `Germany: 12 views`.
    pub label: String,
    /// Its number, of the largest one's: 0 to 1.
    pub share: f64,
    /// The address of a click.
    pub link: Option<String>,
}

/// The map. The list beside it has the same links for the keyboard.
pub fn map(title: &str, countries: &[Country]) -> Markup {
    let at = |place: usize| format!("{:.2}", place as f64 + SIDE / 2.0);
    html! {
        svg.map viewBox=(format!("1 0 {} {}", COLUMNS - 1, SQUARES.len())) role="group" aria-label=(title) {
            path.rest d=(rest(countries)) {}
            @for (code, x, y) in squares() {
                @if let Some(country) = countries.iter().find(|country| country.code == code) {
                    a.{ "some" (strength(country.share)) } href=[&country.link] tabindex="-1" {
                        title { (country.label) }
                        path d=(square(x, y)) {}
                        text x=(at(x)) y=(at(y)) { (code) }
                    }
                }
            }
        }
    }
}

/// Codes with their columns and rows.
fn squares() -> impl Iterator<Item = (&'static str, usize, usize)> {
    let of = |(y, row): (usize, &'static str)| {
        let cells = row.split(' ').enumerate();
        cells.map(move |(x, code)| (code, x, y))
    };
    let all = SQUARES.into_iter().enumerate().flat_map(of);
    all.filter(|(code, ..)| *code != "..")
}

fn square(x: usize, y: usize) -> String {
    format!("M{x} {y}h{SIDE}v{SIDE}h-{SIDE}z")
}

/// Countries without a number, in one path.
fn rest(known: &[Country]) -> String {
    let mut drawn = String::new();
    for (code, x, y) in squares() {
        if !known.iter().any(|country| country.code == code) {
            // Writing to a string cannot fail.
            let _ = write!(drawn, "{}", square(x, y));
        }
    }
    drawn
}

/// How strong the colour is, of four: few countries have most, so the steps are not even.
fn strength(share: f64) -> u8 {
    match share {
        share if share > 0.5 => 4,
        share if share > 0.15 => 3,
        share if share > 0.03 => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn country(code: &str, share: f64, link: Option<&str>) -> Country {
        Country {
            code: code.to_owned(),
            label: format!("<{code}>: 5 views"),
            share,
            link: link.map(str::to_owned),
        }
    }

    #[test]
    fn every_country_has_one_square() {
        let codes: BTreeSet<&str> = squares().map(|(code, ..)| code).collect();
        assert_eq!(codes.len(), squares().count());
        for row in SQUARES {
            assert_eq!(row.split(' ').count(), COLUMNS, "{row}");
        }
    }

    #[test]
    fn countries_are_named_coloured_and_lead_somewhere() {
        let known = [
            country("DE", 1.0, Some("?f=country%3Aeq%3ADE")),
            country("FR", 0.1, None),
            country("??", 0.1, None),
        ];
        let drawn = map("Countries", &known).into_string();
        let link = "<a class=\"some4\" href=\"?f=country%3Aeq%3ADE\" tabindex=\"-1\"><title>&lt;DE&gt;: 5 views</title>";
        assert!(drawn.contains(link), "{drawn}");
        assert!(
            drawn.contains("<a class=\"some2\" tabindex=\"-1\"><title>&lt;FR&gt;"),
            "{drawn}"
        );
        assert_eq!(drawn.matches("<title>").count(), 2, "{drawn}");
        assert_eq!(
            rest(&known).matches('M').count(),
            squares().count() - 2,
            "{drawn}"
        );
        assert!(drawn.len() < 8_000, "{} bytes", drawn.len());
    }

    #[test]
    fn stronger_is_more() {
        let steps = [0.0, 0.01, 0.1, 0.3, 1.0, f64::NAN].map(strength);
        assert_eq!(steps, [1, 1, 2, 3, 4, 1]);
    }
}
