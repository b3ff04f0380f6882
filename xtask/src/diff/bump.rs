//! Semantic versions of a contract and the arithmetic of bumps; pure.

use std::fmt;

/// How much a version has to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bump {
    /// Nothing that anybody could notice.
    #[default]
    None,
    /// Words only.
    Patch,
    /// Additive.
    Minor,
    /// An existing client could break.
    Major,
}

impl Bump {
    /// Returns the name in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        }
    }
}

/// Three numbers; a released contract has nothing else in its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    major: u64,
    minor: u64,
    patch: u64,
}

/// Why a text is no version of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoVersion {
    /// It has a suffix: `2.2.0-rc.1`, `2.2.0+build`.
    Suffixed,
    /// It is not three numbers.
    Malformed,
}

impl Version {
    /// Reads `major.minor.patch`.
    pub fn parse(text: &str) -> Result<Self, NoVersion> {
        let core = text.split(['-', '+']).next().unwrap_or_default();
        let mut parts = core.split('.').map(|part| {
            let plain = part.bytes().all(|byte| byte.is_ascii_digit())
                && (part == "0" || !part.starts_with('0'));
            part.parse::<u64>().ok().filter(|_| plain)
        });
        let mut next = || parts.next().flatten().ok_or(NoVersion::Malformed);
        let version = Self {
            major: next()?,
            minor: next()?,
            patch: next()?,
        };
        if parts.next().is_some() {
            Err(NoVersion::Malformed)
        } else if core.len() < text.len() {
            Err(NoVersion::Suffixed)
        } else {
            Ok(version)
        }
    }

    /// Returns the next version after a bump.
    ///
    /// Below 1.0.0 the first number stays, by the custom of semantic
    /// versioning: the second one is raised where something breaks, the third
    /// one otherwise.
    pub fn after(self, bump: Bump) -> Self {
        let Self {
            major,
            minor,
            patch,
        } = self;
        let bump = match (major, bump) {
            (0, Bump::Major) => Bump::Minor,
            (0, Bump::Minor) => Bump::Patch,
            (_, bump) => bump,
        };
        match bump {
            Bump::None => self,
            Bump::Patch => Self {
                major,
                minor,
                patch: patch.saturating_add(1),
            },
            Bump::Minor => Self {
                major,
                minor: minor.saturating_add(1),
                patch: 0,
            },
            Bump::Major => Self {
                major: major.saturating_add(1),
                minor: 0,
                patch: 0,
            },
        }
    }

    /// Whether nothing is promised yet.
    pub fn is_early(self) -> bool {
        self.major == 0
    }

    /// Returns the first number.
    pub fn major(self) -> u64 {
        self.major
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// How a claimed version stands to the last released one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The version that the changes ask for.
    Right,
    /// Something changed, and the version did not.
    Missing,
    /// The changes ask for more.
    TooSmall,
    /// The changes ask for less.
    TooLarge,
    /// The version moved, and nothing changed.
    WithoutChange,
    /// No single bump leads there.
    Skipped,
    /// It is older than what is released.
    Decreasing,
}

/// Judges a claimed version against the last release and what changed since.
pub fn judge(released: Version, claimed: Version, needed: Bump) -> Standing {
    if claimed < released {
        return Standing::Decreasing;
    }
    if claimed == released {
        return match needed {
            Bump::None => Standing::Right,
            Bump::Patch | Bump::Minor | Bump::Major => Standing::Missing,
        };
    }
    let steps = [Bump::Patch, Bump::Minor, Bump::Major].map(|bump| released.after(bump));
    // From 0.y.z to 1.0.0 is a decision, not a count.
    let first = released.is_early().then_some(Version {
        major: 1,
        minor: 0,
        patch: 0,
    });
    if !steps.contains(&claimed) && first != Some(claimed) {
        return Standing::Skipped;
    }
    let wanted = released.after(needed);
    match needed {
        Bump::None => Standing::WithoutChange,
        Bump::Patch | Bump::Minor | Bump::Major if claimed == wanted => Standing::Right,
        Bump::Patch | Bump::Minor | Bump::Major if claimed < wanted => Standing::TooSmall,
        Bump::Patch | Bump::Minor | Bump::Major => Standing::TooLarge,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    #[test]
    fn a_version_is_three_plain_numbers() {
        assert_eq!(version("2.10.3").to_string(), "2.10.3");
        assert!(version("2.10.0") > version("2.9.9"));
        for text in ["2.2.0-rc.1", "2.2.0+build"] {
            assert_eq!(Version::parse(text), Err(NoVersion::Suffixed), "{text}");
        }
        for text in [
            "", "2", "2.1", "2.1.0.0", "02.1.0", "a.b.c", "-1.0.0", "2..0",
        ] {
            assert_eq!(Version::parse(text), Err(NoVersion::Malformed), "{text}");
        }
    }

    #[test]
    fn every_standing_follows_from_three_values() {
        for (released, claimed, needed, standing) in [
            ("2.1.0", "2.1.0", Bump::None, Standing::Right),
            ("2.1.0", "2.1.0", Bump::Patch, Standing::Missing),
            ("2.1.0", "2.1.1", Bump::Patch, Standing::Right),
            ("2.1.0", "2.2.0", Bump::Minor, Standing::Right),
            ("2.1.0", "3.0.0", Bump::Major, Standing::Right),
            ("2.1.0", "2.1.1", Bump::Minor, Standing::TooSmall),
            ("2.1.0", "2.2.0", Bump::Major, Standing::TooSmall),
            ("2.1.0", "2.2.0", Bump::Patch, Standing::TooLarge),
            ("2.1.0", "3.0.0", Bump::Minor, Standing::TooLarge),
            ("2.1.0", "2.1.1", Bump::None, Standing::WithoutChange),
            ("2.1.0", "2.1.2", Bump::Patch, Standing::Skipped),
            ("2.1.0", "2.3.0", Bump::Minor, Standing::Skipped),
            ("2.1.0", "2.2.1", Bump::Minor, Standing::Skipped),
            ("2.1.0", "3.0.1", Bump::Major, Standing::Skipped),
            ("2.1.0", "4.0.0", Bump::Major, Standing::Skipped),
            ("2.1.0", "2.0.9", Bump::Major, Standing::Decreasing),
            ("0.2.0", "0.3.0", Bump::Major, Standing::Right),
            ("0.2.0", "0.2.1", Bump::Major, Standing::TooSmall),
            ("0.2.0", "0.2.1", Bump::Minor, Standing::Right),
            ("0.2.0", "1.0.0", Bump::Major, Standing::TooLarge),
        ] {
            let found = judge(version(released), version(claimed), needed);
            assert_eq!(found, standing, "{released} to {claimed}, {needed:?}");
        }
    }
}
