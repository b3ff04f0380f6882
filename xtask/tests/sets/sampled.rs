//! Verdicts on random schemas, held against instances.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use xtask::sets::{Answer, Document, Options, contained};

use super::random::Random;

fn stock(schema: &Value) -> Option<jsonschema::Validator> {
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .should_validate_formats(false)
        .build(schema)
        .ok()
}

fn number(variable: &str, usual: u64) -> u64 {
    let text = std::env::var(variable).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn no_verdict_on_random_schemas_is_contradicted_by_an_instance() {
    let mut random = Random::new(number("SETS_SEED", 1));
    let mut pool: Vec<Value> = (0..300).map(|_| random.value(3)).collect();
    let (mut n_proven, mut n_refuted) = (0, 0);
    let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..number("SETS_PAIRS", 1_500) {
        let a = random.schema(3);
        let b = match random.below(8) {
            0 => random.schema(3),
            1 => json!({ "$defs": a["$defs"], "anyOf": [a, random.schema(2)] }),
            2 => json!({ "$defs": a["$defs"], "oneOf": [a, random.schema(2)] }),
            3..6 => random.change(&a),
            _ => {
                let once = random.change(&a);
                random.change(&once)
            }
        };
        let (a, b) = if random.once_in(2) { (a, b) } else { (b, a) };
        let (Some(left), Some(right)) = (stock(&a), stock(&b)) else {
            continue;
        };
        let verdict = contained(&Document::new(&a), &Document::new(&b), &Options::default());
        match verdict.answer {
            Answer::Proven => {
                n_proven += 1;
                for value in &pool {
                    let kept = !left.is_valid(value) || right.is_valid(value);
                    assert!(kept, "{value} is in {a} and not in {b}");
                }
            }
            Answer::Refuted { counterexample } => {
                n_refuted += 1;
                let real = left.is_valid(&counterexample) && !right.is_valid(&counterexample);
                assert!(real, "{counterexample} does not tell {a} from {b}");
                if pool.len() < 2_000 {
                    pool.push(counterexample);
                }
            }
            Answer::Unknown { why } => *unknown.entry(why).or_default() += 1,
        }
    }
    // A reference to the schema itself means nothing, and is left open.
    unknown.retain(|why, _| why != "a reference leads back to itself");
    let n_unknown: usize = unknown.values().sum();
    assert!(n_unknown * 100 < n_proven + n_refuted, "{unknown:#?}");
    assert!(n_proven > 100 && n_refuted > 100, "{n_proven} {n_refuted}");
}
