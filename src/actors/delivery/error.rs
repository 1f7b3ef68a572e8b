//! How deliveries fail.

use crate::{
    actors::error::{CommonError, common_errors},
    fault::{Classify, Fault},
};

#[derive(Debug, thiserror::Error)]
pub enum DeliveryError {
    /// There is no such delivery, it is on its way, or what was in it is not kept any more.
    #[error("Delivery not found")]
    NotFound(String),
    #[error(transparent)]
    Common(#[from] CommonError),
}

common_errors!(DeliveryError);

impl Classify for DeliveryError {
    fn classify(self) -> Fault {
        match self {
            Self::NotFound(id) => Fault::not_found("Delivery", id),
            Self::Common(error) => error.classify(),
        }
    }
}
