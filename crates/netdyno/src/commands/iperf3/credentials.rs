//! Who a client is, and whom a server lets in.

use std::env;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use engine::iperf3::auth::{Gate, Padding, token};
use engine::iperf3::server::Authorize;

use super::client::unix_ms;
use crate::dialect::iperf3::{Authorization, Credentials};

/// Where the password is, if nobody is to be asked for it.
const PASSWORD: &str = "IPERF3_PASSWORD";

/// A client's token, made now.
///
/// # Errors
/// The sentence.
pub(super) fn of_client(credentials: &Credentials) -> Result<String, String> {
    let key = read("the public key", &credentials.public_key)?;
    let password = match env::var(PASSWORD) {
        Ok(password) => password,
        Err(_) => {
            eprint!("Password: ");
            let password = sys::terminal::read_secret();
            eprintln!();
            password.map_err(|error| format!("reading the password: {error}"))?
        }
    };
    let padding = if credentials.pkcs1_padding {
        Padding::Pkcs1
    } else {
        Padding::Oaep
    };
    token(
        &key,
        padding,
        &credentials.user,
        &password,
        unix_ms() / 1000,
    )
}

/// A server's judgement. The file of users is read at every attempt.
///
/// # Errors
/// The sentence, when the key or the file cannot be read now.
pub(super) fn of_server(authorization: &Authorization) -> Result<Authorize, String> {
    let key = read("the private key", &authorization.private_key)?;
    let users = authorization.users.clone();
    read(USERS, &users)?;
    let skew_seconds = authorization.skew.get() / 1_000_000_000;
    let gate = Gate::new(&key, authorization.pkcs1_padding, skew_seconds)?;
    Ok(Arc::new(move |token| {
        let users = read(USERS, &users)?;
        gate.admit(token, &users, unix_ms() / 1000).map(drop)
    }))
}

const USERS: &str = "the file of authorized users";

fn read(what: &str, path: &Path) -> Result<String, String> {
    let text = fs::read_to_string(path);
    text.map_err(|error| format!("reading {what} '{}': {error}", path.display()))
}
