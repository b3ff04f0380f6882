//! A data folder in which two people have stored something of each sort.

use std::collections::BTreeMap;
use std::fs;

use contract::ToolName::{
    Challenge, CloseLoop, Forget, MoveMemories, PromoteRule, Remember, Share,
};
use memory::Memory;
use serde_json::{Value, json};
use store::Role;

use crate::fixture::{World, call, id, run};

/// The folder, and values that lead somewhere in it, by the argument that
/// takes them.
pub struct Seed {
    world: World,
    pub values: BTreeMap<&'static str, Vec<Value>>,
}

impl Seed {
    pub fn new() -> Self {
        let world = World::new();
        let hint = "https://example.com/acme/heron.git";
        let path = world.shared_project("team", "bob", Role::Writer);
        let bob = world.person("bob");
        // An account can only be erased while others keep nothing in its scopes.
        let harbour = world.project_of("bob", "harbour", "me", Role::Writer);
        let of = |memory: &Memory, input: Value| run(memory, &call(), Remember, input).unwrap();
        let me = &world.memory;
        let first = of(
            me,
            json!({ "project_hint": hint, "entities": ["Heron", "Lake"], "content": "The heron fishes at the lake." }),
        );
        let (heron, entity) = (id(&first), first["anchors"][0]["id"].clone());
        let lake = first["anchors"][1]["id"].clone();
        let core = id(&of(
            me,
            json!({ "scope": "core", "entities": ["Lamp"], "content": "The lamp at the lake is green." }),
        ));
        let gone = id(&of(
            me,
            json!({ "scope": "core", "content": "The lamp at the lake is blue." }),
        ));
        world.ok(Forget, json!({ "memory_id": gone, "reason": "It broke." }));
        let old = id(&of(
            me,
            json!({ "scope": "core", "content": "The lake is deep." }),
        ));
        of(
            me,
            json!({ "scope": "core", "links": [{ "type": "supersedes", "target": old }], "content": "The lake is shallow." }),
        );
        let task = id(&of(
            me,
            json!({ "project_hint": hint, "kind": "task", "content": "Feed the heron." }),
        ));
        let closed = id(&of(
            me,
            json!({ "project_hint": hint, "kind": "open-question", "content": "Where is the lake?" }),
        ));
        world.ok(
            CloseLoop,
            json!({ "memory_id": closed, "resolution": "North." }),
        );
        let shared = id(&of(
            me,
            json!({ "scope": path, "content": "The team meets at the lake." }),
        ));
        let theirs = id(&of(
            &bob,
            json!({ "scope": harbour, "entities": ["Boat"], "content": "The boat lies at the lake." }),
        ));
        let secret = id(&of(
            &bob,
            json!({ "scope": "personal", "content": "Bob swims in the lake." }),
        ));
        let dispute = world.ok(
            Challenge,
            json!({ "memory_id": theirs, "reason": "It sank." }),
        )["dispute_id"]
            .clone();
        world.ok(
            PromoteRule,
            json!({ "memory_id": core, "rule_text": "Switch the lamp off." }),
        );
        let moved = id(&of(
            me,
            json!({ "scope": "core", "content": "The bench stands at the lake." }),
        ));
        world.ok(
            MoveMemories,
            json!({ "memory_ids": [moved], "project_hint": hint }),
        );
        world.ok(Share, json!({ "memory_id": moved, "scope": path }));
        world.ok(
            contract::ToolName::Link,
            json!({ "src": heron, "dst": core, "type": "relates_to" }),
        );
        world.ok(
            contract::ToolName::Link,
            json!({ "src": entity, "dst": lake, "type": "lives_at" }),
        );
        let erased = id(&of(
            me,
            json!({ "scope": "core", "content": "The lamp at the lake was red." }),
        ));
        let request = contract::types::EraseRequest {
            memory_ids: vec![erased],
            dry_run: None,
        };
        assert_eq!(me.erase(&call(), &request).unwrap().scan.found, 0);
        let brought = world.dir.path().join("brought.json");
        fs::write(&brought, r#"[{"id":"1","memory":"A crane rests."}]"#).unwrap();
        let options = memory::import::Options {
            into: Some(memory::import::Into::Core),
            write: true,
            ..memory::import::Options::default()
        };
        let report = world.memory.import(&brought, &options, &mut |_, _| {});
        assert_eq!(report.unwrap().imported, 1);
        world.memory.close();
        let memories = [heron, core, gone, old, task, closed, shared, theirs, secret];
        let ids: Vec<Value> = memories.iter().map(|id| json!(id)).collect();
        let values = BTreeMap::from([
            ("memory_id", ids.clone()),
            ("src", vec![ids[0].clone(), entity.clone()]),
            ("dst", vec![ids[1].clone(), entity]),
            (
                "memory_ids",
                vec![json!([ids[0], ids[1]]), json!([ids[6], ids[7], ids[8]])],
            ),
            ("dispute_id", vec![dispute]),
            (
                "scope",
                vec![
                    json!("personal"),
                    json!("core"),
                    json!(path),
                    json!("proj.me.fresh"),
                ],
            ),
            ("scopes", vec![json!(["*"]), json!(["core", path])]),
            (
                "project_hint",
                vec![
                    json!(hint),
                    json!("https://example.com/acme/fresh.git"),
                    json!("unheard of"),
                ],
            ),
            ("thread", vec![first["session"]["thread"].clone()]),
            ("conversation_id", vec![json!("a conversation")]),
            ("entities", vec![json!(["Lamp", "Heron"]), json!(["Fresh"])]),
            (
                "links",
                vec![
                    json!([{ "type": "supersedes", "target": ids[1] }]),
                    json!([{ "type": "relates_to", "target": ids[6] }]),
                ],
            ),
            ("query", vec![json!("lake"), json!("heron lamp")]),
            ("topic", vec![json!("lake")]),
            (
                "content",
                vec![
                    json!("The lamp at the lake is green."),
                    json!("The lake freezes."),
                ],
            ),
            (
                "kinds",
                vec![json!(["fact"]), json!(["task", "open-question"])],
            ),
        ]);
        Self { world, values }
    }

    /// The same folder, for one call.
    pub fn copy(&self) -> World {
        let world = World::new();
        let (from, to) = (
            self.world.dir.path().join("data"),
            world.dir.path().join("data"),
        );
        fs::create_dir(&to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
        world
    }
}
