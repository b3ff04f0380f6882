//! What is said about memories, of a dump: history, links, entities, rules and
//! doubts.

use rusqlite::named_params;

use super::stop::{Outcome, Stop, demand, missing};
use super::{Load, Loader, Refusal, added};
use crate::dump::{
    AnchorRecord, DisputeRecord, EdgeRecord, EntityRecord, HistoryRecord, LinkRecord, RuleRecord,
};

impl Loader<'_> {
    pub(super) fn entity(&mut self, record: &EntityRecord) -> Outcome {
        let place = self.scope_named(&record.scope)?;
        demand(place.writable, Refusal::SomebodyElses)?;
        let created_by = self.own(&record.created_by)?;
        let whose = "SELECT scope FROM entity WHERE id = :id";
        if self.is_there(whose, &record.id, place.key)? {
            return Ok(Load::Present);
        }
        let named: Option<String> = self.view().find(
            "SELECT id FROM entity WHERE scope = :scope AND name_key = :name_key",
            named_params! {":scope": place.key, ":name_key": record.name_key},
            |row| row.get(0),
        )?;
        if let Some(id) = named {
            demand(self.only.is_some(), Refusal::Taken("name"))?;
            self.same.insert(record.id.clone(), id);
            return Ok(Load::Present);
        }
        self.view().run(
            "INSERT INTO entity (id, scope, name_key, name, created_at, created_by) \
             VALUES (:id, :scope, :name_key, :name, :created_at, :created_by)",
            named_params! {
                ":id": record.id, ":scope": place.key, ":name_key": record.name_key,
                ":name": record.name, ":created_at": record.created_at, ":created_by": created_by,
            },
        )?;
        Ok(Load::Added)
    }

    /// Returns the key of an entity in a scope that may be written to.
    fn entity_key(&self, id: &str) -> Result<i64, Stop> {
        let id = self.same.get(id).map_or(id, String::as_str);
        let found: Option<(i64, String)> = self.view().find(
            "SELECT e.key, s.path FROM entity e JOIN scope s ON s.key = e.scope WHERE e.id = :id",
            named_params! {":id": id},
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let (key, path) = missing(found, "entity")?;
        demand(self.scope_named(&path)?.writable, Refusal::SomebodyElses)?;
        Ok(key)
    }

    pub(super) fn history(&mut self, record: &HistoryRecord) -> Outcome {
        let memory = self.own_memory(&record.memory)?;
        let by = self.own(&record.by)?;
        let other = match &record.other {
            None => None,
            Some(other) => Some(self.memory_seq(other)?),
        };
        let mut ends = [None, None];
        for (end, path) in ends.iter_mut().zip([&record.source, &record.target]) {
            if let Some(path) = path {
                *end = Some(self.scope_named(path)?.key);
            }
        }
        let [source, target] = ends;
        if self.only.is_some() {
            let there = self.view().find(
                "SELECT 1 FROM history WHERE memory = :memory AND event = :event AND at = :at AND by = :by \
                 AND other IS :other",
                named_params! {
                    ":memory": memory, ":event": record.event, ":at": record.at, ":by": by,
                    ":other": other,
                },
                |_| Ok(()),
            )?;
            if there.is_some() {
                return Ok(Load::Present);
            }
        }
        self.view().run(
            "INSERT INTO history (memory, event, at, by, other, source, target, reason) \
             VALUES (:memory, :event, :at, :by, :other, :source, :target, :reason)",
            named_params! {
                ":memory": memory, ":event": record.event, ":at": record.at, ":by": by,
                ":other": other, ":source": source, ":target": target, ":reason": record.reason,
            },
        )?;
        Ok(Load::Added)
    }

    pub(super) fn link(&mut self, record: &LinkRecord) -> Outcome {
        let created_by = self.own(&record.created_by)?;
        let (src, dst) = (self.memory_seq(&record.src)?, self.memory_seq(&record.dst)?);
        demand(
            src != dst,
            Refusal::Inconsistent("a memory is linked to itself"),
        )?;
        let n_changed = self.view().run(
            "INSERT INTO memory_link (src, dst, type, created_at, created_by) \
             VALUES (:src, :dst, :type, :created_at, :created_by) ON CONFLICT (src, dst, type) DO NOTHING",
            named_params! {
                ":src": src, ":dst": dst, ":type": record.link, ":created_at": record.created_at,
                ":created_by": created_by,
            },
        )?;
        Ok(added(n_changed))
    }

    pub(super) fn anchor(&mut self, record: &AnchorRecord) -> Outcome {
        let created_by = self.own(&record.created_by)?;
        let memory = self.memory_seq(&record.memory)?;
        let entity = self.entity_key(&record.entity)?;
        let n_changed = self.view().run(
            "INSERT INTO anchor (memory, entity, created_at, created_by) \
             VALUES (:memory, :entity, :created_at, :created_by) ON CONFLICT (memory, entity) DO NOTHING",
            named_params! {
                ":memory": memory, ":entity": entity, ":created_at": record.created_at,
                ":created_by": created_by,
            },
        )?;
        Ok(added(n_changed))
    }

    pub(super) fn edge(&mut self, record: &EdgeRecord) -> Outcome {
        let created_by = self.own(&record.created_by)?;
        let (src, dst) = (self.entity_key(&record.src)?, self.entity_key(&record.dst)?);
        let n_changed = self.view().run(
            "INSERT INTO edge (id, src, dst, type, created_at, created_by) \
             VALUES (:id, :src, :dst, :type, :created_at, :created_by) ON CONFLICT DO NOTHING",
            named_params! {
                ":id": record.id, ":src": src, ":dst": dst, ":type": record.relation,
                ":created_at": record.created_at, ":created_by": created_by,
            },
        )?;
        Ok(added(n_changed))
    }

    pub(super) fn rule(&mut self, record: &RuleRecord) -> Outcome {
        let owner = self.own(&record.owner)?;
        let whose = "SELECT owner FROM rule WHERE id = :id";
        if self.is_there(whose, &record.id, owner)? {
            return Ok(Load::Present);
        }
        let place = self.scope_named(&record.scope)?;
        demand(place.writable, Refusal::SomebodyElses)?;
        let layer = match place.kind.as_str() {
            "personal" | "core" => "personal",
            _ => "project",
        };
        demand(
            record.layer == layer,
            Refusal::Inconsistent("the layer of a rule is not that of its scope"),
        )?;
        demand(
            record.visibility != "shared" || layer == "project",
            Refusal::Inconsistent("a rule is shared where nobody else can be"),
        )?;
        demand(
            record.replaced.is_none() || record.retired_at.is_some(),
            Refusal::Inconsistent("a rule was replaced and never ended"),
        )?;
        let memory = match &record.memory {
            None => None,
            Some(memory) => Some(self.own_memory(memory)?),
        };
        self.view().run(
            "INSERT INTO rule (id, owner, scope, visibility, layer, pinned, memory, created_at, retired_at, text) \
             VALUES (:id, :owner, :scope, :visibility, :layer, :pinned, :memory, :created_at, :retired_at, :text)",
            named_params! {
                ":id": record.id, ":owner": owner, ":scope": place.key,
                ":visibility": record.visibility, ":layer": record.layer, ":pinned": record.pinned,
                ":memory": memory, ":created_at": record.created_at,
                ":retired_at": record.retired_at, ":text": record.text,
            },
        )?;
        Ok(Load::Added)
    }

    pub(super) fn dispute(&mut self, record: &DisputeRecord) -> Outcome {
        let created_by = self.own(&record.created_by)?;
        let whose = "SELECT created_by FROM dispute WHERE id = :id";
        if self.is_there(whose, &record.id, created_by)? {
            return Ok(Load::Present);
        }
        let mut sides = Vec::new();
        for side in &record.sides {
            sides.push((self.memory_seq(&side.memory)?, side.retired));
        }
        let memory = match &record.memory {
            None => None,
            Some(memory) => Some(self.memory_seq(memory)?),
        };
        let fits = match memory {
            Some(memory) => matches!(sides.as_slice(), [(side, _)] if *side == memory),
            None => sides.len() >= 2,
        };
        demand(
            fits,
            Refusal::Inconsistent("a doubt is about other memories than it says"),
        )?;
        self.view().run(
            "INSERT INTO dispute (id, cause, memory, status, created_at, created_by, settled_at, settled_by, \
             decision, reason, evidence) VALUES (:id, :cause, :memory, :status, :created_at, :created_by, \
             :settled_at, :settled_by, :decision, :reason, :evidence)",
            named_params! {
                ":id": record.id, ":cause": record.cause, ":memory": memory,
                ":status": record.status, ":created_at": record.created_at,
                ":created_by": created_by, ":settled_at": record.settled_at,
                ":settled_by": self.known_if_any(record.settled_by.as_deref())?,
                ":decision": record.decision, ":reason": record.reason,
                ":evidence": record.evidence,
            },
        )?;
        let dispute = self.conn.last_insert_rowid();
        for (place, (memory, retired)) in (0_i64..).zip(sides) {
            self.view().run(
                "INSERT INTO dispute_side (dispute, place, memory, retired) \
                 VALUES (:dispute, :place, :memory, :retired)",
                named_params! {
                    ":dispute": dispute, ":place": place, ":memory": memory, ":retired": retired,
                },
            )?;
        }
        Ok(Load::Added)
    }
}
