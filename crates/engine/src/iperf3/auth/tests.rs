use super::*;

const PKCS1_KEY: &str = include_str!("private_pkcs1.pem");
const PKCS8_KEY: &str = include_str!("private_pkcs8.pem");
const PUBLIC_KEY: &str = include_str!("public.pem");

/// Made by OpenSSL at [`THEN`], of mario and rossi.
const OAEP: &str = include_str!("oaep.token");
const PKCS1: &str = include_str!("pkcs1.token");
const THEN: u64 = 1_796_054_095;

const USERS: &str = "# name,hash\n\nmario,bf7a49a846d44b454a5d11e7acfaf13d138bbe0b7483aa3e050879700572709b\r\nnonsense\n";

fn gate(pkcs1: bool) -> Gate {
    Gate::new(PKCS8_KEY, pkcs1, 10).unwrap()
}

#[test]
fn tokens_of_openssl_are_read_with_both_paddings() {
    assert_eq!(gate(false).admit(Some(OAEP), USERS, THEN).unwrap(), "mario");
    assert_eq!(gate(true).admit(Some(OAEP), USERS, THEN).unwrap(), "mario");
    assert_eq!(gate(true).admit(Some(PKCS1), USERS, THEN).unwrap(), "mario");
    let refused = gate(false).admit(Some(PKCS1), USERS, THEN).unwrap_err();
    assert!(refused.contains("padding"), "{refused}");
}

#[test]
fn our_own_tokens_are_read_too() {
    for padding in [Padding::Oaep, Padding::Pkcs1] {
        let token = token(PUBLIC_KEY, padding, "mario", "rossi", THEN).unwrap();
        assert_eq!(token.len(), 344, "256 bytes in base64");
        assert!(gate(true).admit(Some(&token), USERS, THEN + 10).is_ok());
    }
    assert!(Gate::new(PKCS1_KEY, false, 10).is_ok());
}

#[test]
fn blanks_are_letters_like_others() {
    let token = token(PUBLIC_KEY, Padding::Oaep, "ma rio", "ros  si", THEN).unwrap();
    let hash = Sha256::digest("{ma rio}ros  si");
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let users = format!("ma rio,{hash}\n");
    assert!(gate(false).admit(Some(&token), &users, THEN).is_ok());
}

#[test]
fn who_is_not_let_in() {
    let gate = gate(false);
    let refused = |token, users, now| gate.admit(token, users, now).unwrap_err();
    assert!(refused(None, USERS, THEN).contains("no credentials"));
    assert!(refused(Some(OAEP), USERS, THEN + 11).contains("11 s apart"));
    assert!(refused(Some(OAEP), USERS, THEN - 11).contains("11 s apart"));
    assert!(refused(Some(OAEP), "", THEN).contains("no such user"));
    assert!(refused(Some("!"), USERS, THEN).contains("base64"));
    assert!(refused(Some(""), USERS, THEN).contains("decrypted"));
    let wrong = token(PUBLIC_KEY, Padding::Oaep, "mario", "bianchi", THEN).unwrap();
    assert!(refused(Some(&wrong), USERS, THEN).contains("wrong password"));
}

#[test]
fn what_a_server_could_not_read_is_not_sent() {
    let say = |user: &str, password: &str| {
        token(PUBLIC_KEY, Padding::Oaep, user, password, THEN).unwrap_err()
    };
    assert!(say("a\nb", "c").contains("a line"));
    assert!(say("a", "").contains("empty"));
    assert!(say("a", &"p".repeat(300)).contains("encrypting"));
    assert!(token("no key", Padding::Oaep, "a", "b", THEN).is_err());
    assert!(Gate::new("no key", false, 1).is_err());
}
