//! Who may ask a server for a test: a name and a password, encrypted with the server's public key.
//!
//! The token can be replayed as long as its time is believed, and the rest of the control
//! connection is clear text: this keeps strangers from using a server, no more.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rsa::pkcs1::DecodeRsaPrivateKey;
use rsa::pkcs8::{DecodePrivateKey, DecodePublicKey};
use rsa::{PrivateKey, PublicKey};
use sha1::Sha1;
use sha2::{Digest, Sha256};

/// How the credentials are padded before they are encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Padding {
    /// OAEP with SHA-1, since 3.17.
    Oaep,
    /// PKCS#1 v1.5, up to 3.16.
    Pkcs1,
}

/// Makes a client's token. `unix_seconds` is its wall time.
///
/// # Errors
/// The sentence: the key cannot be read, or the credentials do not fit it.
pub fn token(
    public_key_pem: &str,
    padding: Padding,
    user: &str,
    password: &str,
    unix_seconds: u64,
) -> Result<String, String> {
    let breaks = |text: &str| text.contains(char::is_control) || text.is_empty();
    if breaks(user) || breaks(password) {
        return Err(
            "a user name or password that is empty, or has more than a line, cannot be \
                    sent"
                .to_owned(),
        );
    }
    let key = PublicKey::from_public_key_pem(public_key_pem)
        .map_err(|error| format!("the public key cannot be read: {error}"))?;
    let text = format!("user: {user}\npwd:  {password}\nts:   {unix_seconds}");
    let sealed = match padding {
        Padding::Oaep => key.oaep_encrypt::<Sha1>(text.as_bytes()),
        Padding::Pkcs1 => key.pkcs1v15_encrypt(text.as_bytes()),
    };
    let sealed = sealed.map_err(|error| format!("encrypting the credentials: {error}"))?;
    Ok(STANDARD.encode(sealed))
}

/// A server's side.
pub struct Gate {
    key: PrivateKey,
    /// The old padding is taken too.
    pkcs1: bool,
    /// How far the clocks may be apart, s.
    skew_seconds: u64,
}

impl Gate {
    /// With the server's private key, PKCS#1 or PKCS#8.
    ///
    /// # Errors
    /// The sentence: the key cannot be read.
    pub fn new(private_key_pem: &str, pkcs1: bool, skew_seconds: u64) -> Result<Self, String> {
        let key = PrivateKey::from_pkcs8_pem(private_key_pem)
            .map_err(|error| error.to_string())
            .or_else(|error| PrivateKey::from_pkcs1_pem(private_key_pem).map_err(|_| error))
            .map_err(|error| format!("the private key cannot be read: {error}"))?;
        Ok(Self {
            key,
            pkcs1,
            skew_seconds,
        })
    }

    /// Whether the token is of a user in `users`, now. Gives the user's name.
    ///
    /// # Errors
    /// Why not, for the server's own log: the client hears none of it.
    pub fn admit(
        &self,
        token: Option<&str>,
        users: &str,
        unix_seconds: u64,
    ) -> Result<String, String> {
        let token = token.ok_or("the client shows no credentials")?;
        let sealed = STANDARD
            .decode(token.trim())
            .map_err(|error| format!("the credentials are no base64: {error}"))?;
        let open = self.key.oaep_decrypt::<Sha1>(&sealed).ok();
        let open = open.or_else(|| {
            let old = self.pkcs1.then(|| self.key.pkcs1v15_decrypt(&sealed));
            old.and_then(Result::ok)
        });
        let text = open
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .ok_or("the credentials cannot be decrypted: another key, or the padding of iperf3 before 3.17, which --use-pkcs1-padding takes")?;
        let said = Credentials::parse(&text).ok_or("the credentials are not complete")?;
        let apart = said.unix_seconds.abs_diff(unix_seconds);
        if apart > self.skew_seconds {
            return Err(format!("the clocks are {apart} s apart"));
        }
        match knows(users, said.user, said.password) {
            true => Ok(said.user.to_owned()),
            false => Err("no such user, or a wrong password".to_owned()),
        }
    }
}

/// What a token holds.
struct Credentials<'a> {
    user: &'a str,
    password: &'a str,
    unix_seconds: u64,
}

impl<'a> Credentials<'a> {
    /// Line by line, so that names and passwords may hold blanks; whoever writes lines otherwise
    /// has no blanks in them.
    fn parse(text: &'a str) -> Option<Self> {
        Self::of_lines(text).or_else(|| Self::of_words(text))
    }

    fn of_lines(text: &'a str) -> Option<Self> {
        let mut lines = text.lines();
        let mut after = |label| lines.next()?.strip_prefix(label);
        Some(Self {
            user: after("user: ")?,
            password: after("pwd:  ")?,
            unix_seconds: after("ts:   ")?.trim().parse().ok()?,
        })
    }

    fn of_words(text: &'a str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let mut after = |label| (words.next()? == label).then(|| words.next()).flatten();
        Some(Self {
            user: after("user:")?,
            password: after("pwd:")?,
            unix_seconds: after("ts:")?.parse().ok()?,
        })
    }
}

/// Whether a file of users holds this one. Lines are `name,hash`; the hash is SHA-256 of
/// `{name}password`, in hexadecimal.
fn knows(users: &str, user: &str, password: &str) -> bool {
    let wanted = Sha256::digest(format!("{{{user}}}{password}"));
    let wanted: String = wanted.iter().map(|byte| format!("{byte:02x}")).collect();
    let lines = users.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.trim_end().split_once(','))
        .any(|(name, hash)| name == user && hash == wanted)
}

#[cfg(test)]
mod tests;
