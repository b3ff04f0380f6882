//! `erase`: takes memories away for ever, and shows the proof.

use std::io::{BufRead as _, IsTerminal as _};

use anyhow::{Result, bail};
use contract::types::{EraseRequest, Erasure};
use memory::{Call, Memory, upkeep};
use serde_json::Value;

use super::{DONE, FAILED, memory_there, print, print_json};
use crate::cli::EraseArguments;
use crate::say;

/// Characters of a memory that are shown before it goes.
const SHOWN_CHARACTERS: usize = 70;

/// Runs the command.
pub fn run(arguments: EraseArguments) -> Result<u8> {
    let memory = memory_there(&arguments.place)?;
    let request = |dry_run| EraseRequest {
        memory_ids: arguments.ids.clone(),
        dry_run: Some(dry_run),
    };
    let call = Call::default();
    if arguments.dry_run || !arguments.yes {
        let preview = upkeep::erase(&memory, &request(true))?;
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
    let receipt = upkeep::erase(&memory, &request(false))?;
    if arguments.json {
        print_json(&receipt)?;
    } else {
        tell(&receipt)?;
    }
    if receipt.scrub != "done" {
        say(&why_pending(&memory));
    } else if receipt.scan.too_short > 0 {
        let n_short = receipt.scan.too_short;
        say(&format!(
            "warning: {n_short} of the erased texts are too short to be looked for, since they stand in other bytes as well: the files were rewritten without them, and no search proves it"
        ));
    }
    memory.close();
    let is_proven = receipt.scrub == "done" && receipt.scan.found == 0;
    Ok(if is_proven { DONE } else { FAILED })
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
    match upkeep::retry_erasures(memory) {
        Ok(true) => "the bytes are gone by now, and nobody looked for them: run zero-memory doctor".to_owned(),
        Ok(false) => "another program still looks at the past, so the bytes are not gone yet\nhint: end it, and run zero-memory doctor --repair".to_owned(),
        Err(failure) => format!(
            "the memories are erased, and their bytes are not gone yet: {failure}; a full disk needs room for a second copy of memory.db; then run zero-memory doctor --repair"
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
