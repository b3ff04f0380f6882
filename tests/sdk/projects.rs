//! The packages in projects elsewhere: what the strictest compilers say of
//! programs that use them, and the examples as a stranger runs them.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use super::{npm, wheel};
use crate::harness::{Site, binary, fresh, repository, target};

/// Lays these files of the repository into a folder.
fn lay(folder: &Path, files: &[&str]) {
    for file in files {
        let from = repository().join(file);
        let name = from.file_name().expect("a name");
        std::fs::copy(&from, folder.join(name)).expect("it can be copied");
    }
}

fn tsc(folder: &Path) -> Command {
    let mut command = Command::new("node");
    command
        .arg(npm::fetched().join("typescript/bin/tsc"))
        .current_dir(folder);
    command
}

/// Returns what an example prints, with a server over HTTP of its own.
fn printed(mut example: Command) -> Vec<String> {
    let data = fresh();
    let site = Site::start(data.path());
    let url = format!("http://{}/mcp", site.address());
    example
        .env("ZERO_MEMORY_URL", url)
        .env("ZERO_MEMORY_TOKEN", site.token());
    npm::run(&mut example).lines().map(str::to_owned).collect()
}

fn assert_example(lines: &[String]) {
    let [one, two, last] = lines else {
        panic!("{lines:?}");
    };
    let mut kinds = [one, two].map(|line| line.split(':').next().unwrap_or_default());
    kinds.sort_unstable();
    assert_eq!(kinds, ["decision", "task"]);
    assert!(last.starts_with("as expected: "), "{last}");
}

#[test]
fn programs_in_typescript_compile_strictly_beside_either_official_client() {
    for (series, own) in [("1.x", "consumer_of_1.ts"), ("2.x", "consumer_of_2.ts")] {
        let folder = npm::empty(&target().join(format!("tmp/sdk-consumer-{series}")));
        npm::project(&folder, &[series]);
        let own = format!("tests/sdk/typescript/{own}");
        lay(
            &folder,
            &[
                "tests/sdk/typescript/consumer.ts",
                &own,
                "tests/examples/typescript/main.ts",
                "tests/examples/typescript/tsconfig.json",
            ],
        );
        npm::run(tsc(&folder).args(["-p", ".", "--noEmit"]));
    }
}

/// Bundles `main.js` by this module into this file.
const BUNDLER: &str = "const [module, outfile] = process.argv.slice(1);
require(module).buildSync({ entryPoints: ['main.js'], bundle: true, platform: 'node', outfile });";

/// A program and all that it needs in one file, as extensions of editors are
/// delivered; only one official client is there to be put in.
#[test]
fn a_bundle_beside_either_official_client_runs_where_nothing_is_installed() {
    let data = fresh();
    let site = Site::start(data.path());
    let program = "import { ZeroMemory } from 'zero-memory-client';
async function main() {
  const [url, token, command, data] = process.argv.slice(2);
  const http = await ZeroMemory.http(url, { token });
  const stdio = await ZeroMemory.stdio({ command, args: ['stdio', '--data', data], stderr: 'ignore' });
  await http.remember({ scope: 'core', content: 'A heron stands.' });
  const found = await stdio.recall({ query: 'heron' });
  console.log(found.memories[0].content);
  await Promise.all([http.close(), stdio.close()]);
}
main();";
    for series in ["1.x", "2.x"] {
        let folder = npm::empty(&target().join(format!("tmp/sdk-bundle-{series}")));
        npm::project(&folder, &[series]);
        std::fs::write(folder.join("main.js"), program).expect("a file");
        let elsewhere = fresh();
        let bundle = elsewhere.path().join("main.cjs");
        let mut bundler = Command::new("node");
        bundler.args(["-e", BUNDLER]);
        bundler.args([npm::fetched().join("esbuild"), bundle.clone()]);
        npm::run(bundler.current_dir(&folder));
        let mut run = Command::new("node");
        run.arg(&bundle)
            .arg(format!("http://{}/mcp", site.address()))
            .arg(site.token())
            .args([binary(), data.path()]);
        let said = npm::run(run.current_dir(elsewhere.path()));
        assert_eq!(said.trim(), "A heron stands.", "{series}");
    }
}

#[test]
fn without_an_official_client_the_package_says_what_to_install() {
    let folder = npm::empty(&target().join("tmp/sdk-alone"));
    npm::project(&folder, &[]);
    let program = "import { ZeroMemory } from 'zero-memory-client';
await ZeroMemory.http('http://127.0.0.1:9/mcp').catch((error) => console.log(error.message));";
    std::fs::write(folder.join("alone.mjs"), program).expect("a file");
    let said = npm::run(Command::new("node").arg("alone.mjs").current_dir(&folder));
    assert!(
        said.contains("npm install @modelcontextprotocol/client"),
        "{said}"
    );
}

#[test]
fn the_example_in_typescript_does_what_it_says() {
    let folder = npm::empty(&target().join("tmp/sdk-example-typescript"));
    npm::project(&folder, &["2.x"]);
    let files = [
        "tests/examples/typescript/main.ts",
        "tests/examples/typescript/tsconfig.json",
    ];
    lay(&folder, &files);
    npm::run(tsc(&folder).args(["-p", "."]));
    let mut example = Command::new("node");
    example.arg(folder.join("dist/main.js"));
    assert_example(&printed(example));
}

#[test]
fn the_example_in_python_does_what_it_says() {
    for series in ["1", "2"] {
        let mut example = Command::new(wheel::project(series));
        example
            .arg("-B")
            .arg(repository().join("tests/examples/python/main.py"));
        assert_example(&printed(example));
    }
}

#[test]
fn an_example_starts_a_server_of_its_own_when_none_is_named() {
    // Its home is a fresh folder, so that no memory of a person is touched.
    let home = fresh();
    let mut example = Command::new(wheel::project("2"));
    example
        .arg("-B")
        .arg(repository().join("tests/examples/python/main.py"))
        .current_dir(home.path())
        .env_remove("ZERO_MEMORY_URL")
        .env("ZERO_MEMORY_BIN", binary());
    for folder in [
        "HOME",
        "XDG_DATA_HOME",
        "USERPROFILE",
        "LOCALAPPDATA",
        "APPDATA",
    ] {
        example.env(folder, home.path());
    }
    let said = npm::run(&mut example);
    let lines: Vec<String> = said.lines().map(str::to_owned).collect();
    assert_example(&lines);
}

#[test]
fn programs_in_python_pass_mypy_and_pyright_beside_either_official_client() {
    let files = [
        "tests/sdk/python/consumer.py",
        "tests/examples/python/main.py",
    ];
    for series in ["1", "2"] {
        let folder = npm::empty(&target().join(format!("tmp/sdk-checked-{series}")));
        lay(&folder, &files);
        let interpreter = wheel::project(series);
        let names = ["consumer.py", "main.py"];
        npm::run(
            Command::new(wheel::tools())
                .args([
                    "-m",
                    "mypy",
                    "--strict",
                    "--warn-unused-ignores",
                    "--python-executable",
                ])
                .arg(&interpreter)
                .args(names)
                .current_dir(&folder),
        );
        let settings = json!({
            "include": names,
            "typeCheckingMode": "strict",
            "enableTypeIgnoreComments": false,
            "reportUnnecessaryTypeIgnoreComment": "error",
            "pythonVersion": "3.11",
        });
        let path: PathBuf = folder.join("pyrightconfig.json");
        std::fs::write(path, settings.to_string()).expect("a file");
        npm::run(
            Command::new("node")
                .arg(npm::fetched().join("pyright/index.js"))
                .arg("--pythonpath")
                .arg(&interpreter)
                .current_dir(&folder),
        );
    }
}

#[test]
fn the_package_itself_passes_the_strictest_checks() {
    let folder = npm::empty(&target().join("tmp/sdk-sources"));
    npm::copy(&repository().join("generated/python"), &folder);
    for series in ["1", "2"] {
        npm::run(
            Command::new(wheel::tools())
                .args(["-m", "mypy", "--strict", "--python-executable"])
                .arg(wheel::project(series))
                .args(["-p", "zero_memory_client"])
                .current_dir(&folder),
        );
    }
}
