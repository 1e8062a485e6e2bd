//! Permission checks of a key file: only its owner and a declared group can read or replace it.
//!
//! The checks are those of OpenSSH. The file belongs to the user or to root, and others have no access. No other user
//! can write to a parent folder, because that user could replace the file.

use std::path::Path;

use crate::error::{Error, Result};

/// Returns the error for a key that cannot be used.
pub(crate) fn unusable(path: &Path, why: String) -> Error {
    Error::Key { path: path.to_owned(), why }
}

/// Checks a key file and its parent folders. `group` may read the file and write to the folders.
#[cfg(unix)]
pub(crate) fn check(path: &Path, group: Option<&str>) -> Result<()> {
    use std::os::unix::fs::MetadataExt;

    let allowed = groups::AllowedGroups::new(path, group)?;
    let real = path.canonicalize().map_err(|error| Error::io("read", path, error))?;
    let metadata = |path: &Path| std::fs::metadata(path).map_err(|error| Error::io("read", path, error));
    let file = metadata(&real)?;
    let user = rustix::process::geteuid().as_raw();
    if file.uid() != user && file.uid() != 0 {
        return Err(unusable(path, "it belongs to another user; copy it to a file of your own (chmod 600)".to_owned()));
    }
    let open = if allowed.is_declared(file.gid()) { 0o027 } else { 0o077 };
    if file.mode() & open != 0 {
        return Err(unusable(path, "others can read it; restrict it to yourself (chmod 600)".to_owned()));
    }
    for folder in real.ancestors().skip(1) {
        let found = metadata(folder)?;
        let (mode, folder_name) = (found.mode(), folder.display());
        if found.uid() != user && found.uid() != 0 {
            return Err(unusable(path, format!("another user owns the folder {folder_name} and can replace it")));
        }
        // In a folder with the sticky bit, such as /tmp, only the owner of a file can replace it.
        let sticky = mode & 0o1000 != 0;
        let by_group = mode & 0o020 != 0 && !allowed.is_allowed(found.gid());
        if !sticky && (mode & 0o002 != 0 || by_group) {
            let why = format!("others can write to the folder {folder_name} and can replace it (chmod go-w)");
            return Err(unusable(path, why));
        }
    }
    Ok(())
}

/// Returns the id of a group.
#[cfg(unix)]
pub(crate) fn group_id(name: &str) -> Option<u32> {
    nix::unistd::Group::from_name(name).ok().flatten().map(|group| group.gid.as_raw())
}

/// Returns true if the group is the declared one, or the private group of the user.
#[cfg(unix)]
pub(crate) fn is_trusted_group(gid: u32, group: Option<&str>) -> bool {
    groups::AllowedGroups::new(Path::new(""), group).is_ok_and(|allowed| allowed.is_allowed(gid))
}

/// Checks nothing on systems without Unix permissions.
#[cfg(not(unix))]
pub(crate) fn check(_: &Path, _: Option<&str>) -> Result<()> {
    Ok(())
}

#[cfg(unix)]
mod groups {
    use std::path::Path;

    use nix::unistd::{Group, User};

    use super::unusable;
    use crate::error::Result;

    /// Groups that may write to the parent folders of a key.
    pub(super) struct AllowedGroups {
        declared: Option<u32>,
        /// Group with the user's name and no other member, which many systems create for every user.
        private: Option<u32>,
    }

    impl AllowedGroups {
        pub(super) fn new(path: &Path, group: Option<&str>) -> Result<AllowedGroups> {
            let unknown =
                |name: &str| unusable(path, format!("it is shared with the group `{name}`, which does not exist"));
            let declared = match group {
                None => None,
                Some(name) => Some(super::group_id(name).ok_or_else(|| unknown(name))?),
            };
            let user = User::from_uid(nix::unistd::geteuid()).ok().flatten();
            let own = user.as_ref().and_then(|user| Some((user, Group::from_gid(user.gid).ok().flatten()?)));
            let private =
                own.filter(|(user, group)| group.name == user.name && group.mem.iter().all(|name| *name == user.name));
            Ok(AllowedGroups { declared, private: private.map(|(_, group)| group.gid.as_raw()) })
        }

        pub(super) fn is_declared(&self, gid: u32) -> bool {
            self.declared == Some(gid)
        }

        pub(super) fn is_allowed(&self, gid: u32) -> bool {
            self.is_declared(gid) || self.private == Some(gid)
        }
    }
}
