//! The ways to a server: a process of its own, a URL, or a connection that is
//! open already.

use std::fmt;
#[cfg(feature = "stdio")]
use std::{ffi::OsString, io, path::PathBuf};

#[cfg(any(feature = "stdio", feature = "http"))]
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion};
#[cfg(any(feature = "stdio", feature = "http"))]
use rmcp::service::{ClientInitializeError, ClientLifecycleMode, ClientServiceExt};
use rmcp::service::{Peer, RoleClient};
#[cfg(any(feature = "stdio", feature = "http"))]
use rmcp::transport::IntoTransport;
#[cfg(feature = "http")]
use rmcp::transport::{
    StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
};

use crate::client::{Link, ZeroMemory};
use crate::error::Error;
#[cfg(feature = "http")]
use crate::error::ZeroMemoryError;
#[cfg(feature = "http")]
use crate::generated::errors::ErrorCode;
#[cfg(feature = "http")]
use crate::http::Http;
use crate::options::Options;
#[cfg(any(feature = "stdio", feature = "http"))]
use crate::options::Protocol;
#[cfg(any(feature = "stdio", feature = "http"))]
use crate::words::{Loss, Lost};

/// How a server is reached, for the first time and again.
pub(crate) enum Way {
    /// Whoever opened it opens it again.
    Given(Peer<RoleClient>),
    /// A process of this one.
    #[cfg(feature = "stdio")]
    Program(Program),
    /// A URL, with a token.
    #[cfg(feature = "http")]
    Url(String, Option<String>),
}

/// A program that is started, and spoken to over its pipes.
#[cfg(feature = "stdio")]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Program {
    /// Its name, or its path.
    pub program: OsString,
    /// What it is passed.
    pub arguments: Vec<OsString>,
    /// Variables of its environment, besides those of this process.
    pub environment: Vec<(OsString, OsString)>,
    /// Where it works; the folder of this process when absent.
    pub folder: Option<PathBuf>,
}

#[cfg(feature = "stdio")]
impl Program {
    /// Returns a program without arguments.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            folder: None,
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets a variable of its environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Sets the folder where it works.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    fn command(&self) -> tokio::process::Command {
        let mut command = tokio::process::Command::new(&self.program);
        command.args(&self.arguments);
        let variables = self.environment.iter();
        command.envs(variables.map(|(name, value)| (name, value)));
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }

    /// Names what could not be started, which the system leaves out.
    fn absent(&self, error: &io::Error) -> Error {
        let folder = self.folder.as_ref();
        let folder = folder.map_or_else(String::new, |folder| format!(" in {}", folder.display()));
        let why = format!(
            "{:?} cannot be started{folder}: {error}; install it, or give its path",
            self.program
        );
        let cause = io::Error::new(error.kind(), why.as_str());
        Error::Transport(Box::new(Lost {
            loss: Loss::Unreached,
            why,
            cause: Some(Box::new(cause)),
        }))
    }
}

impl ZeroMemory {
    /// Starts a server, most often `zero-memory stdio`, and speaks to it over
    /// its pipes. It ends with the last clone.
    #[cfg(feature = "stdio")]
    pub async fn stdio(program: Program) -> Result<Self, Error> {
        Self::stdio_with(program, Options::new()).await
    }

    /// The same, with choices.
    #[cfg(feature = "stdio")]
    pub async fn stdio_with(program: Program, options: Options) -> Result<Self, Error> {
        Self::open(Way::Program(program), options).await
    }

    /// Speaks to the server at a URL such as `http://127.0.0.1:8787/mcp`, with
    /// the token from the file `token` of its data folder.
    #[cfg(feature = "http")]
    pub async fn http(url: impl Into<String>, token: Option<&str>) -> Result<Self, Error> {
        Self::http_with(url, token, Options::new()).await
    }

    /// The same, with choices.
    #[cfg(feature = "http")]
    pub async fn http_with(
        url: impl Into<String>,
        token: Option<&str>,
        options: Options,
    ) -> Result<Self, Error> {
        Self::open(Way::Url(url.into(), token.map(str::to_owned)), options).await
    }
}

/// Opens a connection.
#[cfg_attr(
    not(any(feature = "stdio", feature = "http")),
    expect(
        clippy::unused_async,
        unused_variables,
        reason = "nothing can be opened"
    )
)]
pub(crate) async fn open(way: &Way, options: &Options) -> Result<Link, Error> {
    match way {
        Way::Given(peer) => Ok(Link::over(peer.clone())),
        #[cfg(feature = "stdio")]
        Way::Program(program) => {
            let started = rmcp::transport::TokioChildProcess::new(program.command());
            let transport = started.map_err(|error| program.absent(&error))?;
            serve(transport, options).await
        }
        #[cfg(feature = "http")]
        Way::Url(url, token) => {
            let config = config(url, token.as_deref(), &options.headers)?;
            let http = Http::new(url).map_err(|error| crate::raised::broken(Box::new(error)))?;
            serve(
                StreamableHttpClientTransport::with_client(http, config),
                options,
            )
            .await
        }
    }
}

#[cfg(feature = "http")]
fn config(
    url: &str,
    token: Option<&str>,
    headers: &[(String, String)],
) -> Result<StreamableHttpClientTransportConfig, Error> {
    #[cfg(feature = "tls")]
    // Whoever uses this package may have chosen a provider of their own.
    let _ = rustls::crypto::ring::default_provider().install_default();
    #[cfg(not(feature = "tls"))]
    if url
        .get(..6)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:"))
    {
        let why = "https needs the feature \"tls\" of zero-memory-client";
        return Err(Error::Transport(Lost::by_itself(Loss::Unsent, why)));
    }
    let headers = headers.iter().map(|(name, value)| {
        let header = name.parse().ok().zip(value.parse().ok());
        header.ok_or_else(|| {
            let why = format!("{name:?} makes no header");
            Error::Transport(Lost::by_itself(Loss::Unsent, why))
        })
    });
    let headers = headers.collect::<Result<_, _>>()?;
    if token
        .is_some_and(|token| token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()))
    {
        // It may be a secret with a little too much, so it is not shown.
        let why = "the token is malformed: it is empty, or holds a space, a line break or a letter \
                   beyond ASCII; pass what the file \"token\" of the data folder holds, without the \
                   end of the line";
        return Err(ZeroMemoryError::bare(ErrorCode::Unauthorized, why).into());
    }
    let config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(headers);
    Ok(match token {
        Some(token) => config.auth_header(token),
        None => config,
    })
}

#[cfg(any(feature = "stdio", feature = "http"))]
async fn serve<T, E, A>(transport: T, options: &Options) -> Result<Link, Error>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let newest = ProtocolVersion::V_2026_07_28;
    let eldest = ProtocolVersion::V_2025_11_25;
    let lifecycle = match options.protocol {
        Protocol::Auto => ClientLifecycleMode::Auto {
            preferred_versions: vec![newest],
            legacy_version: Some(eldest.clone()),
        },
        Protocol::Handshake => ClientLifecycleMode::Initialize,
        Protocol::Stateless => ClientLifecycleMode::Discover {
            preferred_versions: vec![newest],
        },
    };
    let us = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    let config = ClientConfig::new(ClientCapabilities::default(), us).with_protocol_version(eldest);
    let service = config.serve_with_lifecycle(transport, lifecycle).await;
    Ok(Link::of(service.map_err(|error| unopened(refused(error)))?))
}

/// Tells what broke before any call could be sent as just that.
#[cfg(any(feature = "stdio", feature = "http"))]
fn unopened(mut error: Error) -> Error {
    if let Error::Transport(cause) = &mut error
        && let Some(lost) = cause.downcast_mut::<Lost>()
        && lost.loss == Loss::Broken
    {
        lost.loss = Loss::Unopened;
    }
    error
}

/// Tells a refusal of the server from a connection that never was.
#[cfg(any(feature = "stdio", feature = "http"))]
fn refused(error: ClientInitializeError) -> Error {
    match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => refused(*fallback),
        ClientInitializeError::JsonRpcError(error) => crate::raised::protocol(error),
        ClientInitializeError::TransportError { error, .. } => crate::raised::broken(error.error),
        error => crate::raised::broken(Box::new(error)),
    }
}

impl fmt::Debug for Way {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given(_) => formatter.write_str("Given"),
            #[cfg(feature = "stdio")]
            Self::Program(program) => program.fmt(formatter),
            // The token is a secret.
            #[cfg(feature = "http")]
            Self::Url(url, _) => formatter
                .debug_tuple("Url")
                .field(url)
                .finish_non_exhaustive(),
        }
    }
}
