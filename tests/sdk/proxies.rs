//! Proxies of the environment: they see nothing of what goes to this machine.

use std::process::Command;

use zero_memory_client::{ZeroMemory, types};

use super::rust::run;
use crate::harness::{Site, fresh};

/// Names the server to the copy of this program that has a proxy.
const URL: &str = "ZERO_MEMORY_TEST_URL";

#[test]
fn no_proxy_sees_what_goes_to_this_machine() {
    if let Ok(url) = std::env::var(URL) {
        let found = run(async {
            let memory =
                ZeroMemory::http(url, Some(&std::env::var("TOKEN").expect("text"))).await?;
            memory.recall(types::RecallInput::new("heron")).await
        });
        assert!(found.is_ok(), "{found:?}");
        return;
    }
    let data = fresh();
    let site = Site::start(data.path());
    // The variables of a process are its own, so another one has them.
    let this = std::env::current_exe().expect("this program");
    let name = "sdk::proxies::no_proxy_sees_what_goes_to_this_machine";
    for host in [
        site.address().to_owned(),
        site.address().replace("127.0.0.1", "localhost"),
    ] {
        let asked = Command::new(&this)
            .args(["--exact", name])
            .env(URL, format!("http://{host}/mcp"))
            .env("TOKEN", site.token())
            .env("HTTP_PROXY", "http://127.0.0.1:9")
            .env("http_proxy", "http://127.0.0.1:9")
            .env("ALL_PROXY", "http://127.0.0.1:9")
            .env_remove("NO_PROXY")
            .env_remove("no_proxy")
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&asked.stdout);
        assert!(
            asked.status.success() && said.contains("1 passed"),
            "{said}"
        );
    }
}
