//! Which product calls a tool, as people know it.
//!
//! Clients name themselves in the protocol's handshake and in their user agent, in spellings of their own. What is
//! not known here keeps its own name.

/// Spellings, in lower case with `-` between words, and the product behind each. A longer name that begins with a
/// spelling and a `-` is the same product, so the more special ones come first.
const PRODUCTS: &[(&str, &str)] = &[
    ("claude-code", "Claude Code"),
    ("claude", "Claude"),
    ("anthropic", "Claude"),
    ("cursor", "Cursor"),
    ("openai-mcp", "ChatGPT"),
    ("chatgpt", "ChatGPT"),
    ("codex", "Codex"),
    ("github-copilot", "GitHub Copilot"),
    ("copilot", "GitHub Copilot"),
    ("visual-studio-code", "VS Code"),
    ("vscode", "VS Code"),
    ("gemini-cli", "Gemini CLI"),
    ("gemini", "Gemini"),
    ("windsurf", "Windsurf"),
    ("zed", "Zed"),
    ("cline", "Cline"),
    ("roo-code", "Roo Code"),
    ("continue", "Continue"),
    ("goose", "Goose"),
    ("kiro", "Kiro"),
    ("opencode", "OpenCode"),
    ("amp", "Amp"),
    ("warp", "Warp"),
    ("raycast", "Raycast"),
    ("librechat", "LibreChat"),
    ("lm-studio", "LM Studio"),
    ("lmstudio", "LM Studio"),
    ("perplexity", "Perplexity"),
    ("mistral", "Mistral"),
    ("le-chat", "Mistral"),
    ("jetbrains", "JetBrains"),
    ("junie", "JetBrains Junie"),
    ("n8n", "n8n"),
    ("postman", "Postman"),
    ("mcp-inspector", "MCP Inspector"),
    ("inspector-client", "MCP Inspector"),
];

/// The product behind a client's name, else behind its user agent, else the name itself.
pub(super) fn product(name: Option<&str>, user_agent: Option<&str>) -> Option<String> {
    let by_name = name.and_then(|name| find_product(&plain(name)));
    let by_agent = || {
        let agent = user_agent?;
        agent
            .split_ascii_whitespace()
            .find_map(|word| find_product(&plain(word.split('/').next().unwrap_or_default())))
    };
    by_name
        .or_else(by_agent)
        .map(str::to_owned)
        .or_else(|| name.map(str::to_owned))
}

fn find_product(name: &str) -> Option<&'static str> {
    let same = |spelling: &str| {
        name.strip_prefix(spelling)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    let (_, product) = PRODUCTS.iter().find(|(spelling, _)| same(spelling))?;
    Some(product)
}

/// `Visual Studio Code` as `visual-studio-code`; scopes of packages (`@openai/…`) do not count.
fn plain(name: &str) -> String {
    let name = name
        .rsplit_once('/')
        .map_or(name, |(_, package)| package)
        .trim_start_matches(|letter: char| !letter.is_alphanumeric());
    let dashed = name.chars().map(|letter| {
        if letter.is_alphanumeric() {
            letter.to_ascii_lowercase()
        } else {
            '-'
        }
    });
    dashed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_known_by_name_or_agent() {
        for (name, agent, expected) in [
            (Some("claude-code"), None, "Claude Code"),
            (Some("Claude Code"), None, "Claude Code"),
            (Some("claude-ai"), None, "Claude"),
            (Some("cursor-vscode"), None, "Cursor"),
            (Some("codex-mcp-client"), None, "Codex"),
            (Some("Visual Studio Code"), None, "VS Code"),
            (Some("Visual Studio Code - Insiders"), None, "VS Code"),
            (
                Some("@modelcontextprotocol/inspector-client"),
                None,
                "MCP Inspector",
            ),
            (Some("mcp"), Some("openai-mcp/1.0.0"), "ChatGPT"),
            (None, Some("ChatGPT-User/1.0 (x)"), "ChatGPT"),
            (
                None,
                Some("python-httpx/0.27 claude-code/2.1 (cli)"),
                "Claude Code",
            ),
            (Some("gemini-cli-mcp-client"), Some("node"), "Gemini CLI"),
        ] {
            assert_eq!(
                product(name, agent).as_deref(),
                Some(expected),
                "{name:?} {agent:?}"
            );
        }
    }

    #[test]
    fn strangers_keep_their_own_name() {
        for name in ["Acme Agent", "cursory", "zedd", "ampere-client"] {
            assert_eq!(product(Some(name), Some("node")).as_deref(), Some(name));
        }
        assert_eq!(product(None, Some("node/22")), None);
        assert_eq!(product(None, None), None);
    }
}
