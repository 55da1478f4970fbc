//! The command line's words for a load and a link: `KIND:KEY=VALUE,…` and `KEY=VALUE,…`.

use crate::setting::Setting;
use crate::{Key, Kind, Link, LinkError, Load, LoadError};

impl Load {
    /// `stream`, `stream:flows=4,size=64K`, `rr:cpu=0,2,4-5,nodelay`.
    pub fn parse(text: &str) -> Result<Self, LoadError> {
        let (kind, rest) = match text.split_once(':') {
            None => (text, None),
            Some((kind, rest)) => (kind, Some(rest)),
        };
        let kind = kind.trim();
        let kind = Kind::of(kind).ok_or_else(|| LoadError::Kind(kind.to_owned()))?;
        let mut settings = Vec::new();
        for token in rest.into_iter().flat_map(|rest| rest.split(',')) {
            read_token(token.trim(), &mut settings)?;
        }
        Self::from_settings(kind, &settings)
    }

    /// This load with other settings: `rate=190M,flows=2`. A new way to stop takes the place of
    /// the old one.
    ///
    /// # Errors
    /// The same as for the whole text.
    pub fn with(&self, changes: &str) -> Result<Self, LoadError> {
        const STOPS: [Key; 2] = [Key::Bytes, Key::Count];
        let mut new = Vec::new();
        for token in changes.split(',') {
            read_token(token.trim(), &mut new)?;
        }
        let replaced = |key: Key| {
            let same_stop = |other: &Key| STOPS.contains(&key) && STOPS.contains(other);
            new.iter()
                .any(|(other, _)| *other == key || same_stop(other))
        };
        let mut settings = self.settings();
        settings.retain(|(key, _)| !replaced(*key));
        settings.extend(new);
        Self::from_settings(self.kind, &settings)
    }
}

/// A key with its value, a flag, or the continuation of the list before it.
fn read_token(token: &str, settings: &mut Vec<Setting>) -> Result<(), LoadError> {
    if let Some((name, value)) = token.split_once('=') {
        let name = name.trim();
        let key = Key::of(name).ok_or_else(|| LoadError::UnknownKey(name.to_owned()))?;
        settings.push((key, value.trim().to_owned()));
        return Ok(());
    }
    if token.starts_with(|c: char| c.is_ascii_digit()) {
        return match settings.last_mut() {
            Some((key, list)) if key.is_list() => {
                list.push(',');
                list.push_str(token);
                Ok(())
            }
            _ => Err(LoadError::NoList(token.to_owned())),
        };
    }
    match Key::of(token) {
        Some(flag) if flag.is_flag() => settings.push((flag, "on".to_owned())),
        Some(key) => return Err(LoadError::NoValue(key)),
        None => return Err(LoadError::UnknownKey(token.to_owned())),
    }
    Ok(())
}

impl Link {
    /// `rate=100mbit,delay=20ms,qdisc=htb r2q 1000 default 3`.
    pub fn parse(text: &str) -> Result<Self, LinkError> {
        Self::from_settings(&link_settings(text)?)
    }

    /// This link with other settings.
    ///
    /// # Errors
    /// The same as for the whole text.
    pub fn with(&self, changes: &str) -> Result<Self, LinkError> {
        let new = link_settings(changes)?;
        let old = self.settings().into_iter();
        let mut settings: Vec<_> = old.map(|(key, text)| (key.to_owned(), text)).collect();
        settings.retain(|(key, _)| !new.iter().any(|(other, _)| other == key));
        settings.extend(new);
        Self::from_settings(&settings)
    }
}

fn link_settings(text: &str) -> Result<Vec<(String, String)>, LinkError> {
    let setting = |token: &str| {
        let (key, value) = token
            .split_once('=')
            .ok_or_else(|| LinkError::NoValue(token.trim().to_owned()))?;
        Ok((key.trim().to_owned(), value.trim().to_owned()))
    };
    text.split(',').map(setting).collect()
}

#[cfg(test)]
mod sentences;
#[cfg(test)]
mod tests;
