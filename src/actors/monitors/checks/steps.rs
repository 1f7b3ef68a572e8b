//! HTTP in several steps. Later steps use values from earlier answers.

use std::collections::BTreeMap;

use tokio::time::Instant;
use url::Url;

use super::{
    super::{Auth, CheckResult, Expectations, RequestFields, StepFields, expect},
    Probe, check_status, http,
    template::{self, Place, Source, Values, fill},
    text::Text,
};
use crate::egress::{Answer, Ask, Class, Failure};

pub(super) async fn check(probe: &Probe<'_>, result: &mut CheckResult) -> Result<(), Failure> {
    let steps = probe.monitor.fields.steps.as_deref().unwrap_or_default();
    let mut values = Values::new();
    for (at, step) in steps.iter().enumerate() {
        let is_last = at + 1 == steps.len();
        let done = run(probe, (step, is_last), &mut values, result).await;
        done.map_err(|failure| {
            let name = step.name.as_deref().map(|name| format!(" ({name})"));
            let name = name.unwrap_or_default();
            let message = format!("step {}{name}: {}", at + 1, failure.message);
            Failure::new(failure.class, message)
        })?;
    }
    Ok(())
}

async fn run(
    probe: &Probe<'_>,
    (step, is_last): (&StepFields, bool),
    values: &mut Values,
    result: &mut CheckResult,
) -> Result<(), Failure> {
    let nothing = Expectations::default();
    let own = step.expect.as_ref().unwrap_or(&nothing);
    let last = if is_last { probe.expect } else { &nothing };
    let wants_text = expect::wants_text(own) || expect::wants_text(last) || step.save.is_some();
    let mut ask = ask(probe, step, values, wants_text)?;
    // Those of earlier steps count in the trace as well.
    ask.bounds.redirects += result.trace.redirects;
    // What was done with the answer before belongs to no step.
    result.trace.end();
    let before = result.trace.total();
    let answer = probe.egress.ask(ask, &mut result.trace).await?;
    let took = result.trace.total().saturating_sub(before);
    result.http_code = answer.status.as_u16();
    let judge = if own.status.is_some() { own } else { last };
    check_status(judge, answer.status)?;
    for expect in [own, last] {
        let text = Text::new(expect, &probe.worker);
        text.check(&answer.text).await?;
    }
    expect::time(own, took)?;
    let Some(wanted) = step.save.clone().filter(|wanted| !wanted.is_empty()) else {
        return Ok(());
    };
    let finding = probe.worker.run(move || find_values(&wanted, &answer));
    values.extend(finding.await??);
    Ok(())
}

fn ask(
    probe: &Probe<'_>,
    step: &StepFields,
    values: &Values,
    wants_text: bool,
) -> Result<Ask, Failure> {
    let other = |message: String| Failure::new(Class::Other, message);
    let base = Url::parse(&probe.monitor.url).map_err(|error| other(error.to_string()))?;
    let joined = template::join(&base, &step.url, values);
    let url = joined.map_err(|why| other(format!("the URL {why}")))?;
    let usual = RequestFields::default();
    let common = probe.request().unwrap_or(&usual);
    // What all steps have is for the monitor's own origin.
    let is_home = url.origin() == base.origin();
    let request = request(common, is_home, step, values)
        .map_err(|name| other(format!("no earlier step saved `{name}`")))?;
    let time = probe.deadline.saturating_duration_since(Instant::now());
    http::build_request(&request, url, time, wants_text)
}

/// The request of a step; the error is the name of a value that is missing.
fn request(
    common: &RequestFields,
    is_home: bool,
    step: &StepFields,
    values: &Values,
) -> Result<RequestFields, String> {
    let inherited = common.headers.as_ref().filter(|_| is_home);
    let mut headers: BTreeMap<String, String> = inherited.cloned().unwrap_or_default();
    for (name, value) in step.headers.iter().flatten() {
        headers.retain(|known, _| !known.eq_ignore_ascii_case(name));
        headers.insert(name.clone(), fill(value, values, Place::Plain)?);
    }
    let mut named = headers.iter();
    let media = named.find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let media = media.map_or("", |(_, value)| value.as_str());
    let body = step.body.as_deref().map(|body| {
        let place = Place::of_body(media, body);
        fill(body, values, place)
    });
    let body = body.transpose()?;
    let plain = |text: &str| fill(text, values, Place::Plain);
    let auth = match &step.auth {
        Some(Auth::Basic { username, password }) => Some(Auth::Basic {
            username: plain(username)?,
            password: plain(password)?,
        }),
        Some(Auth::Bearer { token }) => Some(Auth::Bearer {
            token: plain(token)?,
        }),
        None => common.auth.clone().filter(|_| is_home),
    };
    Ok(RequestFields {
        method: step.method,
        headers: Some(headers),
        body,
        auth,
        follow_redirects: common.follow_redirects,
        verify_tls: common.verify_tls,
        ..RequestFields::default()
    })
}

/// What a step saves of an answer. The error doesn't repeat the answer.
fn find_values(wanted: &BTreeMap<String, String>, answer: &Answer) -> Result<Values, Failure> {
    let mut values = Values::new();
    for (name, source) in wanted {
        let parsed = Source::parse(source).map_err(|why| Failure::new(Class::Other, why))?;
        let Some(value) = parsed.find(&answer.headers, &answer.text) else {
            let message = format!("the answer has no value for `{name}`");
            return Err(Failure::new(Class::Assertion, message));
        };
        values.insert(name.clone(), value);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read<T: serde::de::DeserializeOwned>(value: Value) -> T {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_step_has_what_all_steps_have_and_its_own_values() {
        let common: RequestFields = read(json!({
            "headers": { "X-Team": "a", "Content-Type": "text/plain" },
            "auth": { "type": "basic", "username": "u", "password": "p" }, "verifyTls": false,
        }));
        let step: StepFields = read(json!({
            "method": "POST", "headers": { "content-type": "application/json", "X-Id": "{{id}}" }, "body": "{\"id\":\"{{id}}\"}",
        }));
        let values = Values::from([("id".to_owned(), "a\"b".to_owned())]);
        let made = request(&common, true, &step, &values).unwrap();
        let headers = made.headers.unwrap();
        assert_eq!(headers.len(), 3);
        assert_eq!(headers["X-Id"], "a\"b");
        assert_eq!(made.body.as_deref(), Some("{\"id\":\"a\\\"b\"}"));
        assert!(made.auth.is_some());
        assert_eq!(made.verify_tls, Some(false));
        // Another origin gets nothing that is meant for the first one.
        let made = request(&common, false, &step, &values).unwrap();
        assert!(made.auth.is_none() && !made.headers.unwrap().contains_key("X-Team"));
        let missing = request(&common, true, &step, &Values::new());
        assert_eq!(missing.unwrap_err(), "id");
    }

    #[test]
    fn a_token_of_an_answer_is_the_credential_of_the_next_step() {
        let step: StepFields = read(json!({ "auth": { "type": "bearer", "token": "{{token}}" } }));
        let values = Values::from([("token".to_owned(), "t1".to_owned())]);
        let made = request(&RequestFields::default(), true, &step, &values).unwrap();
        let wanted = Auth::Bearer {
            token: "t1".to_owned(),
        };
        assert!(made.auth == Some(wanted));
    }
}
