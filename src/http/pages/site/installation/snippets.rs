//! The script as each platform takes it.

use crate::{
    http::{pages::prelude::*, procedures::websites::WebsiteOut},
    pages::part::copyable,
};

/// A platform: its name in addresses, its label, where the snippet goes, and the snippet with `{src}` and `{id}`.
type Platform = (&'static str, &'static str, &'static str, &'static str);

const PLATFORMS: [Platform; 5] = [
    (
        "html",
        "HTML",
        "Paste it into the <head> of every page. A single-page app needs it once.",
        "<script defer src=\"{src}\" data-client-id=\"{id}\"></script>",
    ),
    (
        "nextjs",
        "Next.js",
        "Add it to the root layout, app/layout.tsx.",
        "import Script from \"next/script\";\n\n// Inside <body>:\n<Script src=\"{src}\" data-client-id=\"{id}\" strategy=\"afterInteractive\" />",
    ),
    (
        "wordpress",
        "WordPress",
        "Add it to functions.php of your theme, or use a plugin for header scripts with the HTML snippet.",
        "add_action( 'wp_head', function () {\n  echo '<script defer src=\"{src}\" data-client-id=\"{id}\"></script>';\n} );",
    ),
    (
        "gtm",
        "Google Tag Manager",
        "Create a Custom HTML tag with the trigger All Pages.",
        "<script>\n  var script = document.createElement(\"script\");\n  script.src = \"{src}\";\n  script.setAttribute(\"data-client-id\", \"{id}\");\n  document.head.appendChild(script);\n</script>",
    ),
    (
        "javascript",
        "npm or JavaScript",
        "Load the script from your bundle, then call it.",
        "const script = document.createElement(\"script\");\nscript.src = \"{src}\";\nscript.dataset.clientId = \"{id}\";\nscript.onload = () => window.pharos.track(\"signup\", { plan: \"pro\" });\ndocument.head.append(script);",
    ),
];

/// The tabs, and the snippet of one platform.
pub(super) fn draw(website: &WebsiteOut, track: &str, path: &str, with: &str) -> Markup {
    let found = PLATFORMS.iter().find(|(name, ..)| *name == with);
    let (chosen, label, place, snippet) = found.unwrap_or(&PLATFORMS[0]);
    let snippet = snippet
        .replace("{src}", &format!("{track}/pharos.js"))
        .replace("{id}", &website.client_id);
    html! {
        nav.tabs aria-label="Platforms" {
            @for (name, label, ..) in &PLATFORMS {
                a href=(format!("{path}?with={name}")) aria-current=[(name == chosen).then_some("true")] { (label) }
            }
        }
        p { (place) }
        (copyable(&format!("Script for {label}"), &snippet))
        p { "The script sets no cookies and weighs about 5 KiB. " a href="/docs#tracker-script" { "Script options" } }
    }
}
