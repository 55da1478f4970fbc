use super::*;
use crate::native::sample;

fn json(frame: Vec<u8>) -> String {
    String::from_utf8(frame[4..].to_vec()).unwrap()
}

fn client(json: &str) -> Result<ClientMessage, MessageError> {
    ClientMessage::decode(json.as_bytes())
}

fn server(json: &str) -> Result<ServerMessage, MessageError> {
    ServerMessage::decode(json.as_bytes())
}

/// What travels, one message a line: a change in the snapshot is a new version of the protocol.
#[test]
fn golden_messages() {
    let lines = |frames: Vec<Vec<u8>>| Vec::from_iter(frames.into_iter().map(json)).join("\n");
    let messages = sample::client_messages();
    insta::assert_snapshot!(
        "client",
        lines(messages.iter().map(ClientMessage::encode).collect())
    );
    let messages = sample::server_messages();
    insta::assert_snapshot!(
        "server",
        lines(messages.iter().map(ServerMessage::encode).collect())
    );
}

#[test]
fn every_message_comes_back_and_is_named_by_its_key() {
    for message in sample::client_messages() {
        let json = json(message.encode());
        assert!(
            json.starts_with(&format!("{{\"{}\":{{", message.name())),
            "{json}"
        );
        assert_eq!(client(&json), Ok(message));
    }
    for message in sample::server_messages() {
        let json = json(message.encode());
        assert!(
            json.starts_with(&format!("{{\"{}\":{{", message.name())),
            "{json}"
        );
        assert_eq!(server(&json), Ok(message));
    }
}

#[test]
fn keys_and_codes_of_a_later_version_are_skipped() {
    assert_eq!(
        client(r#"{"start":{"at":[1,{}]}}"#),
        Ok(ClientMessage::Start {})
    );
    assert_eq!(
        server(r#"{"refuse":{"code":"full-moon","reason":"tonight","until":"dawn"}}"#),
        Ok(ServerMessage::Refuse {
            code: RefuseCode::Other,
            reason: "tonight".into()
        })
    );
}

#[test]
fn every_refusal_has_its_code() {
    for (code, name) in [
        (RefuseCode::Version, "version"),
        (RefuseCode::NotAllowed, "not-allowed"),
        (RefuseCode::TooManyTests, "too-many-tests"),
        (RefuseCode::TooLong, "too-long"),
        (RefuseCode::TooManyFlows, "too-many-flows"),
        (RefuseCode::BadPlan, "bad-plan"),
        (RefuseCode::Resource, "resource"),
        (RefuseCode::Junk, "junk"),
    ] {
        let json = format!("\"{name}\"");
        assert_eq!(serde_json::to_string(&code).unwrap(), json);
        assert_eq!(serde_json::from_str::<RefuseCode>(&json).unwrap(), code);
    }
}

#[test]
fn what_is_no_message_says_why() {
    for (json, reason) in [
        ("", "EOF while parsing a value"),
        ("{}", "expected value"),
        ("null", "expected value"),
        (r#"{"start":{}} x"#, "trailing characters"),
        (r#"{"start":{},"bye":{}}"#, "expected value"),
        (r#"{"start":null}"#, "invalid type: null"),
        (r#"{"sing":{}}"#, "unknown variant `sing`"),
        (r#"{"done":{}}"#, "missing field `sent`"),
        (
            r#"{"hello":{"protocol":-1,"netdyno":""}}"#,
            "invalid value: integer `-1`",
        ),
        (
            r#"{"hello":{"protocol":1e999,"netdyno":""}}"#,
            "number out of range",
        ),
        (
            r#"{"hello":{"protocol":NaN,"netdyno":""}}"#,
            "expected value",
        ),
        ("{\"abort\":{\"reason\":\"\x1b\"}}", "control character"),
    ] {
        match client(json) {
            Err(MessageError::Unreadable(text)) => assert!(text.contains(reason), "{json}: {text}"),
            other => panic!("{json}: {other:?}"),
        }
    }
}

#[test]
fn a_deeply_nested_message_is_an_error_not_an_overflow() {
    let deep = "[".repeat(500_000);
    for json in [
        deep.clone(),
        format!(r#"{{"start":{{"x":{deep}"#),
        format!(r#"{{"propose":{{"plan":{deep}"#),
        format!(r#"{{"done":{{"sent":{deep}"#),
    ] {
        assert!(client(&json).is_err());
    }
    assert!(server(&format!(r#"{{"edge":{{"edge":{deep}"#)).is_err());
}

#[test]
fn a_plan_that_is_not_valid_is_told_apart() {
    let propose = json(sample::client_messages()[1].encode());
    for (right, wrong) in [
        ("\"flows\":3", "\"flows\":0"),
        ("\"size_bytes\":1400", "\"size_bytes\":3"),
        (
            "\"process\":\"closed\"",
            "\"process\":\"paced\",\"requests_per_second\":null",
        ),
        ("\"loads\":[{", "\"colour\":1,\"loads\":[{"),
    ] {
        assert!(propose.contains(right), "{right}");
        let error = client(&propose.replacen(right, wrong, 1)).unwrap_err();
        assert!(matches!(error, MessageError::Plan(_)), "{wrong}: {error}");
    }
}

#[test]
fn texts_are_cleaned_when_they_come() {
    let evil = "\\u001b[2J".to_owned() + &"x".repeat(300);
    let kept = "\u{fffd}[2J".to_owned() + &"x".repeat(251) + "…";
    match client(&format!(r#"{{"abort":{{"reason":"{evil}"}}}}"#)) {
        Ok(ClientMessage::Abort { reason }) => assert_eq!(reason, kept),
        other => panic!("{other:?}"),
    }
    match client(&format!(
        r#"{{"hello":{{"protocol":1,"netdyno":"{evil}"}}}}"#
    )) {
        Ok(ClientMessage::Hello { netdyno, .. }) => assert_eq!(netdyno, kept),
        other => panic!("{other:?}"),
    }
    let error = client(r#"{"\u001b[2J":{}}"#).unwrap_err().to_string();
    assert!(!error.contains('\x1b'), "{error}");
    let error = client(&format!(r#"{{"{}":{{}}}}"#, "x".repeat(9999))).unwrap_err();
    assert!(error.to_string().len() < 400, "{error}");
}

#[test]
fn every_text_of_a_server_is_cleaned_when_it_comes() {
    let bell = || "\x07".to_owned();
    let mut grants = sample::grants();
    grants[1].capped.push(bell());
    let mut facts = sample::facts();
    facts.kernel = Some(bell());
    let mut report = sample::report_of(&[0, 0]);
    report.loads[1].broken_reason = Some(bell());
    let mut caps = sample::caps();
    caps[0].sentence = bell();
    for message in [
        ServerMessage::Hello {
            protocol: 1,
            netdyno: bell(),
            facts: Box::new(facts),
        },
        ServerMessage::Refuse {
            code: RefuseCode::Junk,
            reason: bell(),
        },
        ServerMessage::Accept {
            test: 1,
            token: sample::TOKEN,
            caps,
            sysctls: Sysctls::from([(bell(), bell())]),
        },
        ServerMessage::Attached { grants },
        ServerMessage::Report {
            report: Box::new(report),
        },
        ServerMessage::Abort { reason: bell() },
    ] {
        let sent = json(message.encode());
        assert!(sent.contains("\\u0007"), "{sent}");
        let came = json(server(&sent).unwrap().encode());
        assert!(!came.contains("\\u0007"), "{came}");
    }
}
