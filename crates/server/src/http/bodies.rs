//! Reads bodies: each up to a limit, and all that are in the house together up
//! to another one, so that many long ones cannot fill the memory.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::wire::{MAX_MESSAGE_BYTES, Outline};

/// Bytes of all bodies that are read or worked on at once: two of the longest,
/// or hundreds of usual ones. What is made of a body takes several times that.
const AT_ONCE_BYTES: usize = 2 * MAX_MESSAGE_BYTES;

/// Bytes that are counted as one.
const UNIT: usize = 1024;

/// How long a body may take to arrive: the longest one, over a slow tunnel. A
/// client that announces bytes and sends none must not hold its share for ever.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Bytes of a body over the limit that are looked through for its id.
const LOOKED_THROUGH_BYTES: usize = 4 * MAX_MESSAGE_BYTES;

/// What all bodies may still take.
#[derive(Clone)]
pub struct Bodies(Arc<Semaphore>);

/// A body, and its share as long as this lives.
pub struct Read {
    /// What was sent.
    pub bytes: Bytes,
    /// Keeps what the body takes.
    _share: Option<OwnedSemaphorePermit>,
}

/// Why a body was not read.
pub enum Unread {
    /// It broke off before its end.
    Broken,
    /// It is over the limit; the id of the message in it, or null.
    TooLarge(Value),
    /// Others take too much at the moment.
    Crowded,
    /// The rest of it did not come.
    Late,
}

impl Bodies {
    /// Returns the share of nobody yet.
    pub fn new() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE_BYTES / UNIT)))
    }

    /// Reads a body to its end, for as long as that may take.
    pub async fn read(&self, body: Body) -> Result<Read, Unread> {
        self.read_within(PATIENCE, body).await
    }

    async fn read_within(&self, patience: Duration, body: Body) -> Result<Read, Unread> {
        // Whoever announces more than is ever looked at need not send it.
        let announced = usize::try_from(body.size_hint().lower());
        if announced.map_or(true, |announced| announced > LOOKED_THROUGH_BYTES) {
            return Err(Unread::TooLarge(Value::Null));
        }
        tokio::time::timeout(patience, self.read_all(body))
            .await
            .unwrap_or(Err(Unread::Late))
    }

    async fn read_all(&self, mut body: Body) -> Result<Read, Unread> {
        let mut bytes: Vec<u8> = Vec::new();
        let mut share: Option<OwnedSemaphorePermit> = None;
        while let Some(part) = next(&mut body).await? {
            if bytes.len() + part.len() > MAX_MESSAGE_BYTES {
                let mut outline = Outline::default();
                outline.add(&bytes);
                drop((bytes, share));
                return Err(Unread::TooLarge(id(body, outline, &part).await));
            }
            let units = (bytes.len() + part.len()).div_ceil(UNIT) - bytes.len().div_ceil(UNIT);
            let units = u32::try_from(units).unwrap_or(u32::MAX);
            let more = Arc::clone(&self.0)
                .try_acquire_many_owned(units)
                .map_err(|_| Unread::Crowded)?;
            match &mut share {
                None => share = Some(more),
                Some(share) => share.merge(more),
            }
            bytes.extend_from_slice(&part);
        }
        let bytes = Bytes::from(bytes);
        Ok(Read {
            bytes,
            _share: share,
        })
    }
}

/// Returns the next part of a body.
async fn next(body: &mut Body) -> Result<Option<Bytes>, Unread> {
    loop {
        let frame = std::future::poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await;
        match frame {
            None => return Ok(None),
            Some(Err(_)) => return Err(Unread::Broken),
            // Trailers say nothing.
            Some(Ok(frame)) => {
                if let Ok(part) = frame.into_data() {
                    return Ok(Some(part));
                }
            }
        }
    }
}

/// Returns the id of a message that is too long to keep.
async fn id(mut body: Body, mut outline: Outline, first: &[u8]) -> Value {
    let mut n_bytes = first.len();
    outline.add(first);
    while n_bytes < LOOKED_THROUGH_BYTES {
        let Ok(Some(part)) = next(&mut body).await else {
            break;
        };
        n_bytes += part.len();
        outline.add(&part);
    }
    outline.id()
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::task::{Context, Poll};

    use axum::body::HttpBody;

    use super::*;

    /// A body of which nothing ever comes.
    struct Silent;

    impl HttpBody for Silent {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            self: Pin<&mut Self>,
            _context: &mut Context<'_>,
        ) -> Poll<Option<Result<http_body::Frame<Bytes>, Infallible>>> {
            Poll::Pending
        }
    }

    #[tokio::test]
    async fn a_body_that_never_comes_is_given_up_and_its_share_is_free_again() {
        let bodies = Bodies::new();
        let outcome = bodies.read_within(Duration::ZERO, Body::new(Silent)).await;
        assert!(matches!(outcome, Err(Unread::Late)));
        assert_eq!(bodies.0.available_permits(), AT_ONCE_BYTES / UNIT);
    }
}
