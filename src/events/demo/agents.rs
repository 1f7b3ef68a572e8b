//! Pages that agents of artificial intelligence fetch from the made-up website.

use super::random::Random;
use crate::events::{
    enrich::bot::{BotKind, Signals},
    event::{AgentRequest, Bot, Details, Event, Trust},
};

/// Weight, name, product, operator, purpose.
const AGENTS: &[(f64, &str, &str, &str, BotKind)] = &[
    (9.0, "GPTBot", "ChatGPT", "OpenAI", BotKind::AiTraining),
    (7.0, "ChatGPT-User", "ChatGPT", "OpenAI", BotKind::AiUser),
    (4.0, "OAI-SearchBot", "ChatGPT", "OpenAI", BotKind::AiSearch),
    (6.0, "ClaudeBot", "Claude", "Anthropic", BotKind::AiTraining),
    (3.0, "Claude-User", "Claude", "Anthropic", BotKind::AiUser),
    (
        3.0,
        "PerplexityBot",
        "Perplexity",
        "Perplexity",
        BotKind::AiSearch,
    ),
    (
        2.0,
        "Perplexity-User",
        "Perplexity",
        "Perplexity",
        BotKind::AiUser,
    ),
    (
        4.0,
        "Bytespider",
        "Doubao",
        "ByteDance",
        BotKind::AiTraining,
    ),
    (
        3.0,
        "Meta-ExternalAgent",
        "Meta AI",
        "Meta",
        BotKind::AiTraining,
    ),
    (
        2.0,
        "CCBot",
        "Common Crawl",
        "Common Crawl",
        BotKind::AiTraining,
    ),
];

/// One page, fetched by an agent about when a visitor saw it.
pub(super) fn request(template: &Event, path: &str, time: i64, random: &mut Random) -> Event {
    let all: f64 = AGENTS.iter().map(|(weight, ..)| weight).sum();
    let mut left = random.unit() * all;
    let agent = AGENTS.iter().find(|(weight, ..)| {
        left -= weight;
        left < 0.0
    });
    let &(_, name, product, operator, kind) = agent.unwrap_or(&AGENTS[0]);
    Event {
        organization: template.organization,
        website: template.website,
        time,
        name: name.to_owned(),
        host: template.host.clone(),
        path: path.to_owned(),
        trust: Trust::Key,
        bot: Bot::Declared,
        bot_signals: Signals::bit(kind),
        details: Details::Agent(Box::new(AgentRequest {
            product: product.to_owned(),
            operator: operator.to_owned(),
            purpose: kind.as_str().to_owned(),
            is_reported: true,
        })),
        ..Event::default()
    }
}
