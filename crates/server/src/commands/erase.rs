//! `erase`: takes memories away for ever, and shows the proof.

use std::io::{BufRead as _, IsTerminal as _};

use anyhow::{Result, bail};
use contract::types::{EraseRequest, Erasure};
use memory::{Call, Memory, MemoryOptions};
use serde_json::Value;

use super::{DONE, FAILED, print, print_json};
use crate::cli::EraseArguments;
use crate::{local, say};

/// Characters of a memory that are shown before it goes.
const SHOWN_CHARACTERS: usize = 70;

/// Bytes of the shortest text that is looked for in the files: a shorter one
/// stands in anything.
const SHORTEST_BYTES: usize = 8;

/// Runs the command.
pub fn run(arguments: EraseArguments) -> Result<u8> {
    let dir = local::data_folder(arguments.place.data)?;
    if !dir.join("memory.db").exists() {
        bail!(
            "{} holds no memory\nhint: name the data folder with --data",
            dir.display()
        );
    }
    let options = MemoryOptions {
        handle: arguments.place.handle,
    };
    let memory = Memory::new(dir, options);
    let request = |dry_run| EraseRequest {
        memory_ids: arguments.ids.clone(),
        dry_run: Some(dry_run),
    };
    let call = Call::default();
    if arguments.dry_run || !arguments.yes {
        let preview = erased(&memory, &call, &request(true))?;
        if arguments.dry_run {
            if arguments.json {
                print_json(&preview)?;
            } else {
                show(&memory, &call, &preview)?;
            }
            return Ok(DONE);
        }
        if !std::io::stdin().is_terminal() {
            bail!(
                "nothing was erased: nobody is at the terminal to agree\nhint: look at --dry-run, then pass --yes"
            );
        }
        show(&memory, &call, &preview)?;
        say("this cannot be undone. Type yes to erase:");
        let mut answer = String::new();
        std::io::stdin().lock().read_line(&mut answer)?;
        if answer.trim() != "yes" {
            say("nothing was erased");
            return Ok(FAILED);
        }
    }
    let n_short = n_too_short(&memory, &call, &arguments.ids);
    let receipt = erased(&memory, &call, &request(false))?;
    if arguments.json {
        print_json(&receipt)?;
    } else {
        tell(&receipt)?;
    }
    if receipt.scrub != "done" {
        say(&why_pending(&memory));
    } else if n_short > 0 {
        say(&format!(
            "warning: the text of {n_short} of them is too short to be looked for, since it stands in other bytes as well: the files were rewritten without it, and no search proves it"
        ));
    }
    memory.close();
    let is_proven = receipt.scrub == "done" && receipt.scan.found == 0;
    Ok(if is_proven { DONE } else { FAILED })
}

fn erased(memory: &Memory, call: &Call, request: &EraseRequest) -> Result<Erasure> {
    memory.erase(call, request).map_err(|error| {
        let cause = error.cause().map(|cause| format!(" ({cause})"));
        anyhow::anyhow!("{}{}", error.message, cause.unwrap_or_default())
    })
}

/// Returns how many memories have a text that is too short to be looked for.
fn n_too_short(memory: &Memory, call: &Call, ids: &[String]) -> usize {
    let mut ids: Vec<String> = ids.iter().map(|id| id.to_lowercase()).collect();
    ids.sort();
    ids.dedup();
    let is_short = |id: &&String| {
        let row = memory.read_resource(call, &format!("zm://memory/{id}"));
        let content = row.ok().and_then(|row| row.get("content").cloned());
        content
            .as_ref()
            .and_then(Value::as_str)
            .is_some_and(|text| text.len() < SHORTEST_BYTES)
    };
    ids.iter().filter(is_short).count()
}

/// Shows what would go.
fn show(memory: &Memory, call: &Call, preview: &Erasure) -> Result<()> {
    for id in &preview.memory_ids {
        let row = memory.read_resource(call, &format!("zm://memory/{id}"));
        let row = row.unwrap_or(Value::Null);
        let field = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
        let mut text: String = field("content")
            .chars()
            .map(|letter| if letter.is_control() { ' ' } else { letter })
            .take(SHOWN_CHARACTERS + 1)
            .collect();
        if text.chars().count() > SHOWN_CHARACTERS {
            text = text.chars().take(SHOWN_CHARACTERS).collect::<String>() + "…";
        }
        print(&format!("{id} {} {} {text}", field("kind"), field("scope")))?;
    }
    for id in &preview.erased_before {
        print(&format!("{id} was erased before"))?;
    }
    print(&format!(
        "would go with them: {} steps of history, {} links, {} entities, {} rules, {} disputes",
        preview.history, preview.links, preview.entities, preview.rules, preview.disputes
    ))
}

/// Returns why the bytes of what was erased are still there, and what to do.
fn why_pending(memory: &Memory) -> String {
    match memory.retry_erasures() {
        Ok(true) => "the bytes are gone by now, and nobody looked for them: run zero-memory doctor".to_owned(),
        Ok(false) => "another program still looks at the past, so the bytes are not gone yet\nhint: end it, and run zero-memory doctor --repair".to_owned(),
        Err(error) => format!(
            "the memories are erased, and their bytes are not gone yet: {}\nhint: a full disk needs room for a second copy of memory.db; make it, and run zero-memory doctor --repair",
            error.cause().unwrap_or(&error.message)
        ),
    }
}

fn tell(receipt: &Erasure) -> Result<()> {
    print(&format!(
        "erased {} memories, with {} steps of history, {} links, {} entities, {} rules, {} disputes",
        receipt.memory_ids.len(),
        receipt.history,
        receipt.links,
        receipt.entities,
        receipt.rules,
        receipt.disputes
    ))?;
    if receipt.scrub == "done" {
        print(&format!(
            "{} bytes in {} files read, {} pieces looked for, {} found",
            receipt.scan.bytes, receipt.scan.files, receipt.scan.needles, receipt.scan.found
        ))?;
    }
    if receipt.older_backups > 0 {
        print(&format!(
            "{} backups made before still hold them; restoring one erases them again",
            receipt.older_backups
        ))?;
    }
    Ok(())
}
