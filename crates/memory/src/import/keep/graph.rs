//! Keeps what is said about the memories that were brought: what they are
//! about, relations between things, links from one to another.

use store::{Append, ScopeRow};

use super::{Keeping, Link};
use crate::error::Error;
use crate::import::item::{Item, Relation};
use crate::import::{Into, Report};
use crate::write_path::{self, name_key};
use crate::{secrets, text};

/// Bytes of a name.
const NAME_BYTES: usize = 256;
/// Things that one memory is anchored to.
const N_ABOUT: usize = 16;

impl Keeping<'_> {
    pub(super) fn anchor(
        &self,
        view: &mut Append<'_>,
        seq: i64,
        scope: &ScopeRow,
        item: &Item,
    ) -> Result<(), Error> {
        let mut is_named = false;
        for name in item.about.iter().take(N_ABOUT) {
            if let Some(key) = self.entity(view, scope, name)? {
                view.add_anchor(seq, key, self.now)?;
                is_named = true;
            }
        }
        if is_named {
            return Ok(());
        }
        write_path::anchor_to_known(view, seq, scope, &item.content, self.now)
    }

    /// Returns the key of the thing with a name; none for what is no name.
    pub(super) fn entity(
        &self,
        view: &mut Append<'_>,
        scope: &ScopeRow,
        name: &str,
    ) -> Result<Option<i64>, Error> {
        let name = &text::one_line(name);
        let fits = name.len() <= NAME_BYTES && text::has_visible(name) && !name.contains('\0');
        if !fits || secrets::find(name).is_some() {
            return Ok(None);
        }
        let entity = view.get_or_add_entity(scope.key, name, &name_key(name), self.now)?;
        Ok(Some(entity.key))
    }

    /// Returns where things go that no memory says: to the one place of the
    /// map, if nothing else is said.
    fn place_of_things(&self, view: &mut Append<'_>) -> Result<Option<ScopeRow>, Error> {
        let targets = self.targets(view)?;
        match self.options.into {
            Some(Into::Core) => return Ok(Some(targets.core)),
            Some(Into::Personal) => return Ok(Some(targets.personal)),
            Some(Into::Project) => return Ok(targets.project),
            None if targets.project.is_some() => return Ok(targets.project),
            None => {}
        }
        let mut places: Vec<&str> = (self.options.map.values())
            .map(String::as_str)
            .filter(|place| *place != "skip")
            .collect();
        places.sort_unstable();
        places.dedup();
        match places.as_slice() {
            ["project"] | [] => Ok(None),
            [place] => self.mapped(view, &targets, place),
            _ => Ok(None),
        }
    }

    pub(super) fn things(
        &mut self,
        view: &mut Append<'_>,
        batch: &[String],
        report: &mut Report,
    ) -> Result<(), Error> {
        let Some(scope) = self.place_of_things(view)? else {
            batch
                .iter()
                .for_each(|_| report.skip("a name that nothing says the place of"));
            return Ok(());
        };
        for name in batch {
            let key = (scope.key, name_key(&text::one_line(name)));
            let is_there = self.named.contains(&key) || view.has_entity(scope.key, &key.1)?;
            match self.entity(view, &scope, name)? {
                Some(_) if is_there => report.skip("a name that is there already"),
                Some(_) => {
                    self.named.insert(key);
                    report.added("things named");
                }
                None => report.skip("a name that cannot be kept"),
            }
        }
        Ok(())
    }

    pub(super) fn relations(
        &mut self,
        view: &mut Append<'_>,
        batch: &[Relation],
        report: &mut Report,
    ) -> Result<(), Error> {
        let Some(scope) = self.place_of_things(view)? else {
            batch
                .iter()
                .for_each(|_| report.skip("a relation that nothing says the place of"));
            return Ok(());
        };
        for relation in batch {
            let from = self.entity(view, &scope, &relation.from)?;
            let to = self.entity(view, &scope, &relation.to)?;
            match from.zip(to) {
                Some((from, to)) if from != to => {
                    if view.add_edge(from, to, &relation.relation, self.now)? {
                        report.added("relations");
                    } else {
                        report.skip("a relation that is there already");
                    }
                }
                _ => report.skip("a relation whose ends cannot be kept"),
            }
        }
        Ok(())
    }

    /// Makes links, now that every memory of the run is there. One that leads
    /// nowhere is kept as the name that it leads to.
    pub(super) fn link(
        &mut self,
        view: &mut Append<'_>,
        batch: &[Link],
        report: &mut Report,
    ) -> Result<(), Error> {
        if !self.options.write {
            for link in batch {
                let is_known = self.called.contains_key(&name_key(&link.to));
                report.added(if is_known {
                    "links"
                } else {
                    "links to what is not there, kept as names"
                });
            }
            return Ok(());
        }
        for link in batch {
            if let Some(to) = self.called.get(&name_key(&link.to)).copied() {
                if to != link.from && view.add_link(link.from, to, &link.relation, self.now)? {
                    report.added("links");
                }
                continue;
            }
            let Some(scope) = view.scope_of(link.from)? else {
                continue;
            };
            if let Some(key) = self.entity(view, &scope, &link.to)? {
                view.add_anchor(link.from, key, self.now)?;
                report.added("links to what is not there, kept as names");
            }
        }
        Ok(())
    }
}
