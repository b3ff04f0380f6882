//! A folder that can only be read.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

/// Tells whether this process may mount file systems in a space of its own.
pub fn may_mount() -> bool {
    let status = Command::new("unshare").args(["-m", "true"]).status();
    status.is_ok_and(|status| status.success())
}

/// Runs as another user who owns nothing there, or in a space where the folder
/// can only be read.
pub fn reading_only(data: &Path) -> Vec<String> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    if may_mount() {
        let path = data.display();
        let bound = format!(
            "mount --bind {path} {path} && mount -o remount,ro,bind {path} && cd {path} && exec \"$@\""
        );
        return words(&["unshare", "-m", "sh", "-c", &bound, "sh"]);
    }
    // Nobody but root is kept from writing by the mode of a folder.
    let mode = std::fs::Permissions::from_mode(0o500);
    std::fs::set_permissions(data, mode).expect("it is ours");
    words(&["env"])
}

/// Lets its owner write to the folder again, whichever way was taken.
pub fn may_write(data: &Path) {
    let mode = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(data, mode).expect("it is ours");
}
