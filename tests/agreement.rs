//! Stock validators and compilers judge what is generated: they are installed
//! from their registries with lock files.
//!
//! For every input, output and shape, instances are made whose verdict is
//! known, and everybody has to give that verdict: the door, two validators of
//! others, the Python models and the TypeScript compiler.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use jsonschema::{Draft, Keyword, ValidationError, Validator};
use serde_json::{Value, json};

use crate::harness::{Site, fresh, json_file, repository, target};
use crate::official_clients::assert_fetched;

pub mod sampler;

use sampler::{Sample, Sampler, Verdict};

/// The Python package of the contract.
const CONTRACT: &str = "zero_memory_client";

/// Rules of a violation that come from a schema; a handler has others.
const SCHEMA_RULES: [&str; 13] = [
    "type",
    "enum",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "x-max-bytes",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "required",
];

/// Returns the interpreter that has the stock validators.
pub fn python() -> Command {
    let name = "requirements-agreement";
    let program = if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    };
    let interpreter = std::env::var_os("ZERO_MEMORY_PYTHON_AGREEMENT").map_or_else(
        || target().join("python").join(name).join(program),
        PathBuf::from,
    );
    let environment = interpreter.ancestors().nth(2);
    assert_fetched(
        &folder().join(name).with_extension("txt"),
        environment.expect("it lies in an environment"),
    );
    let mut command = Command::new(&interpreter);
    // Nothing is left beside the scripts; a warning is an error.
    command.args(["-B", "-W", "error"]);
    command
}

fn node() -> Command {
    assert_fetched(
        &folder().join("package-lock.json"),
        &folder().join("node_modules"),
    );
    Command::new("node")
}

fn folder() -> PathBuf {
    repository().join("tests/agreement")
}

/// A schema with its instances.
struct Case {
    /// Where its type is generated: in the contract, or in a pinned form.
    module: String,
    /// Name of the generated type.
    name: String,
    /// The tool whose input it is.
    tool: Option<String>,
    schema: Value,
    samples: Vec<Sample>,
}

fn type_name(name: &str) -> String {
    name.split('_')
        .map(|word| word[..1].to_ascii_uppercase() + &word[1..])
        .collect()
}

fn sources(folder: &str) -> BTreeMap<String, Value> {
    let entries = std::fs::read_dir(repository().join("schema").join(folder));
    entries
        .expect("the schemas lie there")
        .map(|entry| entry.expect("it can be listed").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .map(|name| {
            (
                name.clone(),
                json_file(Path::new("schema").join(folder).join(&name)),
            )
        })
        .collect()
}

fn cases() -> Vec<Case> {
    let shapes = sources("shapes");
    let sampler = Sampler::new(shapes.clone());
    let case = |name: String, tool: Option<&str>, schema: &Value| Case {
        module: CONTRACT.to_owned(),
        name,
        tool: tool.map(str::to_owned),
        schema: sampler.inlined(schema),
        samples: sampler.samples(schema),
    };
    let mut cases = Vec::new();
    for (file, shape) in &shapes {
        cases.push(case(type_name(file.trim_end_matches(".json")), None, shape));
    }
    for tool in sources("tools").values() {
        let name = tool["name"].as_str().expect("a name");
        let stem = type_name(name);
        cases.push(case(
            format!("{stem}Input"),
            Some(name),
            &tool["inputSchema"],
        ));
        cases.push(case(format!("{stem}Output"), None, &tool["outputSchema"]));
    }
    cases.extend(forms());
    cases
}

/// Returns the folders that pin what each form of the dialect becomes.
fn pinned() -> Vec<(String, PathBuf)> {
    let root = repository().join("xtask/tests/emit");
    let entries = std::fs::read_dir(&root).expect("they lie there");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("it can be listed").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    let folder = |name: String| {
        let golden = root.join(&name).join("golden");
        // Python has modules of some of these names.
        (format!("pinned_{name}"), golden)
    };
    names.into_iter().map(folder).collect()
}

/// Returns every form of the dialect, also those that no tool uses.
fn forms() -> Vec<Case> {
    let sampler = Sampler::new(BTreeMap::new());
    let mut cases = Vec::new();
    for (module, golden) in pinned() {
        let tools = json_file(golden.join("tools_list.json"));
        for (part, suffix) in [("inputSchema", "Input"), ("outputSchema", "Output")] {
            let tool = &tools[0];
            let schema = &tool[part];
            let mut samples = sampler.samples(schema);
            // The served form says neither that an enum is open nor how many
            // bytes a text may have, which differ from letters beyond ASCII.
            samples.retain(|sample| {
                !sample.why.contains("no member of the enum")
                    && (!sample.why.contains(" times ") || sample.why.ends_with(" times a"))
            });
            cases.push(Case {
                module: module.clone(),
                name: type_name(tool["name"].as_str().expect("a name")) + suffix,
                tool: None,
                schema: schema.clone(),
                samples,
            });
        }
    }
    cases
}

fn expect(sample: &Sample) -> bool {
    sample.verdict == Verdict::Valid
}

fn assert_none(differences: Vec<String>, n_samples: usize) {
    assert!(n_samples > 1000, "only {n_samples} instances were judged");
    let shown = differences.iter().take(40).cloned().collect::<Vec<_>>();
    assert!(
        differences.is_empty(),
        "{} of {n_samples} differ\n{}",
        differences.len(),
        shown.join("\n")
    );
}

fn told(case: &Case, sample: &Sample, what: &str) -> String {
    format!(
        "{} {}: {} is {:?}, and {what}: {:.200}",
        case.module,
        case.name,
        sample.why,
        sample.verdict,
        sample.value.to_string()
    )
}

/// Counts bytes, which no keyword of JSON Schema does.
struct MaxBytes(u64);

impl<'i> Keyword<'i> for MaxBytes {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            return Ok(());
        }
        Err(ValidationError::custom("too many bytes"))
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        instance
            .as_str()
            .is_none_or(|text| text.len() as u64 <= self.0)
    }
}

fn stock(schema: &Value) -> Validator {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .with_keyword("x-max-bytes", |_, value, _| {
            Ok(Box::new(MaxBytes(value.as_u64().unwrap_or_default())))
        })
        .build(schema)
        .expect("the schema compiles")
}

#[test]
fn the_crate_that_validates_at_the_door_gives_every_verdict() {
    let (mut differences, mut n_samples) = (Vec::new(), 0);
    for case in cases() {
        let validator = stock(&case.schema);
        for sample in &case.samples {
            n_samples += 1;
            if validator.is_valid(&sample.value) != expect(sample) {
                differences.push(told(&case, sample, "the crate says otherwise"));
            }
        }
    }
    assert_none(differences, n_samples);
}

/// Whether the door would mend something before it validates.
fn is_mended(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => {
            let space = |letter: char| letter.is_whitespace() || letter == '\u{feff}';
            text.trim_matches(space) != text
                || text.starts_with('[')
                || text
                    .chars()
                    .all(|letter| !letter.is_alphanumeric() && !letter.is_ascii_graphic())
        }
        Value::Array(items) => items.iter().any(is_mended),
        Value::Object(fields) => fields.values().any(is_mended),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

#[test]
fn the_door_gives_every_verdict() {
    let data = fresh();
    let site = Site::start(data.path());
    let (mut differences, mut n_samples) = (Vec::new(), 0);
    for case in cases() {
        let Some(tool) = &case.tool else { continue };
        for sample in &case.samples {
            let forgiven = sample.why.starts_with("null for ");
            if is_mended(&sample.value) && !forgiven {
                continue;
            }
            n_samples += 1;
            let path = format!("/api/tools/{tool}");
            let response = site.owner("POST", &path, &[], sample.value.to_string().as_bytes());
            let answer = response.json();
            let violations = answer["error"]["details"]["violations"].as_array();
            let refused = violations.into_iter().flatten().any(|violation| {
                let rule = violation["rule"].as_str().unwrap_or_default();
                SCHEMA_RULES.contains(&rule) || rule == "additionalProperties"
            });
            if refused == (expect(sample) || forgiven) {
                differences.push(told(
                    &case,
                    sample,
                    &format!("the door answers {answer:.200}"),
                ));
            }
        }
    }
    assert!(n_samples > 300, "only {n_samples} calls");
    assert!(
        differences.is_empty(),
        "{} of {n_samples} differ\n{}",
        differences.len(),
        differences.join("\n")
    );
}

/// Hands every case to a script; returns what it says of each sample.
fn ask(mut command: Command, cases: &[Case]) -> Vec<Vec<Value>> {
    let given: Vec<Value> = cases
        .iter()
        .map(|case| {
            let samples = case.samples.iter();
            // As text: a script must not see what a parser of ours made of it.
            let texts: Vec<String> = samples.map(|sample| sample.value.to_string()).collect();
            json!({ "module": case.module, "name": case.name, "schema": case.schema, "samples": texts })
        })
        .collect();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the judge starts");
    let mut input = child.stdin.take().expect("stdin is a pipe");
    let writer = std::thread::spawn(move || input.write_all(json!(given).to_string().as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    writer.join().expect("it writes").expect("it is read");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

#[test]
fn ajv_gives_every_verdict() {
    let cases = cases();
    let mut command = node();
    command.arg(folder().join("judge.mjs"));
    let (mut differences, mut n_samples) = (Vec::new(), 0);
    for (case, verdicts) in cases.iter().zip(ask(command, &cases)) {
        assert_eq!(case.samples.len(), verdicts.len(), "{}", case.name);
        for (sample, verdict) in case.samples.iter().zip(verdicts) {
            n_samples += 1;
            if verdict != json!(expect(sample)) {
                differences.push(told(case, sample, "ajv says otherwise"));
            }
        }
    }
    assert_none(differences, n_samples);
}

#[test]
fn jsonschema_and_the_python_models_give_every_verdict_and_lose_nothing() {
    let cases = cases();
    let mut command = python();
    let packages = repository().join("generated/python");
    let work = fresh();
    for (module, golden) in pinned() {
        let package = work.path().join(module);
        std::fs::create_dir(&package).expect("a new folder");
        let wire = packages.join(CONTRACT).join("wire.py");
        std::fs::copy(wire, package.join("wire.py")).expect("it can be copied");
        std::fs::copy(golden.join("types.py"), package.join("types.py")).expect("it can be copied");
        std::fs::write(package.join("__init__.py"), "from .types import *\n").expect("a new file");
    }
    let paths = std::env::join_paths([packages.as_path(), work.path()]).expect("plain paths");
    command
        .arg(folder().join("judge.py"))
        .env("PYTHONPATH", paths);
    let (mut differences, mut n_samples) = (Vec::new(), 0);
    for (case, verdicts) in cases.iter().zip(ask(command, &cases)) {
        assert_eq!(case.samples.len(), verdicts.len(), "{}", case.name);
        for (sample, verdict) in case.samples.iter().zip(verdicts) {
            n_samples += 1;
            if verdict["stock"] != json!(expect(sample)) {
                differences.push(told(case, sample, "jsonschema says otherwise"));
            }
            // What a later version may send is read today.
            let reads = sample.verdict != Verdict::Invalid;
            if verdict["model"] != json!(reads) {
                differences.push(told(case, sample, "the model says otherwise"));
            }
            if verdict["kept"] != json!(reads) {
                differences.push(told(case, sample, "the model changes it"));
            }
        }
    }
    assert_none(differences, n_samples);
}

/// Whether TypeScript can tell: a literal may name no field that its interface
/// does not, however open that is.
fn is_for_typescript(sample: &Sample) -> bool {
    let readable = sample.verdict != Verdict::Invalid;
    if readable {
        !sample.why.contains("a field of a later version")
    } else {
        sample.by_type
    }
}

#[test]
fn typescript_compiles_what_is_valid_and_nothing_else() {
    let cases = cases();
    let work = fresh();
    let mut text = String::new();
    let contract = repository().join("generated/typescript");
    for (module, folder) in pinned()
        .into_iter()
        .chain([(CONTRACT.to_owned(), contract)])
    {
        let copy = work.path().join(&module).with_extension("ts");
        std::fs::copy(folder.join("contract.ts"), copy).expect("it can be copied");
        text.push_str(&format!(
            "import type * as {module} from \"./{module}.js\";\n"
        ));
    }
    let (mut names, mut expected) = (Vec::new(), Vec::new());
    for case in &cases {
        for sample in case
            .samples
            .iter()
            .filter(|sample| is_for_typescript(sample))
        {
            let name = format!("s{}_{}", names.len(), expected.len());
            if sample.verdict == Verdict::Invalid {
                text.push_str("// @ts-expect-error\n");
            } else {
                expected.push(&sample.value);
            }
            text.push_str(&format!(
                "const {name}: {}.{} = {};\n",
                case.module, case.name, sample.value
            ));
            names.push((name, sample.verdict != Verdict::Invalid));
        }
    }
    let kept: Vec<&str> = names
        .iter()
        .filter(|(_, kept)| *kept)
        .map(|(name, _)| name.as_str())
        .collect();
    text.push_str(&format!("export const kept = [{}];\n", kept.join(", ")));
    std::fs::write(work.path().join("samples.ts"), text).expect("it can be written");
    std::fs::write(work.path().join("package.json"), r#"{ "type": "module" }"#)
        .expect("it can be written");
    let settings = json!({
        "compilerOptions": {
            "strict": true,
            "exactOptionalPropertyTypes": true,
            "noUncheckedIndexedAccess": true,
            "target": "es2022",
            "module": "nodenext",
            "types": [],
            "outDir": "out",
        },
        "files": ["samples.ts"],
    });
    std::fs::write(work.path().join("tsconfig.json"), settings.to_string())
        .expect("it can be written");
    let output = node()
        .arg(folder().join("node_modules/typescript/bin/tsc"))
        .args(["--project", "tsconfig.json", "--pretty", "false"])
        .current_dir(work.path())
        .output()
        .expect("the compiler starts");
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:.6000}", said);
    let printed = node()
        .args(["--input-type=module", "--eval"])
        .arg("import { kept } from './out/samples.js'; process.stdout.write(JSON.stringify(kept));")
        .current_dir(work.path())
        .output()
        .expect("node starts");
    let kept: Vec<Value> = serde_json::from_slice(&printed.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&printed.stderr)));
    assert_eq!(kept.len(), expected.len());
    for (kept, expected) in kept.iter().zip(expected) {
        assert!(same(kept, expected), "{kept} in place of {expected}");
    }
}

/// Compares as JSON Schema does: 1 and 1.0 are one number.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, left)| right.get(key).is_some_and(|right| same(left, right)))
        }
        _ => left == right,
    }
}
