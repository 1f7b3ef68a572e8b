//! Share links: with a password, after an end, and within pages of other origins.

use actix_web::http::{
    StatusCode,
    header::{HeaderValue, SET_COOKIE, VARY},
};

use crate::{
    actors::{dashboard::Dashboard, page_access::Barrier, shares::Share},
    fault::Issue,
    http::{
        guesses::Guessed,
        language,
        pages::{
            boards::BoardView,
            context::{PublicContext, form_problems},
            prelude::*,
            site::{period::PeriodQuery, shared::SharedWebsite},
            stream::stream_embeddable,
        },
        private_pages,
        procedures::shares::is_member,
    },
    ids::{BoardId, WebsiteId},
    pages::{
        frame::{centered_page, wide_page},
        part::{Field, Form},
    },
};

pub(super) async fn show(public: &PublicContext, slug: &str) -> Result<HttpResponse, Fault> {
    let share = match find(public, slug).await? {
        Ok(share) => share,
        Err(gone) => return Ok(gone),
    };
    if let Some(barrier) = barrier(public, &share).await? {
        let page = draw_notice(public, &share, barrier, None);
        return Ok(embeddable(StatusCode::FORBIDDEN, page, &share));
    }
    let mut answer = match &share.dashboard {
        Dashboard::Website(id) => show_website(public, &share, id),
        Dashboard::Board(id) => show_board(public, &share, id).await,
    }?;
    if !share.access().is_public() {
        private_pages::keep_private(answer.headers_mut());
    }
    Ok(answer)
}

/// What keeps the visitor from a share link.
async fn barrier(public: &PublicContext, share: &Share) -> Result<Option<Barrier>, Fault> {
    let (call, access) = (&public.call, share.access());
    if access.is_public() || is_member(call, share).await? {
        return Ok(None);
    }
    let (head, shared) = (public.request.head(), public.shared());
    let accepts = |pass: &str| shared.shares.accepts_pass(share, pass);
    let address = call.address;
    Ok(private_pages::barrier(
        shared, head, address, access, accepts,
    ))
}

fn show_website(
    public: &PublicContext,
    share: &Share,
    id: &WebsiteId,
) -> Result<HttpResponse, Fault> {
    let websites = public.shared().websites.view();
    let Some(website) = websites.by_id(id.as_str()).cloned() else {
        return Ok(unavailable(public));
    };
    let path = place(public, share);
    let shown = SharedWebsite {
        id: website.id.as_str(),
        name: &website.name,
        domain: &website.domain,
        path: &path,
        origins: &share.fields.embed_origins,
    };
    let reader = public.read_shared(share)?;
    Ok(shown.answer(public, reader))
}

async fn show_board(
    public: &PublicContext,
    share: &Share,
    id: &BoardId,
) -> Result<HttpResponse, Fault> {
    let shared = public.shared();
    let organizations = shared.organizations.view();
    let board = shared.boards.get(id.as_str()).await?;
    let Some(board) = board.filter(|board| organizations.is_live(&board.organization)) else {
        return Ok(unavailable(public));
    };
    let date_format = public.browsers_format();
    let reads = date_format.texts.language();
    let (query, now_ms) = (public.request.query_string(), shared.clock.now_ms());
    let period = PeriodQuery::read_with(query, &board.fields.range, date_format, now_ms);
    let name = board.fields.name.clone();
    let view = BoardView {
        owner: board.organization,
        fields: board.fields,
        period,
        caller: None,
    };
    let main = html! { div.title-row { h1 { (name) } } (view.draw_head(&place(public, share))) };
    let page = wide_page(reads, &name, &main);
    let mut answer = stream_embeddable(page, view.tail(public), &share.fields.embed_origins);
    answer
        .headers_mut()
        .append(VARY, HeaderValue::from_static(language::VARIES));
    Ok(answer)
}

/// Takes the password of a share link, and leads back to the page.
pub(super) async fn unlock(
    public: PublicContext,
    slug: web::Path<String>,
    sent: FormData,
) -> Result<HttpResponse, Fault> {
    let share = match find(&public, &slug).await? {
        Ok(share) => share,
        Err(gone) => return Ok(gone),
    };
    let (shared, place) = (public.shared(), place(&public, &share));
    let back = private_pages::with_query(&place, &public.request);
    match barrier(&public, &share).await? {
        Some(Barrier::Password) => {}
        Some(barrier) => {
            let page = draw_notice(&public, &share, barrier, None);
            return Ok(embeddable(StatusCode::FORBIDDEN, page, &share));
        }
        None => return Ok(answer::start_redirect(&back).finish()),
    }
    let guessed = Guessed {
        kinds: ["share password", "first share passwords"],
        id: share.id.as_str(),
    };
    let pass = shared
        .shares
        .issue_pass(&share, sent.raw("password").into());
    match private_pages::unlock(shared, public.call.address, guessed, pass).await {
        Ok(Some(pass)) => {
            let is_embedded = !share.fields.embed_origins.is_empty();
            let cookie = private_pages::pass_cookie(shared, &place, &pass, is_embedded);
            let mut answer = answer::start_redirect(&back);
            answer.insert_header((SET_COOKIE, cookie));
            Ok(answer.finish())
        }
        Ok(None) => {
            let wrong = public.texts().private_password_wrong();
            let page = draw_notice(&public, &share, Barrier::Password, Some(&wrong));
            Ok(embeddable(StatusCode::FORBIDDEN, page, &share))
        }
        Err(fault) => {
            let (rejection, _) = form_problems(fault)?;
            let limit = public.texts().private_password_limit();
            let page = draw_notice(&public, &share, Barrier::Password, Some(&limit));
            Ok(rejection.embeddable_html(page, &share.fields.embed_origins))
        }
    }
}

/// The share link of a slug, or the page that says why there is none.
async fn find(public: &PublicContext, slug: &str) -> Result<Result<Share, HttpResponse>, Fault> {
    let shared = public.shared();
    let Some(share) = shared.shares.find_by_slug(slug).await? else {
        return Ok(Err(unavailable(public)));
    };
    if share.has_expired(shared.clock.now_ms()) {
        let texts = public.texts();
        let (title, help) = (texts.share_expired_title(), texts.share_expired_help());
        return Ok(Err(message(StatusCode::GONE, texts, &title, &help)));
    }
    Ok(Ok(share))
}

fn unavailable(public: &PublicContext) -> HttpResponse {
    let texts = public.texts();
    let (title, help) = (texts.share_unknown_title(), texts.share_unknown_help());
    message(StatusCode::NOT_FOUND, texts, &title, &help)
}

fn message(status: StatusCode, texts: Texts, title: &str, text: &str) -> HttpResponse {
    let main = html! { h1 { (title) } p { (text) } };
    answer::in_language(status, centered_page(texts.language(), title, &main))
}

fn embeddable(status: StatusCode, page: Markup, share: &Share) -> HttpResponse {
    let mut response = HttpResponse::build(status);
    response.insert_header((VARY, language::VARIES));
    answer::finish_embeddable(&mut response, page, &share.fields.embed_origins)
}

/// The path of a share link on `{base_url}`.
fn path(share: &Share) -> String {
    format!("/share/{}", share.slug)
}

/// The path of the dashboard on the host that it was asked for on.
fn place(public: &PublicContext, share: &Share) -> String {
    private_pages::place(public.shared(), &public.request, path(share))
}

/// The page in place of the dashboard, with the form of the password if that is what is missing, and what is wrong with the
/// last one. It says nothing of the dashboard.
fn draw_notice(
    public: &PublicContext,
    share: &Share,
    barrier: Barrier,
    wrong: Option<&str>,
) -> Markup {
    let (texts, shared) = (public.texts(), public.shared());
    let action = private_pages::with_query(&place(public, share), &public.request);
    let issues = wrong.map(|wrong| Issue::new("invalid", "password", wrong.to_owned()));
    let problems = Problems::from_issues(issues);
    let form = Form {
        action: &action,
        send: &texts.private_password_open(),
        problems: &problems,
        fields: &["password"],
    };
    let label = texts.private_password_label();
    let password = Field::text("password", &label)
        .kind("password")
        .fills("off");
    let (title, text) = private_pages::draw_notice(shared, texts, barrier, &path(share));
    let main = html! {
        h1 { (title) }
        (text)
        @if barrier == Barrier::Password { (form.around(&password.draw(&problems))) }
    };
    centered_page(texts.language(), &title, &main)
}
