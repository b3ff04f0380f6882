//! The client: one connection that opens itself again when it was lost.

use std::fmt;
use std::sync::Arc;

use rmcp::model::ClientConfig;
use rmcp::service::{Peer, RoleClient, RunningService};
use tokio::sync::Mutex;

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
    way: Arc<Way>,
    link: Arc<Mutex<Link>>,
}

/// An open connection.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) peer: Peer<RoleClient>,
    version: Option<String>,
    /// Ends the connection when the last clone goes; absent when it is the
    /// caller's own.
    _service: Option<Arc<RunningService<RoleClient, ClientConfig>>>,
}

impl Link {
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
            _service: None,
        }
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
        let link = open::open(&way, &options).await?;
        let client = Self {
            options,
            way: Arc::new(way),
            link: Arc::new(Mutex::new(link)),
        };
        client.judge(&*client.link.lock().await)?;
        Ok(client)
    }

    fn judge(&self, link: &Link) -> Result<(), Error> {
        let announced = link.version.as_deref();
        if let Some(warning) = version::judge(announced, self.options.allow_other_major)? {
            (self.options.on_warning)(&warning);
        }
        Ok(())
    }

    /// Returns the version of the contract that the server announces.
    pub async fn contract_version(&self) -> Option<String> {
        self.link.lock().await.version.clone()
    }

    /// Returns the official client, for what this package has no method for.
    pub async fn peer(&self) -> Result<Peer<RoleClient>, Error> {
        Ok(self.opened().await?.peer)
    }

    /// Returns a connection that is open.
    pub(crate) async fn opened(&self) -> Result<Link, Error> {
        let mut link = self.link.lock().await;
        if link.peer.is_transport_closed() && !matches!(*self.way, Way::Given(_)) {
            let opened = open::open(&self.way, &self.options).await?;
            self.judge(&opened)?;
            *link = opened;
        }
        Ok(link.clone())
    }
}

impl fmt::Debug for ZeroMemory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ZeroMemory")
            .field("way", &self.way)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
