//! `/sso/*`: the single sign-on of an organization.

mod domains;
mod providers;
mod wire;

use super::{Call, Group, bodies::OrganizationBody, require_session, success::Success};
pub use wire::{
    CreateProviderBody, DomainBody, DomainIdBody, DomainOut, GroupRoleBody, ProviderBody,
    ProviderIdBody, ProviderOut, TestOut, UpdateProviderBody,
};

use domains::{add_domain, check_domain, list_domains, remove_domain};
use providers::{create_provider, delete_provider, list_providers, test_provider, update_provider};

const GROUP: Group = Group::new("sso", "Organizations");

procedures! { GROUP;
    ADD_DOMAIN = "addDomain", acts(OwnersManage), add_domain(DomainBody) -> DomainOut:
        "Add a domain of the organization; the answer has the text record that verifies it";
    LIST_DOMAINS = "listDomains", reads(OwnersManage), list_domains(OrganizationBody) -> Vec<DomainOut>:
        "List the domains of the organization, oldest first";
    CHECK_DOMAIN = "checkDomain", acts(OwnersManage), check_domain(DomainIdBody) -> DomainOut:
        "Look for the text record of a domain and verify it, at most 5 times a minute";
    REMOVE_DOMAIN = "removeDomain", acts(OwnersManage), remove_domain(DomainIdBody) -> Success:
        "Remove a domain; sessions that count by it end";
    CREATE_PROVIDER = "createProvider", acts(OwnersManage), create_provider(CreateProviderBody) -> ProviderOut:
        "Add a sign-in provider for the people of the organization";
    LIST_PROVIDERS = "listProviders", reads(OwnersManage), list_providers(OrganizationBody) -> Vec<ProviderOut>:
        "List the providers of the organization, oldest first";
    UPDATE_PROVIDER = "updateProvider", acts(OwnersManage), update_provider(UpdateProviderBody) -> ProviderOut:
        "Replace the settings of a provider; if it is turned off or its issuer changes, its sessions end";
    DELETE_PROVIDER = "deleteProvider", acts(OwnersManage), delete_provider(ProviderIdBody) -> Success:
        "Delete a provider with its links; its sessions end";
    TEST_PROVIDER = "testProvider", acts(OwnersManage), test_provider(ProviderIdBody) -> TestOut:
        "Fetch the description of a provider, at most 5 times a minute";
}
