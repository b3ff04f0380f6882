//! The Rust client and connections that break, hang or are left.

use zero_memory_client::{Error, Options, Program, Protocol, ZeroMemory, types};

use super::relay::Relay;
use super::rust::run;
use super::tap::Tap;
use crate::harness::{DEADLINE, Hold, Site, binary, fresh, signal};

/// How many calls are made at a time; in turns they would take longer than a
/// test may.
const N_AT_A_TIME: u32 = 20;

/// Asks until the connection is open again; a call that was on its way when
/// the server ended may fail once.
async fn asks_again(memory: &ZeroMemory) -> Vec<String> {
    let query = || types::RecallInput::new("heron");
    let found = match memory.recall(query()).await {
        Err(Error::Transport(_)) => memory.recall(query()).await,
        other => other,
    };
    let found = found.expect("the connection is open again");
    found
        .memories
        .iter()
        .map(|row| row.content.clone())
        .collect()
}

#[test]
fn a_server_that_was_started_again_is_found_again_over_http() {
    let data = fresh();
    let site = Site::start(data.path());
    let relay = Relay::before(&site);
    run(async {
        let memory = ZeroMemory::http(relay.url(), Some(site.token())).await;
        let memory = memory.expect("it opens");
        let fact = types::RememberInput::new("The heron is grey.").scope("core");
        memory.remember(fact).await.expect("it is stored");
        drop(site);
        let gone = memory.recall(types::RecallInput::new("heron")).await;
        assert!(matches!(gone, Err(Error::Transport(_))), "{gone:?}");
        let again = Site::start(data.path());
        relay.lead_to(again.address());
        assert_eq!(asks_again(&memory).await, ["The heron is grey."]);
    });
}

#[cfg(unix)]
#[test]
fn a_process_that_was_killed_is_started_again() {
    let data = fresh();
    let shell = "echo $$ > \"$1/pid\"; exec \"$0\" stdio --data \"$1\"";
    let program = Program::new("sh")
        .args(["-c", shell])
        .arg(binary())
        .arg(data.path());
    run(async {
        let memory = ZeroMemory::stdio(program).await.expect("it opens");
        let fact = types::RememberInput::new("The heron is grey.").scope("core");
        memory.remember(fact).await.expect("it is stored");
        let pid = || std::fs::read_to_string(data.path().join("pid")).expect("a pid");
        let first = pid();
        signal("KILL", first.trim().parse().expect("a number"));
        assert_eq!(asks_again(&memory).await, ["The heron is grey."]);
        assert_ne!(pid(), first);
    });
}

#[test]
fn calls_end_in_time_while_the_connection_cannot_be_opened_again() {
    let data = fresh();
    let site = Site::start(data.path());
    let relay = Relay::before(&site);
    let timeout = DEADLINE / N_AT_A_TIME * 2;
    run(async {
        let options = Options::new().timeout(timeout);
        let memory = ZeroMemory::http_with(relay.url(), Some(site.token()), options).await;
        let memory = memory.expect("it opens");
        drop(site);
        let gone = memory.recall(types::RecallInput::new("heron")).await;
        assert!(matches!(gone, Err(Error::Transport(_))), "{gone:?}");
        // It takes connections and says nothing.
        let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        relay.lead_to(&silent.local_addr().expect("an address").to_string());
        let calls: Vec<_> = (0..N_AT_A_TIME)
            .map(|_| {
                let memory = memory.clone();
                tokio::spawn(async move { memory.recall(types::RecallInput::new("heron")).await })
            })
            .collect();
        assert!(memory.contract_version().await.is_some());
        for call in calls {
            let late = call.await.expect("it ends");
            assert!(
                matches!(late, Err(Error::Timeout(after)) if after == timeout),
                "{late:?}"
            );
        }
    });
}

/// A process that left its number in a folder; it ends with this.
#[cfg(unix)]
struct Deaf<'a>(&'a std::path::Path);

#[cfg(unix)]
impl Drop for Deaf<'_> {
    fn drop(&mut self) {
        let pid = std::fs::read_to_string(self.0.join("pid")).unwrap_or_default();
        let kill = std::process::Command::new("kill")
            .args(["-KILL", pid.trim()])
            .output();
        drop(kill);
    }
}

#[cfg(unix)]
#[test]
fn a_server_of_another_version_in_the_place_of_the_lost_one_is_judged_anew() {
    let data = fresh();
    let shell = "cd \"$1\"
if [ -e pid ]; then exec \"$0\" stdio --data \"$1\" --announced-contract 3.0.0; fi
echo $$ > pid
exec \"$0\" stdio --data \"$1\"";
    let program = Program::new("sh")
        .args(["-c", shell])
        .arg(binary())
        .arg(data.path());
    run(async {
        let memory = ZeroMemory::stdio(program).await.expect("it opens");
        let pid = std::fs::read_to_string(data.path().join("pid")).expect("a pid");
        signal("KILL", pid.trim().parse().expect("a number"));
        let mismatch = loop {
            match memory.recall(types::RecallInput::new("heron")).await {
                Err(Error::ContractMismatch(mismatch)) => break mismatch,
                // It takes a call to notice that the process is gone.
                Err(Error::Transport(_)) => {}
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(mismatch.server.as_deref(), Some("3.0.0"));
    });
}

#[cfg(unix)]
#[test]
fn the_call_after_a_broken_pipe_goes_over_a_new_one() {
    let data = fresh();
    // The first time it answers one message and takes no more, but lives on.
    let shell = "cd \"$1\"
if [ -e pid ]; then exec \"$0\" stdio --data \"$1\"; fi
echo $$ > pid
head -n 1 | \"$0\" stdio --data \"$1\"
exec <&-
touch deaf
exec sleep 90";
    let program = Program::new("sh")
        .args(["-c", shell])
        .arg(binary())
        .arg(data.path());
    let _deaf = Deaf(data.path());
    run(async {
        let memory = ZeroMemory::stdio(program).await.expect("it opens");
        while !data.path().join("deaf").exists() {
            tokio::task::yield_now().await;
        }
        let query = || memory.recall(types::RecallInput::new("heron"));
        let broken = query().await;
        assert!(matches!(broken, Err(Error::Transport(_))), "{broken:?}");
        let found = query().await;
        assert!(found.is_ok(), "{found:?}");
    });
}

#[test]
fn a_call_whose_future_is_dropped_is_called_off_at_the_server() {
    for protocol in [Protocol::Handshake, Protocol::Stateless] {
        called_off(protocol);
    }
}

fn called_off(protocol: Protocol) {
    let data = fresh();
    let site = Site::start(data.path());
    let tap = Tap::start(site.address(), "The void.");
    run(async {
        let options = Options::new().protocol(protocol);
        let memory = ZeroMemory::http_with(tap.url(), Some(site.token()), options).await;
        let memory = memory.expect("it opens");
        let fact = |text: &str| types::RememberInput::new(text).scope("core");
        memory
            .remember(fact("The heron is grey."))
            .await
            .expect("it is stored");
        let hold = Hold::writes(data.path());
        let is_taken_up = async {
            // Whoever is answered came after it.
            tap.passed().await;
            memory.recall(types::RecallInput::new("heron")).await
        };
        tokio::select! {
            // Only when it waits for the lock is there something to call off.
            void = memory.remember(fact("The void.")) => panic!("{void:?}"),
            found = is_taken_up => assert!(found.is_ok(), "{found:?}"),
        }
        let outcome = loop {
            let line = site.log_line();
            if line.contains("tool=\"remember\"") && !line.contains("outcome=\"ok\"") {
                break line;
            }
        };
        assert!(outcome.contains("outcome=\"cancelled\""), "{outcome}");
        drop(hold);
        let found = memory.recall(types::RecallInput::new("void")).await;
        assert!(found.expect("it is read").memories.is_empty());
    });
}
