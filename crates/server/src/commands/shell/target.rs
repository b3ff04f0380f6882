//! Which memory a command is about: the one in a folder, or a server's. A word
//! on the command line counts more than a variable, and two words are one too
//! many: nothing is ever stored elsewhere than where a person said.

use clap::builder::NonEmptyStringValueParser;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::cli::Place;

/// A folder, unless a server is named.
pub struct Target {
    /// Which folder.
    pub place: Place,
    /// Address of the server that is asked in its place.
    pub server: Option<String>,
}

/// What may be typed.
#[derive(Args)]
struct Words {
    /// Which folder.
    #[command(flatten)]
    place: Place,
    /// Ask a server in place of the data folder, such as
    /// http://127.0.0.1:8787; its token is read from ZERO_MEMORY_TOKEN. For
    /// history and scopes it has to serve --toolset full. Where the variable
    /// names a server, --data asks the folder all the same.
    #[arg(
        long,
        value_name = "URL",
        value_parser = NonEmptyStringValueParser::new(),
        env = "ZERO_MEMORY_SERVER"
    )]
    server: Option<String>,
}

/// Options that say something of the folder.
const OF_FOLDER: [&str; 2] = ["data", "handle"];

impl Args for Target {
    fn augment_args(command: Command) -> Command {
        Words::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Words::augment_args_for_update(command)
    }
}

impl FromArgMatches for Target {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let is_typed = |id| matches.value_source(id) == Some(ValueSource::CommandLine);
        let Words { place, server } = Words::from_arg_matches(matches)?;
        let server = match OF_FOLDER.into_iter().find(|option| is_typed(option)) {
            Some(option) if is_typed("server") => {
                return Err(clap::Error::raw(
                    ErrorKind::ArgumentConflict,
                    format!(
                        "--{option} is for the data folder and --server asks a server in its place: leave one of them away\n"
                    ),
                ));
            }
            Some(_) => None,
            None => server,
        };
        Ok(Self { place, server })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
