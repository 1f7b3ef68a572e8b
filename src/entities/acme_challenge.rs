//! Table `acme_challenges`, written by `actors::certificates`.

use sea_orm::entity::prelude::*;

/// What every process answers while an authority checks a host.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "acme_challenges")]
pub struct Model {
    /// Host and token.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// `http` or `tls_alpn`.
    pub kind: String,
    pub host: String,
    pub token: String,
    pub key_authorization: String,
    pub expires_at: DateTimeUtc,
}
