//! What stands beside the entry that is changed: another program under our
//! name, ours under another one or in another file, and hooks that lead
//! elsewhere; said to the person, or refused.

use std::path::Path;

use anyhow::{Result, bail};

use super::clients::{Client, Format};
use super::plan::{assert_name, data, ours, program};
use super::present::{self, Ours, Place, Server};
use super::surroundings::Surroundings;
use super::{Arguments, files, hooks, listing};
use crate::say;

/// Whether the entry of our name may be changed. Another program's is not ours
/// to replace, and a second one of ours would answer everything twice.
pub fn may_touch(
    client: &Client,
    arguments: &Arguments,
    here: &[Server],
    ours: &Ours,
) -> Result<bool> {
    let name = &arguments.name;
    let named = here.iter().find(|server| server.name == *name);
    let twin = here
        .iter()
        .find(|server| server.name != *name && server.is_twin(ours));
    let left = named.and_then(|named| named.folder_left(ours));
    if let Some(folder) = left.filter(|_| !arguments.remove && arguments.url.is_none()) {
        let now = ours.data.as_deref().unwrap_or("the usual folder");
        say(&format!(
            "{name} led to the memory in {folder} and leads to {now} now: --data names another one"
        ));
    }
    let is_renewed = |named: &&Server| {
        !arguments.remove && named.is_called_so_by_us(ours) && !named.is_wrapped(ours)
    };
    let goes = named
        .filter(is_renewed)
        .and_then(|named| Some((named.goes(ours, arguments.url.is_some())?, named)));
    if let Some((goes, named)) = goes {
        say(&format!(
            "{goes} of {name} in {} go with the way it was reached; the copy keeps them",
            named.path
        ));
    }
    match (named, twin) {
        (Some(named), _) if !named.is_called_so_by_us(ours) || named.is_wrapped(ours) => {
            let what = match named.way() {
                _ if named.is_wrapped(ours) => "is started by another program",
                _ if !named.is_well_formed() => "is no entry of a form that is known here",
                "http" => "calls another server",
                _ => "runs another program",
            };
            let path = &named.path;
            if arguments.remove {
                say(&format!(
                    "{name} in {path} {what} and was left alone: take it out by hand if you do not want it"
                ));
                return Ok(false);
            }
            bail!(
                "{name} in {path} {what}, so nothing was changed: give ours another name with --name, or take that one out by hand"
            );
        }
        (Some(named), _) if named.is_off() && !arguments.remove => {
            let place = if named.is_off_elsewhere {
                "its settings".to_owned()
            } else {
                named.path.clone()
            };
            say(&format!(
                "{name} is switched off in {place} and stays so: switch it on in {}",
                client.title
            ));
        }
        (None, Some(twin)) if arguments.remove => {
            say(&format!(
                "it stands in {} as {}: pass --name {}",
                twin.path, twin.name, twin.name
            ));
        }
        (Some(named), Some(twin)) if !arguments.remove && !named.is_twin(ours) => bail!(
            "{} has that memory already, as {}: pass --name {} to renew that one, or --data for another memory",
            twin.path,
            twin.name,
            twin.name
        ),
        (None, Some(twin)) => bail!(
            "{} has it already, as {}: pass --name {} to renew that one, and add --remove to take it away",
            twin.path,
            twin.name,
            twin.name
        ),
        (None, None) if !arguments.remove => assert_name(name)?,
        (Some(named), _) if arguments.remove => {
            for other in here.iter().filter(|other| other.name != *name) {
                if other.is_like(named, ours) {
                    say(&format!(
                        "{} still has that memory, as {}: pass --name {} to take that one away",
                        other.path, other.name, other.name
                    ));
                }
            }
        }
        (Some(_) | None, _) => {}
    }
    Ok(true)
}

/// Says where else the client finds it.
pub fn tell_of_others(
    client: &Client,
    arguments: &Arguments,
    at: &Surroundings,
    ours: &Ours,
    path: &Path,
) {
    let scope = arguments.scope.into();
    let standing = present::standing(client, at, ours).into_iter();
    // One that leads to another folder stays beside ours; who takes ours away
    // is told of a twin alone, elsewhere. In the home folder the file of a
    // person may be that of the project, too.
    let is_other = |server: &Server| {
        let is_here =
            server.place == scope || (server.place != Place::Local && is_file(server, path));
        !is_here || (!arguments.remove && server.name != arguments.name)
    };
    for other in standing.filter(is_other) {
        let (name, path, way) = (&other.name, &other.path, other.way());
        match other.place {
            Place::Local => say(&format!(
                "{path} has it for this folder alone too, as {name} ({way}), and here that one counts: claude mcp remove {name} --scope local takes it away"
            )),
            Place::User | Place::Project => {
                say(&format!("{path} has it too, as {name} ({way})"));
            }
        }
    }
}

fn is_file(server: &Server, path: &Path) -> bool {
    files::behind_links(Path::new(&server.path)).is_ok_and(|real| real == path)
}

/// Says which hooks would be other ones if they were set now, such as those of
/// a program that was moved since.
pub fn tell_of_old_hooks(client: &Client, arguments: &Arguments, at: &Surroundings) -> Result<()> {
    let (program, data) = (program(arguments)?, data(arguments, at)?);
    let ours = ours(arguments, at)?;
    let standing = present::standing(client, at, &ours).into_iter();
    let others = standing.filter(|server| server.name != arguments.name);
    let folders: Vec<Option<String>> = others.map(|server| server.folder(&ours)).collect();
    for path in listing::files_with_hooks(at) {
        let text = files::read(Path::new(&path), Format::Json)?
            .text
            .unwrap_or_default();
        // Those of another one lead where it does.
        let led = hooks::folders(&text).unwrap_or_default();
        let is_others = |led: &Option<String>| *led != data && folders.contains(led);
        if led.iter().any(|(_, led)| is_others(led)) {
            continue;
        }
        let renewed = hooks::put(&text, |event| {
            hooks::command(at.system, &program, event, data.as_deref())
        });
        if renewed.is_ok_and(|renewed| renewed != text) {
            say(&format!(
                "the hooks in {path} run another program, or lead to another folder: --hooks renews them"
            ));
        }
    }
    Ok(())
}

/// Says which other files have our hooks: a session runs those of all.
pub fn tell_of_other_hooks(at: &Surroundings, path: &Path) {
    let files = listing::files_with_hooks(at).into_iter();
    for other in files.filter(|other| Path::new(other) != path) {
        say(&format!("{other} has hooks of ours, too"));
    }
}
