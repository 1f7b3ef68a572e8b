//! Table `monitor_days`, written by the domain `monitors`: what a day (UTC) was like, for bars of years.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "monitor_days")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub monitor_id: String,
    /// Days since 1970-01-01.
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: i32,
    /// Checks that found it up.
    pub ups: i32,
    /// Checks that found it down.
    pub downs: i32,
    /// Milliseconds for which it was known to be up.
    pub up_ms: i64,
    /// Milliseconds for which it was known to be down.
    pub down_ms: i64,
    /// Milliseconds that good checks took, all together.
    pub response_ms: i64,
    /// How many good checks took how long, packed; null before that was kept.
    pub times: Option<Vec<u8>>,
}
