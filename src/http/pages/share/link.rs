//! Share links: with a password, after an end, and within pages of other origins.

use actix_web::http::{
    StatusCode,
    header::{HeaderValue, SET_COOKIE, VARY},
};

use crate::{
    actors::{dashboard::Dashboard, shares::Share, unlocking::Pass},
    fault::Issue,
    http::{
        auth,
        guesses::{Guess, Guessed},
        language,
        pages::{
            boards::BoardView,
            context::{PublicContext, form_problems},
            prelude::*,
            site::{period::PeriodQuery, shared::SharedWebsite},
            stream::stream_embeddable,
        },
    },
    ids::{BoardId, WebsiteId},
    pages::{
        frame::{centered_page, wide_page},
        part::{Field, Form},
    },
    store::limits::Limits,
};

/// Carries the pass of a share link with a password, on the path of that link alone.
const COOKIE: &str = "pharos_share";

pub(super) async fn show(public: &PublicContext, slug: &str) -> Result<HttpResponse, Fault> {
    let share = match find(public, slug).await? {
        Ok(share) => share,
        Err(gone) => return Ok(gone),
    };
    let pass = auth::cookie(public.request.headers(), COOKIE);
    if !public.shared().shares.is_open(&share, pass) {
        let page = draw_lock(public, None);
        return Ok(embeddable(StatusCode::FORBIDDEN, page, &share));
    }
    match &share.dashboard {
        Dashboard::Website(id) => show_website(public, &share, id),
        Dashboard::Board(id) => show_board(public, &share, id).await,
    }
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
    match check(&public, &share, sent.raw("password")).await {
        Ok(Some(pass)) => {
            let back = with_query(&public);
            let mut answer = answer::start_redirect(&back);
            answer.insert_header((SET_COOKIE, cookie(&public, &share, &pass)));
            Ok(answer.finish())
        }
        Ok(None) => {
            let wrong = public.texts().share_locked_wrong();
            let page = draw_lock(&public, Some(&wrong));
            Ok(embeddable(StatusCode::FORBIDDEN, page, &share))
        }
        Err(fault) => {
            let (rejection, _) = form_problems(fault)?;
            let limit = public.texts().share_locked_limit();
            let page = draw_lock(&public, Some(&limit));
            Ok(rejection.embeddable_html(page, &share.fields.embed_origins))
        }
    }
}

/// The pass that a password is answered with, if it is the right one.
async fn check(
    public: &PublicContext,
    share: &Share,
    password: &str,
) -> Result<Option<Pass>, Fault> {
    let shared = public.shared();
    let address = public.call.address;
    let address = address.ok_or_else(|| Fault::internal(anyhow::anyhow!("no address")))?;
    let guessed = Guessed {
        kinds: ["share password", "first share passwords"],
        id: share.id.as_str(),
    };
    let guess = Guess::count(shared, address, guessed, Limits::link_password()).await?;
    let pass = shared.shares.issue_pass(share, password.into()).await;
    if !matches!(pass, Ok(None)) {
        guess.give_back().await;
    }
    pass.map_err(crate::fault::Classify::classify)
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

/// The path of the dashboard on the host that it was asked for on.
fn place(public: &PublicContext, share: &Share) -> String {
    match public.shared().custom_host(public.request.head()) {
        Some(_) => "/".to_owned(),
        None => format!("/share/{}", share.slug),
    }
}

/// The path and query of the page that was asked for.
fn with_query(public: &PublicContext) -> String {
    let request = &public.request;
    let path = match public.shared().custom_host(request.head()) {
        Some(_) => "/",
        None => request.path(),
    };
    match request.query_string() {
        "" => path.to_owned(),
        query => format!("{path}?{query}"),
    }
}

/// The cookie with the pass. Within a page of another origin browsers send only what says `None`.
fn cookie(public: &PublicContext, share: &Share, pass: &Pass) -> String {
    let https = public.shared().urls.is_https();
    let policy = match (https, share.fields.embed_origins.is_empty()) {
        (false, _) => "SameSite=Lax",
        (true, true) => "SameSite=Lax; Secure",
        (true, false) => "SameSite=None; Secure; Partitioned",
    };
    let (text, seconds) = (&pass.text, pass.seconds);
    let path = place(public, share);
    format!("{COOKIE}={text}; Path={path}; Max-Age={seconds}; HttpOnly; {policy}")
}

/// The page that asks for the password, with what is wrong with the last one. It says nothing of the dashboard.
fn draw_lock(public: &PublicContext, wrong: Option<&str>) -> Markup {
    let texts = public.texts();
    let action = with_query(public);
    let issues = wrong.map(|wrong| Issue::new("invalid", "password", wrong.to_owned()));
    let problems = Problems::from_issues(issues);
    let form = Form {
        action: &action,
        send: &texts.share_locked_open(),
        problems: &problems,
        fields: &["password"],
    };
    let label = texts.share_locked_password();
    let password = Field::text("password", &label)
        .kind("password")
        .fills("off");
    let title = texts.share_locked_title();
    let main = html! {
        h1 { (title) }
        p { (texts.share_locked_help()) }
        (form.around(&password.draw(&problems)))
    };
    centered_page(texts.language(), &title, &main)
}
