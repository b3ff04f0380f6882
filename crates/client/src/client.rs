//! The client: one connection that opens itself again when it was lost.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[cfg(any(feature = "stdio", feature = "http"))]
use rmcp::model::ClientConfig;
#[cfg(any(feature = "stdio", feature = "http"))]
use rmcp::service::RunningService;
use rmcp::service::{Peer, RoleClient};
use tokio::sync::{Mutex, watch};

use crate::error::Error;
use crate::generated::contract::CONTRACT_CAPABILITY;
use crate::open::{self, Way};
use crate::options::Options;
use crate::version;

/// A connection to a zero-memory server.
///
/// It can be cloned and shared; every clone speaks over the same connection. A
/// call whose future is dropped is called off at the server.
#[derive(Clone)]
pub struct ZeroMemory {
    pub(crate) options: Options,
    connection: Arc<Connection>,
}

/// What all clones share.
struct Connection {
    way: Way,
    /// What calls go over. It is read without waiting for the one that may be
    /// on its way.
    link: watch::Sender<Link>,
    /// Held by whoever opens it again.
    turn: Mutex<()>,
}

/// An open connection.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) peer: Peer<RoleClient>,
    version: Option<String>,
    /// Whether a call found that it is broken, which the official client may
    /// notice later.
    is_lost: Arc<AtomicBool>,
    /// Ends the connection when the last clone goes; absent when it is the
    /// caller's own.
    #[cfg(any(feature = "stdio", feature = "http"))]
    _service: Option<Arc<RunningService<RoleClient, ClientConfig>>>,
}

impl Link {
    #[cfg(any(feature = "stdio", feature = "http"))]
    pub(crate) fn of(service: RunningService<RoleClient, ClientConfig>) -> Self {
        let mut link = Self::over(service.peer().clone());
        link._service = Some(Arc::new(service));
        link
    }

    pub(crate) fn over(peer: Peer<RoleClient>) -> Self {
        let info = peer.peer_info();
        let slot = info.as_ref().and_then(|info| {
            let experimental = info.capabilities.experimental.as_ref()?;
            experimental.get(CONTRACT_CAPABILITY)
        });
        let version = slot.and_then(|slot| slot.get("version")?.as_str());
        Self {
            version: version.map(str::to_owned),
            peer,
            is_lost: Arc::default(),
            #[cfg(any(feature = "stdio", feature = "http"))]
            _service: None,
        }
    }

    /// Says that a call found it broken: no later one is sent over it.
    pub(crate) fn lose(&self) {
        self.is_lost.store(true, Ordering::Relaxed);
    }

    fn is_open(&self) -> bool {
        !self.is_lost.load(Ordering::Relaxed) && !self.peer.is_transport_closed()
    }
}

impl ZeroMemory {
    /// Speaks over a connection that the official client has opened already.
    ///
    /// It is not opened again when it is lost: that is up to its owner.
    pub async fn over(peer: Peer<RoleClient>, options: Options) -> Result<Self, Error> {
        Self::open(Way::Given(peer), options).await
    }

    pub(crate) async fn open(way: Way, options: Options) -> Result<Self, Error> {
        // Boxed: what it takes to open a connection is large, and would stand in
        // the future of whoever opens one.
        let opening = Box::pin(open::open(&way, &options));
        let link = within(options.longest_opening(), opening).await?;
        judge(&link, &options)?;
        let connection = Connection {
            way,
            link: watch::Sender::new(link),
            turn: Mutex::default(),
        };
        Ok(Self {
            options,
            connection: Arc::new(connection),
        })
    }

    /// Returns the version of the contract that the server announces.
    pub async fn contract_version(&self) -> Option<String> {
        self.connection.link().version
    }

    /// Returns the official client, for what this package has no method for.
    pub async fn peer(&self) -> Result<Peer<RoleClient>, Error> {
        Ok(self.opened().await?.peer)
    }

    /// Returns a connection that is open; its wait for one that is being opened
    /// is bounded like the opening itself.
    pub(crate) async fn opened(&self) -> Result<Link, Error> {
        let connection = &self.connection;
        let is_usable = |link: &Link| link.is_open() || matches!(connection.way, Way::Given(_));
        let link = connection.link();
        if is_usable(&link) {
            return Ok(link);
        }
        within(self.options.longest_opening(), async {
            let _turn = connection.turn.lock().await;
            let link = connection.link();
            if is_usable(&link) {
                // Somebody else opened it meanwhile.
                return Ok(link);
            }
            let opened = Box::pin(open::open(&connection.way, &self.options)).await?;
            judge(&opened, &self.options)?;
            connection.link.send_replace(opened.clone());
            Ok(opened)
        })
        .await
    }
}

impl Connection {
    fn link(&self) -> Link {
        self.link.borrow().clone()
    }
}

/// Gives up what takes longer.
pub(crate) async fn within<T>(
    longest: Duration,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let ended = tokio::time::timeout(longest, work).await;
    ended.unwrap_or(Err(Error::Timeout(longest)))
}

fn judge(link: &Link, options: &Options) -> Result<(), Error> {
    let announced = link.version.as_deref();
    if let Some(warning) = version::judge(announced, options.allow_other_major)? {
        (options.on_warning)(&warning);
    }
    Ok(())
}

impl fmt::Debug for ZeroMemory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ZeroMemory")
            .field("way", &self.connection.way)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
