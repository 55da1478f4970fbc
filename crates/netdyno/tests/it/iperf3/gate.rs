//! Servers that want to know who asks.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use plan::Family;

use super::{Said, Served, Whose};
use crate::hosts::hosts;

/// mario, whose password is rossi.
const USERS: &str =
    "# user,sha256\nmario,bf7a49a846d44b454a5d11e7acfaf13d138bbe0b7483aa3e050879700572709b\n";

fn key_pair(folder: &Path) {
    let run = |words: &str| {
        let mut command = Command::new("openssl");
        command.args(words.split_whitespace()).current_dir(folder);
        let status = command.stderr(Stdio::null()).status().unwrap();
        assert!(status.success(), "{words}");
    };
    run("genrsa -out private.pem 2048");
    run("rsa -in private.pem -outform PEM -pubout -out public.pem");
}

#[test]
fn only_those_who_are_known_are_let_in() {
    not_run::needs_namespaces!();
    not_run::needs_program!("iperf3");
    not_run::needs_program!("openssl");
    hosts("", Family::V4, |hosts| {
        let folder = tempfile::tempdir().unwrap();
        key_pair(folder.path());
        fs::write(folder.path().join("users.csv"), USERS).unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let server_words = format!(
            "--rsa-private-key-path {} --authorized-users-path {}",
            at("private.pem"),
            at("users.csv")
        );
        let ask = |whose: Whose, served: &Served, user: &str, password: &str, more: &str| {
            let mut command = whose.command();
            command.args(["-c", &served.at.ip().to_string()]);
            command.args(["-p", &served.at.port().to_string(), "-J", "-n", "10K"]);
            if !user.is_empty() {
                command.args([
                    "--username",
                    user,
                    "--rsa-public-key-path",
                    &at("public.pem"),
                ]);
            }
            command.args(more.split_whitespace());
            command.env("IPERF3_PASSWORD", password);
            Said::by(command)
        };
        // 3.12 has the old padding only.
        let old = format!("{server_words} --use-pkcs1-padding");
        let ours = Served::start(hosts, Whose::Ours, 6700, &old);
        let theirs = Served::start(hosts, Whose::Theirs, 6701, &server_words);
        let strict = Served::start(hosts, Whose::Ours, 6702, &server_words);
        ask(Whose::Theirs, &ours, "mario", "rossi", "").well("3.12 to ours");
        ask(Whose::Ours, &ours, "mario", "rossi", "").well("ours to ours");
        ask(Whose::Ours, &strict, "mario", "rossi", "").well("ours to ours, strict");
        let padding = "--use-pkcs1-padding";
        ask(Whose::Ours, &theirs, "mario", "rossi", padding).well("ours to 3.12");
        for (whose, served, user, password, more) in [
            (Whose::Ours, &ours, "mario", "bianchi", ""),
            (Whose::Ours, &ours, "luigi", "rossi", ""),
            (Whose::Ours, &ours, "", "", ""),
            (Whose::Ours, &strict, "mario", "rossi", padding),
            (Whose::Ours, &theirs, "mario", "bianchi", padding),
        ] {
            let said = ask(whose, served, user, password, more);
            assert_eq!(said.code, Some(1), "{said:?}");
            let error = said.error("refused");
            assert!(error.contains("credentials"), "{error}");
        }
        let said = ask(Whose::Theirs, &ours, "mario", "bianchi", "");
        assert!(said.error("3.12").contains("authorization"), "{said:?}");
    });
}
