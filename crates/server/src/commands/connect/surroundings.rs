//! Where settings lie on a system: a pure function of its kind and its
//! variables, so that every system is tested on any.

use std::collections::BTreeMap;

/// Sorts of systems, as far as places differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Linux, and what is like it.
    Linux,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
}

/// What decides where settings lie.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The sort of system.
    pub system: System,
    /// Variables of the environment.
    pub variables: BTreeMap<String, String>,
    /// The folder of the project.
    pub project: String,
}

impl Surroundings {
    /// Returns those of this process.
    pub fn here(project: String) -> Self {
        let system = if cfg!(windows) {
            System::Windows
        } else if cfg!(target_os = "macos") {
            System::Mac
        } else {
            System::Linux
        };
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Self {
            system,
            variables: variables.collect(),
            project,
        }
    }

    /// Returns a variable that says something.
    pub fn variable(&self, name: &str) -> Option<&str> {
        let value = self.variables.get(name)?;
        (!value.is_empty()).then_some(value)
    }

    /// Returns a path below another one.
    pub fn join(&self, base: &str, parts: &[&str]) -> String {
        let separator = match self.system {
            System::Linux | System::Mac => '/',
            System::Windows => '\\',
        };
        let mut path = base.trim_end_matches(separator).to_owned();
        for part in parts {
            path.push(separator);
            path.push_str(part);
        }
        path
    }

    /// Returns a path below the home folder, which a relative one is not.
    pub fn home(&self, parts: &[&str]) -> Option<String> {
        let folder = match self.system {
            System::Linux | System::Mac => self
                .variable("HOME")
                .filter(|folder| folder.starts_with('/')),
            System::Windows => self.variable("USERPROFILE"),
        };
        Some(self.join(folder?, parts))
    }

    /// Returns a path below the folder that a variable names, or else below a
    /// folder of the home folder.
    pub fn named(&self, variable: &str, usual: &[&str], parts: &[&str]) -> Option<String> {
        match self.variable(variable) {
            Some(folder) => Some(self.join(folder, parts)),
            None => self.home(&[usual, parts].concat()),
        }
    }

    /// Returns a path below the folder that the system keeps for settings of
    /// programs with windows.
    pub fn settings(&self, parts: &[&str]) -> Option<String> {
        match self.system {
            // A relative one is invalid by the specification, and passed over.
            System::Linux => match self.variable("XDG_CONFIG_HOME") {
                Some(folder) if folder.starts_with('/') => Some(self.join(folder, parts)),
                Some(_) | None => self.home(&[&[".config"], parts].concat()),
            },
            System::Mac => self.home(&[&["Library", "Application Support"], parts].concat()),
            System::Windows => self.named("APPDATA", &["AppData", "Roaming"], parts),
        }
    }

    /// Returns a path in the project.
    pub fn in_project(&self, parts: &[&str]) -> String {
        self.join(&self.project, parts)
    }
}
