//! Whether a key file is safe where it lies: nobody but its owner, and a declared group, can read or replace it.
//!
//! The checks are those that OpenSSH makes of its files: the file belongs to the user or to root and is closed to others,
//! and nobody else can write to a folder above it, since that user could put another file in its place.

use std::path::Path;

use crate::error::{Error, Result};

/// A key that cannot be used.
pub(crate) fn unusable(path: &Path, why: String) -> Error {
    Error::Key { path: path.to_owned(), why }
}

/// Checks a key file and the folders above it. `group` may read the file, and write to the folders.
#[cfg(unix)]
pub(crate) fn check(path: &Path, group: Option<&str>) -> Result<()> {
    use std::os::unix::fs::MetadataExt;

    let allowed = groups::Allowed::new(path, group)?;
    let real = path.canonicalize().map_err(|error| Error::io("read", path, error))?;
    let about = |path: &Path| std::fs::metadata(path).map_err(|error| Error::io("read", path, error));
    let file = about(&real)?;
    let user = rustix::process::geteuid().as_raw();
    if file.uid() != user && file.uid() != 0 {
        return Err(unusable(path, "belongs to another user; copy it to a file of your own (chmod 600)".to_owned()));
    }
    let open = if allowed.is_declared(file.gid()) { 0o027 } else { 0o077 };
    if file.mode() & open != 0 {
        return Err(unusable(path, "can be read by others; make it yours alone (chmod 600)".to_owned()));
    }
    for folder in real.ancestors().skip(1) {
        let found = about(folder)?;
        let (mode, shown) = (found.mode(), folder.display());
        if found.uid() != user && found.uid() != 0 {
            return Err(unusable(path, format!("can be replaced by another user, who owns the folder {shown}")));
        }
        // In a folder with the sticky bit, such as /tmp, only the owner of a file can replace it.
        let sticky = mode & 0o1000 != 0;
        let by_group = mode & 0o020 != 0 && !allowed.is_allowed(found.gid());
        if !sticky && (mode & 0o002 != 0 || by_group) {
            let why = format!("can be replaced by others, who can write to the folder {shown} (chmod go-w)");
            return Err(unusable(path, why));
        }
    }
    Ok(())
}

/// Checks nothing where files have no Unix permissions.
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

    /// The groups that may write to the folders above a key.
    pub(super) struct Allowed {
        declared: Option<u32>,
        /// The group that has the user's name and no other member, as many systems make for every user.
        private: Option<u32>,
    }

    impl Allowed {
        pub(super) fn new(path: &Path, group: Option<&str>) -> Result<Allowed> {
            let unknown =
                |name: &str| unusable(path, format!("is shared with the group `{name}`, which does not exist"));
            let declared = match group {
                None => None,
                Some(name) => {
                    let found = Group::from_name(name).ok().flatten();
                    Some(found.ok_or_else(|| unknown(name))?.gid.as_raw())
                }
            };
            let user = User::from_uid(nix::unistd::geteuid()).ok().flatten();
            let own = user.as_ref().and_then(|user| Some((user, Group::from_gid(user.gid).ok().flatten()?)));
            let private =
                own.filter(|(user, group)| group.name == user.name && group.mem.iter().all(|name| *name == user.name));
            Ok(Allowed { declared, private: private.map(|(_, group)| group.gid.as_raw()) })
        }

        pub(super) fn is_declared(&self, gid: u32) -> bool {
            self.declared == Some(gid)
        }

        pub(super) fn is_allowed(&self, gid: u32) -> bool {
            self.is_declared(gid) || self.private == Some(gid)
        }
    }
}
