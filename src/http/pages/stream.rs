//! Pages that are sent while they are drawn: the frame at once, then each part when it is ready, in the order of the page.
//! Browsers show what they have, so this needs no script.

use std::{convert::Infallible, future::ready};

use actix_web::{HttpResponse, body::BodyStream};
use bytes::Bytes;
use futures_util::{
    Stream, StreamExt,
    stream::{iter, once, poll_fn, select},
};
use maud::{Markup, PreEscaped, html};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::{answer, context::form_problems, reader::Reader};
use crate::{
    analytics::run::Answers,
    fault::Fault,
    http::{edge::RequestId, wire},
    locale::Texts,
    pages::part::notice,
};

/// nginx keeps an answer back until it has all of it, unless the answer says otherwise.
const UNBUFFERED: (&str, &str) = ("X-Accel-Buffering", "no");

/// Sends a page, then `parts` below what its `main` holds already.
pub(super) fn stream(page: Markup, parts: impl Stream<Item = Markup> + 'static) -> HttpResponse {
    stream_embeddable(page, parts, &[])
}

/// The same for a page that pages of these origins may embed.
pub(super) fn stream_embeddable(
    page: Markup,
    parts: impl Stream<Item = Markup> + 'static,
    origins: &[String],
) -> HttpResponse {
    let mut head = page.into_string();
    let tail = head.split_off(head.rfind("</main>").unwrap_or(head.len()));
    let parts = parts.map(Markup::into_string);
    let pieces = once(ready(head)).chain(parts).chain(once(ready(tail)));
    let pieces = pieces.map(|piece| Ok::<_, Infallible>(Bytes::from(piece)));
    answer::start_page(&mut HttpResponse::Ok(), origins)
        .insert_header(UNBUFFERED)
        .body(BodyStream::new(Box::pin(pieces)))
}

/// Asks one body after the other, and draws a part behind each answer: from the place of its body and from all that was
/// answered so far. The first body that is refused is the last one, and its part says why.
pub(super) fn answered(
    texts: Texts,
    reader: Reader,
    bodies: Vec<Value>,
    mut draw: impl FnMut(usize, &Answers) -> Markup + 'static,
) -> impl Stream<Item = Markup> + 'static {
    let count = bodies.len();
    let request = reader.request.clone();
    let answers = iter(bodies).then(move |body| {
        let reader = reader.clone();
        async move { reader.ask(body).await }
    });
    let mut known = Some(Answers::default());
    let parts = answers.enumerate().scan((), move |(), (place, answered)| {
        let part = known.take().map(|mut all| match answered {
            Ok(answers) => {
                all.extend(answers);
                let part = draw(place, &all);
                known = Some(all);
                html! { (part) @if place + 1 < count { (draw_loading(texts)) } }
            }
            Err(fault) => draw_refusal(texts, fault, &request),
        });
        ready(part)
    });
    once(ready(draw_loading(texts))).chain(parts)
}

/// Where parts go that are drawn one after the other.
pub(super) struct PartSender(UnboundedSender<Markup>);

impl PartSender {
    /// Sends a part; without a reader it is dropped.
    pub(super) fn send(&self, part: Markup) {
        let _ = self.0.send(part);
    }
}

/// Parts that `draw` sends while it works; if it is refused, why.
pub(super) fn in_turn<D>(
    texts: Texts,
    request: RequestId,
    draw: impl FnOnce(PartSender) -> D,
) -> impl Stream<Item = Markup> + 'static
where
    D: Future<Output = Result<(), Fault>> + 'static,
{
    let (sender, mut sent) = unbounded_channel();
    let drawn = once(draw(PartSender(sender)));
    let refusal = drawn.filter_map(move |drawn| {
        ready(
            drawn
                .err()
                .map(|fault| draw_refusal(texts, fault, &request)),
        )
    });
    let parts = poll_fn(move |context| sent.poll_recv(context));
    let parts = parts.map(move |part| html! { (part) (draw_loading(texts)) });
    // Hides the last notice, too.
    let end = once(ready(html! { span hidden {} }));
    once(ready(draw_loading(texts)))
        .chain(select(parts, refusal))
        .chain(end)
}

/// Parts within an element.
pub(super) fn wrapped(
    open: &'static str,
    parts: impl Stream<Item = Markup> + 'static,
    close: &'static str,
) -> impl Stream<Item = Markup> + 'static {
    let tag = |tag: &str| ready(PreEscaped(tag.to_owned()));
    once(tag(open)).chain(parts).chain(once(tag(close)))
}

/// What is seen for as long as nothing is behind it.
fn draw_loading(texts: Texts) -> Markup {
    html! { p.loading.dim { (texts.label("Loading…")) } }
}

/// Why there is no more.
fn draw_refusal(texts: Texts, fault: Fault, request: &RequestId) -> Markup {
    let messages = match form_problems(fault) {
        Ok((_, problems)) => problems.above(&[]),
        Err(fault) => {
            wire::log(&fault, request);
            let next = texts.label("Reload the page to try again.");
            vec![format!("{}. {next}", fault.message)]
        }
    };
    html! { @for message in messages { (notice("bad", &html! { (message) })) } }
}

#[cfg(test)]
mod tests {
    use std::{
        pin::Pin,
        task::{Context, Poll, Waker},
    };

    use actix_web::body::{BodySize, MessageBody as _, to_bytes};
    use futures_util::stream::pending;

    use super::*;

    fn page() -> Markup {
        html! { main { h1 { "A </main>" } } footer { "end" } }
    }

    #[test]
    fn the_frame_is_sent_before_any_part_is_ready() {
        let mut body = stream(page(), pending()).into_body();
        assert_eq!(body.size(), BodySize::Stream);
        let mut context = Context::from_waker(Waker::noop());
        let Poll::Ready(Some(Ok(head))) = Pin::new(&mut body).poll_next(&mut context) else {
            panic!("the frame has to wait");
        };
        assert_eq!(head, "<main><h1>A &lt;/main&gt;</h1>");
        assert!(Pin::new(&mut body).poll_next(&mut context).is_pending());
    }

    #[actix::test]
    async fn parts_come_in_their_order_and_within_the_page() {
        let parts = iter([html! { p { "1" } }, html! { p { "2" } }]);
        let answer = stream_embeddable(page(), parts, &["https://a.example".to_owned()]);
        let headers = answer.headers();
        assert_eq!(headers.get(UNBUFFERED.0).unwrap(), UNBUFFERED.1);
        let policy = headers.get("content-security-policy").unwrap();
        let policy = policy.to_str().unwrap();
        assert!(
            policy.ends_with("frame-ancestors https://a.example"),
            "{policy}"
        );
        let whole = to_bytes(answer.into_body()).await.unwrap();
        let drawn = "<main><h1>A &lt;/main&gt;</h1><p>1</p><p>2</p></main><footer>end</footer>";
        assert_eq!(whole, drawn);
    }
}
