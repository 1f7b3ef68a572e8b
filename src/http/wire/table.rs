//! The one table: what a fault's status and code are in each style.

use actix_web::http::StatusCode as S;

use super::Wire::{self, Page, Rest, Rpc, Scim, Track};
use crate::fault::Kind as K;

impl Wire {
    /// Status and code of a kind of fault.
    pub(super) fn spell(self, kind: &K) -> (S, &'static str) {
        match (kind, self) {
            (K::Invalid { .. }, Rpc) => (S::BAD_REQUEST, "BAD_REQUEST"),
            (K::Invalid { .. }, Rest | Page | Scim) => (S::BAD_REQUEST, "VALIDATION_ERROR"),
            (K::Invalid { .. }, Track) => (S::BAD_REQUEST, "INVALID_REQUEST_BODY"),
            (K::Unauthenticated, Rpc) => (S::UNAUTHORIZED, "UNAUTHORIZED"),
            (K::Unauthenticated, Rest | Track | Page | Scim) => (S::UNAUTHORIZED, "AUTH_REQUIRED"),
            (K::Forbidden, _) => (S::FORBIDDEN, "FORBIDDEN"),
            (K::FeatureUnavailable { .. }, Rpc) => (S::FORBIDDEN, "FEATURE_UNAVAILABLE"),
            (K::FeatureUnavailable { .. }, Rest | Track | Page | Scim) => {
                (S::PAYMENT_REQUIRED, "FEATURE_UNAVAILABLE")
            }
            (K::PlanLimitExceeded { .. }, Rpc | Rest | Page | Scim) => {
                (S::PAYMENT_REQUIRED, "PLAN_LIMIT_EXCEEDED")
            }
            (K::PlanLimitExceeded { .. }, Track) => (S::PAYMENT_REQUIRED, "EVENT_QUOTA_EXCEEDED"),
            (K::NotFound { .. }, _) => (S::NOT_FOUND, "NOT_FOUND"),
            (K::Conflict { .. }, _) => (S::CONFLICT, "CONFLICT"),
            (K::MethodNotAllowed, _) => (S::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED"),
            (K::TooLarge, _) => (S::PAYLOAD_TOO_LARGE, "PAYLOAD_TOO_LARGE"),
            (K::UnsupportedEncoding, _) => (S::UNSUPPORTED_MEDIA_TYPE, "UNSUPPORTED_ENCODING"),
            (K::RateLimited(_), _) => (S::TOO_MANY_REQUESTS, "RATE_LIMITED"),
            (K::Unavailable { .. }, _) => (S::SERVICE_UNAVAILABLE, "SERVICE_UNAVAILABLE"),
            (K::Internal, _) => (S::INTERNAL_SERVER_ERROR, "INTERNAL_SERVER_ERROR"),
        }
    }
}
