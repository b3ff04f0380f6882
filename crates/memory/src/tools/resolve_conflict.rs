//! `resolve_conflict`: settles a dispute by an explicit decision.

use contract::types::{Decision, DisputeStatus, ResolveConflictInput, ResolveConflictOutput};
use store::{DisputeRow, MemoryRow, Metric, Write};

use crate::error::Error;
use crate::{Call, Keeper, disputes, ids, usage};

pub(crate) fn resolve_conflict(
    memory: &Keeper,
    _call: &Call,
    view: &mut Write<'_>,
    input: ResolveConflictInput,
) -> Result<ResolveConflictOutput, contract::Error> {
    Ok(settle(memory, view, &input)?)
}

fn settle(
    memory: &Keeper,
    view: &mut Write<'_>,
    input: &ResolveConflictInput,
) -> Result<ResolveConflictOutput, Error> {
    let id = ids::normalise(&input.dispute_id);
    let Some(row) = view.find_dispute(&id)? else {
        return Err(Error::Hidden { what: "dispute", id });
    };
    let fitting = disputes::decisions(&row);
    if !fitting.contains(&input.decision) {
        let fitting: Vec<String> = fitting.iter().map(Decision::to_string).collect();
        return Err(Error::Argument {
            pointer: "/decision".to_owned(),
            rule: "decision",
            message: format!("this dispute takes {}", fitting.join(", ")),
        });
    }
    let decision = input.decision.to_string();
    let retired = match &row.decision {
        None => decide(memory, view, &row, input.decision)?,
        Some(settled) if *settled == decision => {
            disputes::retired(&view.dispute_sides(&[row.key], 0)?)
        }
        Some(settled) => {
            return Err(Error::Settled { id, decision: settled.clone() });
        }
    };
    Ok(ResolveConflictOutput { dispute_id: id, status: DisputeStatus::Settled, retired })
}

/// Does what a decision says; returns the ids of what it retired.
fn decide(
    memory: &Keeper,
    view: &mut Write<'_>,
    row: &DisputeRow,
    decision: Decision,
) -> Result<Vec<String>, Error> {
    let now = memory.now();
    let mut sides: Vec<MemoryRow> = Vec::new();
    for side in view.dispute_sides(&[row.key], 0)? {
        sides.extend(view.find_memory(&side.id)?);
    }
    let keep = match decision {
        Decision::KeepA => sides.first().cloned(),
        Decision::KeepB => sides.get(1).cloned(),
        Decision::KeepBoth | Decision::Uphold | Decision::Retire => None,
    };
    let is_gone = |side: &MemoryRow| !side.is_live() || side.closed_at.is_some();
    if let Some(keep) = keep.as_ref().filter(|keep| is_gone(keep)) {
        return Err(Error::Retired(keep.id.clone()));
    }
    let goes: Vec<&MemoryRow> = match decision {
        Decision::KeepBoth | Decision::Uphold => {
            // Whoever doubted may take it back.
            if let Some(side) = sides.iter().find(|side| !side.may_retire() && !row.raised) {
                return Err(Error::NotYours(side.id.clone()));
            }
            Vec::new()
        }
        Decision::KeepA | Decision::KeepB | Decision::Retire => {
            let kept = |side: &MemoryRow| keep.as_ref().is_some_and(|keep| keep.seq == side.seq);
            sides.iter().filter(|side| side.is_live() && !kept(side)).collect()
        }
    };
    if let Some(side) = goes.iter().find(|side| !side.may_retire()) {
        return Err(Error::NotYours(side.id.clone()));
    }
    if let Some(keep) = &keep {
        for side in &goes {
            if view.is_hidden_from_readers_of(keep.seq, side.seq)? {
                let (keep, side) = (keep.id.clone(), side.id.clone());
                return Err(Error::KeepHidden { keep, side });
            }
        }
    }
    for side in &goes {
        match &keep {
            Some(keep) => view.supersede(side, keep.seq, now)?,
            None => view.retire(side, Some(&row.reason), now)?,
        };
    }
    if decision == Decision::Retire {
        let n_gone = i64::try_from(goes.len()).unwrap_or(i64::MAX);
        usage::count_write(memory, view, vec![(Metric::Forgotten, n_gone)])?;
    }
    let seqs: Vec<i64> = goes.iter().map(|side| side.seq).collect();
    view.settle(row.key, &decision.to_string(), &seqs, now)?;
    Ok(goes.iter().map(|side| side.id.clone()).collect())
}
