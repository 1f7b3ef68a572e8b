//! The request that carries a message. Pure.

use hyper::{
    Method,
    header::{HeaderMap, HeaderName, HeaderValue},
};
use minijinja::{Value, context};
use url::Url;

use super::{
    super::signature,
    Channel, Channels, Definition, Notice, aws,
    definition::{self, Signing},
    template::{fill, fill_json, fill_url},
};

const AGENT: &str = concat!("pharos/", env!("CARGO_PKG_VERSION"));

/// What is to be said, where, and when.
pub(in crate::actors::delivery::hooks) struct Message<'a> {
    pub(in crate::actors::delivery::hooks) channel: &'a Channel,
    pub(in crate::actors::delivery::hooks) notice: &'a Notice,
    pub(in crate::actors::delivery::hooks) channels: &'a Channels,
    /// The same for every attempt.
    pub(in crate::actors::delivery::hooks) id: &'a str,
    pub(in crate::actors::delivery::hooks) now_ms: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub(in crate::actors::delivery::hooks) struct Request {
    pub(in crate::actors::delivery::hooks) method: Method,
    pub(in crate::actors::delivery::hooks) url: Url,
    pub(in crate::actors::delivery::hooks) headers: HeaderMap,
    pub(in crate::actors::delivery::hooks) body: String,
}

impl<'a> Message<'a> {
    pub(in crate::actors::delivery::hooks) fn definition(&self) -> Result<&'a Definition, String> {
        let name = self.channel.kind.as_str();
        let known = self.channels.get(name);
        known.ok_or_else(|| format!("there is no channel `{name}`"))
    }

    /// The request; `None` if this channel isn't told.
    pub(in crate::actors::delivery::hooks) fn request(&self) -> Result<Option<Request>, String> {
        let definition = self.definition()?;
        let template = definition.request.as_ref();
        let mut template = template.ok_or("not a channel over HTTP")?.clone();
        if let Some(resolve) = definition.resolve.as_ref().filter(|_| self.notice.resolved) {
            // A test shows what people will see.
            if resolve.skip && self.notice.kind != Notice::TEST {
                return Ok(None);
            }
            if !resolve.skip {
                replace(&mut template, resolve);
            }
        }
        let values = self.values(definition, &template)?;
        let (media, body) = body(&template, &values)?;
        let url = fill_url(&template.url, &values)?;
        let method = template.method.as_deref().unwrap_or("POST");
        let mut request = Request {
            method: Method::from_bytes(method.as_bytes()).map_err(|error| error.to_string())?,
            url: Url::parse(&url).map_err(|error| format!("`{url}` is not a URL: {error}"))?,
            headers: HeaderMap::new(),
            body,
        };
        request.set("user-agent", AGENT)?;
        request.set("content-type", media)?;
        for (name, value) in &template.headers {
            let value = fill(value, &values)?;
            if !value.is_empty() {
                request.set(name, &value)?;
            }
        }
        match template.sign {
            Some(Signing::StandardWebhooks) => self.sign(&mut request)?,
            Some(Signing::Aws4) => aws::sign(&mut request, &self.channel.fields, self.now_ms)?,
            None => {}
        }
        Ok(Some(request))
    }

    /// What templates can name.
    fn values(
        &self,
        definition: &Definition,
        template: &definition::Request,
    ) -> Result<Value, String> {
        let (channel, notice) = (self.channel, self.notice);
        let fields = Value::from_serialize(&channel.fields);
        let set = self.channels.base_url(channel.kind.as_str());
        let base = match set {
            Some(base) => base.to_owned(),
            None => fill(&template.base, &fields)?,
        };
        let base = base.trim_end_matches('/');
        let recipient = match (definition.recipient.is_url(), base) {
            (false, _) => Value::from(channel.identifier.as_str()),
            (true, "") => Value::from_safe_string(channel.identifier.clone()),
            // To the address that a service gave out, where that service is reached.
            (true, base) => {
                let given = Url::parse(&channel.identifier).map_err(|error| error.to_string())?;
                let rest = &given[url::Position::BeforePath..url::Position::AfterQuery];
                Value::from_safe_string(format!("{base}{rest}"))
            }
        };
        let message = context! {
            base => Value::from_safe_string(base.to_owned()),
            recipient => recipient,
            id => self.id,
            seconds => self.now_ms.div_euclid(1_000),
            event => notice.kind,
            title => notice.title,
            text => notice.text,
            link => notice.link,
            thread => notice.thread,
            timestamp => notice.timestamp,
            resolved => notice.resolved,
            data => notice.data,
        };
        Ok(context! { ..message, ..fields })
    }

    /// As Standard Webhooks want it, with the method and headers of the destination.
    fn sign(&self, request: &mut Request) -> Result<(), String> {
        let channel = self.channel;
        if let Some(method) = &channel.method {
            request.method =
                Method::from_bytes(method.as_bytes()).map_err(|error| error.to_string())?;
        }
        if request.method == Method::GET {
            request.body.clear();
        }
        for (name, value) in &channel.headers {
            request.set(name, value)?;
        }
        let (id, seconds) = (format!("msg_{}", self.id), self.now_ms.div_euclid(1_000));
        let signature = signature::header(&channel.secrets, &id, seconds, &request.body);
        request.set("webhook-id", &id)?;
        request.set("webhook-timestamp", &seconds.to_string())?;
        request.set("webhook-signature", &signature)
    }
}

impl Request {
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let wrong = || format!("`{name}` can't be sent as a header with this value");
        let key = HeaderName::try_from(name).map_err(|_| wrong())?;
        let value = HeaderValue::try_from(value).map_err(|_| wrong())?;
        self.headers.insert(key, value);
        Ok(())
    }
}

fn replace(request: &mut definition::Request, resolve: &definition::Resolve) {
    if let Some(url) = &resolve.url {
        request.url.clone_from(url);
    }
    if resolve.method.is_some() {
        request.method.clone_from(&resolve.method);
    }
    if resolve.json.is_some() || resolve.form.is_some() || resolve.text.is_some() {
        request.json.clone_from(&resolve.json);
        request.form.clone_from(&resolve.form);
        request.text.clone_from(&resolve.text);
    }
}

/// The body and its media type.
fn body(template: &definition::Request, values: &Value) -> Result<(&'static str, String), String> {
    if let Some(json) = &template.json {
        let filled = fill_json(json, values)?.unwrap_or_default();
        return Ok(("application/json", filled.to_string()));
    }
    if let Some(form) = &template.form {
        let mut body = url::form_urlencoded::Serializer::new(String::new());
        for (name, text) in form {
            let value = fill(text, values)?;
            if !value.is_empty() {
                body.append_pair(name, &value);
            }
        }
        return Ok(("application/x-www-form-urlencoded", body.finish()));
    }
    let text = template.text.as_deref().unwrap_or_default();
    Ok(("text/plain; charset=utf-8", fill(text, values)?))
}
