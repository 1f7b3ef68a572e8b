//! The names that nearly every page uses: its request, its forms, its routes and its answers.

pub(super) use actix_web::{HttpResponse, web};
pub(super) use maud::{Markup, html};

pub(super) use super::{
    answer,
    context::PageContext,
    form::{Choices, FormData, Input, Inputs, Section},
    form_route, page_route,
    resource::{
        self, Action, Creation, Draft, Edit, Key, Page, Reply, Resource, Submission, small_form,
    },
};
pub(super) use crate::{
    access::Permission,
    fault::Fault,
    http::{procedures::Procedure, routes::Route},
    locale::Texts,
    pages::{frame::NavItem, problem::Problems, time::DateFormat},
};
