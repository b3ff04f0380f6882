//! Addresses of servers that a person names: one on this machine may be spoken
//! to in the clear.

use hyper::Uri;

/// Whether the host of an address is this machine.
pub fn is_local(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost")
        || bare
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// Returns a text as an address with a scheme and a host.
pub fn parsed(url: &str) -> Option<Uri> {
    let uri: Uri = url.parse().ok()?;
    let authority = uri.authority()?;
    let after = authority.as_str().rsplit(']').next().unwrap_or_default();
    // The library takes any number for a port.
    let is_port = !after.contains(':') || authority.port_u16().is_some();
    (uri.scheme().is_some() && is_port).then_some(uri)
}

/// Whether a header can carry this as a token. A server would be asked with
/// something else, and say that none was sent.
pub fn is_token(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_graphic())
}

/// What a person is told of something that is no token.
pub const NO_TOKEN: &str = "is no token: one is a single word of letters, digits and marks; copy it again from the file token in the data folder of the server";
