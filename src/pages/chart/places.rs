//! Places on a map of the world.

use maud::{Markup, html};

use super::world::{HEIGHT, OUTLINES, WIDTH};

/// A place on the map.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    pub label: String,
    /// Degrees north and east.
    pub at: (f64, f64),
    /// The class of its state: `good`, `bad` or none.
    pub class: &'static str,
    /// The address of a click.
    pub link: String,
}

/// The height of the equator on the map.
const EQUATOR: f64 = 252.3;
/// The radius of a place.
const RADIUS: u8 = 7;

/// The map. Every place is reached by keys, and its label is shown on hover and on focus.
pub fn places(title: &str, places: &[Place]) -> Markup {
    let land: String = OUTLINES.iter().map(|(_, path)| path.as_str()).collect();
    let (middle, bottom) = (WIDTH / 2, HEIGHT - 12);
    html! {
        svg.map viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="group" aria-label=(title) {
            path.rest d=(land) {}
            @for place in places {
                @let (x, y) = project(place.at);
                a.{ "place " (place.class) } href=(place.link) {
                    circle cx=(format!("{x:.0}")) cy=(format!("{y:.0}")) r=(RADIUS) {}
                    text x=(middle) y=(bottom) { (place.label) }
                }
            }
        }
    }
}

/// Where a place is on the map, whose outlines have the Natural Earth projection.
fn project((latitude, longitude): (f64, f64)) -> (f64, f64) {
    let (l, p) = (longitude.to_radians(), latitude.to_radians());
    let (p2, p4) = (p * p, p.powi(4));
    let x =
        l * (0.8707 - 0.131_979 * p2 + p4 * (-0.013_791 + p4 * (0.003_971 * p2 - 0.001_529 * p4)));
    let y =
        p * (1.007_226 + p2 * (0.015_085 + p4 * (-0.044_475 + 0.028_874 * p2 - 0.005_916 * p4)));
    let scale = f64::from(WIDTH) / (2.0 * std::f64::consts::PI * 0.8707);
    (
        f64::from(WIDTH) / 2.0 + x * scale,
        (EQUATOR - y * scale).clamp(0.0, HEIGHT.into()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_where_the_outlines_have_them() {
        // Points of `world.txt`: Gibraltar, Tokelau, the Cocos Islands.
        for (at, expected) in [
            ((36.1, -5.4), (486.0, 136.0)),
            ((-9.2, -171.8), (25.0, 282.0)),
            ((-12.1, 96.8), (767.0, 291.0)),
        ] {
            let (x, y): (f64, f64) = project(at);
            let (wanted_x, wanted_y): (f64, f64) = expected;
            assert!(
                (x - wanted_x).abs() < 1.0 && (y - wanted_y).abs() < 1.0,
                "{x} {y}"
            );
        }
    }

    #[test]
    fn a_place_has_a_label_a_state_and_a_link() {
        let place = Place {
            label: "<Oslo>".to_owned(),
            at: (59.9, 10.7),
            class: "good",
            link: "/console/probe/1".to_owned(),
        };
        let drawn = places("Probes", &[place]).into_string();
        let link = "<a class=\"place good\" href=\"/console/probe/1\"><circle";
        assert!(drawn.contains(link), "{drawn}");
        assert!(drawn.contains("&lt;Oslo&gt;</text>"), "{drawn}");
    }
}
