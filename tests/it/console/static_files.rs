//! The files that pages load.

use super::page;
use crate::{
    app::{Answer, App},
    people::browser::Browser,
};

#[actix::test]
async fn the_files_of_pages_are_named_by_what_is_in_them() {
    let app = App::spawn().await;
    let text = page(&Browser::new(&app), "/login").await;
    let addresses = text
        .split('"')
        .filter(|word| word.starts_with("/console/assets/"));
    let addresses: Vec<&str> = addresses.collect();
    assert_eq!(addresses.len(), 3, "{text}");
    for address in addresses {
        let answer = Answer::send(app.http.get(format!("{}{address}", app.base))).await;
        assert_eq!(answer.status, 200, "{address}");
        let caching = answer.header("cache-control");
        assert_eq!(caching, "public, max-age=31536000, immutable");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert!(
            answer.text.len() < 40 * 1024,
            "{address} has {} bytes",
            answer.text.len()
        );
    }
    app.finish().await;
}
