//! The clients that can be connected, as data: where each keeps its settings
//! and how it spells a server. The page that says so stands beside each one;
//! all were looked up on 2026-12-01.

use super::surroundings::{Surroundings, System};

/// A client.
pub struct Client {
    /// What it is called on the command line.
    pub id: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Programs that show that it is installed.
    pub programs: &'static [&'static str],
    /// How its settings are written.
    pub format: Format,
    /// Where they lie for a person.
    pub user: fn(&Surroundings) -> Option<String>,
    /// Where they lie in a project, if it reads any there.
    pub project: Option<&'static [&'static str]>,
    /// Key of the servers.
    pub servers: &'static str,
    /// What it calls a server that it starts itself, if it wants a word.
    pub stdio: Option<&'static str>,
    /// How it spells a server over HTTP, if it can.
    pub http: Option<Http>,
    /// What to do afterwards.
    pub after: &'static str,
}

/// How settings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON, with comments or without.
    Json,
    /// TOML.
    Toml,
}

/// How a server over HTTP is spelled.
pub struct Http {
    /// Key of its address.
    pub url: &'static str,
    /// What it is called, if a word is wanted.
    pub kind: Option<&'static str>,
    /// Key of the headers.
    pub headers: &'static str,
    /// How a variable of the environment stands for the token.
    pub variable: Variable,
}

/// How a variable of the environment stands for the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// In the header, between these.
    Within(&'static str, &'static str),
    /// Under a key of its own.
    Key(&'static str),
    /// Not at all.
    None,
}

/// Every client.
pub const CLIENTS: &[Client] = &[
    // https://code.claude.com/docs/en/mcp: user scope in ~/.claude.json,
    // project scope in .mcp.json, "type" of stdio and http, ${VAR} in headers.
    Client {
        id: "claude-code",
        title: "Claude Code",
        programs: &["claude"],
        format: Format::Json,
        user: |at| at.named("CLAUDE_CONFIG_DIR", &[], &[".claude.json"]),
        project: Some(&[".mcp.json"]),
        servers: "mcpServers",
        stdio: Some("stdio"),
        http: Some(Http {
            url: "url",
            kind: Some("http"),
            headers: "headers",
            variable: Variable::Within("${", "}"),
        }),
        after: "start a new session of Claude Code, and look at /mcp",
    },
    // https://modelcontextprotocol.io/docs/develop/connect-local-servers: the
    // file on macOS and Windows; on Linux it lies where the community's
    // packages have it. The file takes no server over HTTP: those are added
    // as connectors in the settings of the program.
    Client {
        id: "claude-desktop",
        title: "Claude Desktop",
        programs: &["claude-desktop"],
        format: Format::Json,
        user: |at| at.settings(&["Claude", "claude_desktop_config.json"]),
        project: None,
        servers: "mcpServers",
        stdio: None,
        http: None,
        after: "quit Claude Desktop and start it again",
    },
    // https://cursor.com/docs/mcp: ~/.cursor/mcp.json and .cursor/mcp.json,
    // ${env:NAME} in headers.
    Client {
        id: "cursor",
        title: "Cursor",
        programs: &["cursor", "cursor-agent"],
        format: Format::Json,
        user: |at| at.home(&[".cursor", "mcp.json"]),
        project: Some(&[".cursor", "mcp.json"]),
        servers: "mcpServers",
        stdio: None,
        http: Some(Http {
            url: "url",
            kind: None,
            headers: "headers",
            variable: Variable::Within("${env:", "}"),
        }),
        after: "restart Cursor, and switch the server on in its settings of MCP",
    },
    // https://developers.openai.com/codex/mcp: mcp_servers in
    // ~/.codex/config.toml, or in .codex/config.toml of a trusted project;
    // bearer_token_env_var and http_headers.
    Client {
        id: "codex",
        title: "Codex",
        programs: &["codex"],
        format: Format::Toml,
        user: |at| at.named("CODEX_HOME", &[".codex"], &["config.toml"]),
        project: Some(&[".codex", "config.toml"]),
        servers: "mcp_servers",
        stdio: None,
        http: Some(Http {
            url: "url",
            kind: None,
            headers: "http_headers",
            variable: Variable::Key("bearer_token_env_var"),
        }),
        after: "start Codex again, and look at /mcp",
    },
    // https://code.visualstudio.com/docs/agents/reference/mcp-configuration:
    // servers in .vscode/mcp.json, or in mcp.json of the user's profile. The
    // page itself names inputs alone for secrets. ${env:NAME} is that of
    // https://code.visualstudio.com/docs/reference/variables-reference, and its
    // source resolves it in all of an entry before a server starts
    // (src/vs/workbench/contrib/mcp/common/mcpRegistry.ts). One person reports
    // that a header was sent as it stands, unanswered on 2026-12-02:
    // https://github.com/microsoft/vscode/issues/336232.
    Client {
        id: "vscode",
        title: "VS Code",
        programs: &["code"],
        format: Format::Json,
        user: |at| at.settings(&["Code", "User", "mcp.json"]),
        project: Some(&[".vscode", "mcp.json"]),
        servers: "servers",
        stdio: Some("stdio"),
        http: Some(Http {
            url: "url",
            kind: Some("http"),
            headers: "headers",
            variable: Variable::Within("${env:", "}"),
        }),
        after: "run MCP: List Servers in VS Code, and start the server there",
    },
    // https://github.com/google-gemini/gemini-cli, docs/tools/mcp-server.md:
    // mcpServers in ~/.gemini/settings.json or .gemini/settings.json; httpUrl
    // is Streamable HTTP, url is the older SSE; $VAR is replaced. Its newer
    // versions also take url beside a type, which the older ones refuse:
    // https://github.com/google-gemini/gemini-cli/issues/13803.
    Client {
        id: "gemini-cli",
        title: "Gemini CLI",
        programs: &["gemini"],
        format: Format::Json,
        user: |at| at.home(&[".gemini", "settings.json"]),
        project: Some(&[".gemini", "settings.json"]),
        servers: "mcpServers",
        stdio: None,
        http: Some(Http {
            url: "httpUrl",
            kind: None,
            headers: "headers",
            variable: Variable::Within("${", "}"),
        }),
        after: "start Gemini CLI again, and look at /mcp",
    },
    // https://zed.dev/docs/ai/mcp: context_servers in settings.json, command
    // or url beside each other in the entry. An older "source": "custom" is
    // read no more, and Zed takes it out itself:
    // https://github.com/zed-industries/zed/pull/62818. https://zed.dev/docs/configuring-zed: the same folder on macOS
    // as on Linux. No variables in headers.
    Client {
        id: "zed",
        title: "Zed",
        programs: &["zed", "zeditor"],
        format: Format::Json,
        user: |at| match at.system {
            System::Linux => at.settings(&["zed", "settings.json"]),
            System::Mac => at.home(&[".config", "zed", "settings.json"]),
            System::Windows => at.settings(&["Zed", "settings.json"]),
        },
        project: Some(&[".zed", "settings.json"]),
        servers: "context_servers",
        stdio: None,
        http: Some(Http {
            url: "url",
            kind: None,
            headers: "headers",
            variable: Variable::None,
        }),
        after: "look at the servers in Zed's settings of the agent: the dot turns green",
    },
    // https://docs.windsurf.com/windsurf/cascade/mcp: one file for a person,
    // serverUrl, ${env:NAME} in headers.
    Client {
        id: "windsurf",
        title: "Windsurf",
        programs: &["windsurf"],
        format: Format::Json,
        user: |at| at.home(&[".codeium", "windsurf", "mcp_config.json"]),
        project: None,
        servers: "mcpServers",
        stdio: None,
        http: Some(Http {
            url: "serverUrl",
            kind: None,
            headers: "headers",
            variable: Variable::Within("${env:", "}"),
        }),
        after: "press refresh in Windsurf's list of MCP servers",
    },
];

/// Client whose sessions have hooks.
pub const WITH_HOOKS: &str = "claude-code";

/// Where its hooks lie for a person: https://code.claude.com/docs/en/hooks.
pub fn hooks_of_user(at: &Surroundings) -> Option<String> {
    at.named("CLAUDE_CONFIG_DIR", &[".claude"], &["settings.json"])
}

/// Where they lie in a project: in the file that is not shared, because the
/// path of a program is one of this machine.
pub const HOOKS_OF_PROJECT: &[&str] = &[".claude", "settings.local.json"];

/// Returns every file whose hooks a session runs here.
pub fn all_hooks(at: &Surroundings) -> Vec<String> {
    let of_project = [HOOKS_OF_PROJECT, &[".claude", "settings.json"]];
    let of_project = of_project.map(|parts| at.in_project(parts));
    hooks_of_user(at).into_iter().chain(of_project).collect()
}
