//! What a person reads once, after the first set-up: how to sign in, and two commands that work at once.

use crate::{config::Urls, platform::SetupResult};

/// The text, which holds the password and the key.
pub(super) fn text(result: &SetupResult, urls: &Urls) -> String {
    let SetupResult {
        email,
        password,
        website_id,
        api_key,
        ..
    } = result;
    let Urls { base, track, .. } = urls;
    format!(
        "pharos is set up. This is shown only once; keep it.

  sign in   {base}
  email     {email}
  password  {password}
  website   {website_id}
  API key   {api_key}

Send an event:
  curl -sS '{track}/track' -H 'x-api-key: {api_key}' -H 'content-type: application/json' \\
    -d '{{\"name\": \"hello\", \"websiteId\": \"{website_id}\"}}'

Ask for it:
  curl -sS '{base}/v1/query?website_id={website_id}' -H 'x-api-key: {api_key}' -H 'content-type: application/json' \\
    -d '{{\"parameters\": [\"custom_events\"], \"preset\": \"today\"}}'
"
    )
}
