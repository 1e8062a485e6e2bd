//! A small file system in memory that knows what is on the disk and what is only on its way there.
//!
//! Files     have the bytes that were last synced, and the writes and cuts since. A sync of the file makes them last.
//! Names     a folder's names are what was last synced, and the changes since. A sync of the folder makes them last. To sync
//!           a file does not make its name last, nor does a folder's sync reach into the files and folders in it.
//! Renames   happen wholly or not at all. One between two folders lasts as soon as one of them is synced.
//! Harsher   than most file systems, which keep changes of names in order: here each may be lost while later ones stay, and so
//!           may writes to one file.
//!
//! Not here: permissions, times, symbolic links, memory maps, and disks that lie about a sync or damage what is at rest. A
//!           write is lost or torn, but never leaves bytes that nobody wrote.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is in a folder, by path: the bytes of a file, nothing for a folder.
pub type Tree = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// A change that a process made, with paths from the folder that was watched.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    CreateFile(PathBuf),
    CreateFolder(PathBuf),
    Write(PathBuf, u64, Vec<u8>),
    Cut(PathBuf, u64),
    Sync(PathBuf),
    Rename(PathBuf, PathBuf),
    Link(PathBuf, PathBuf),
    Remove(PathBuf),
}

impl Change {
    /// Reads a list as `record.c` writes it.
    pub fn list(mut bytes: &[u8], root: &Path) -> Vec<Change> {
        let mut changes = Vec::new();
        while !bytes.is_empty() {
            let kind = take(&mut bytes, 1)[0];
            let path = inside(root, take_counted(&mut bytes));
            let other = take_counted(&mut bytes);
            let offset = u64::from_ne_bytes(take(&mut bytes, 8).try_into().unwrap());
            let data = take_counted(&mut bytes);
            changes.push(match kind {
                b'c' => Change::CreateFile(path),
                b'd' => Change::CreateFolder(path),
                b'w' => Change::Write(path, offset, data.to_vec()),
                b't' => Change::Cut(path, offset),
                b's' => Change::Sync(path),
                b'r' => Change::Rename(path, inside(root, other)),
                b'l' => Change::Link(path, inside(root, other)),
                b'u' => Change::Remove(path),
                kind => panic!("a change of kind {kind}"),
            });
        }
        changes
    }

    /// Whether it only changes what is in a file.
    pub fn is_content(&self) -> bool {
        matches!(self, Change::Write(..) | Change::Cut(..))
    }
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, left) = bytes.split_at(count);
    *bytes = left;
    taken
}

fn take_counted<'a>(bytes: &mut &'a [u8]) -> &'a [u8] {
    let count = u32::from_ne_bytes(take(bytes, 4).try_into().unwrap());
    take(bytes, count as usize)
}

/// A path from the root, without the dots that a caller wrote.
fn inside(root: &Path, path: &[u8]) -> PathBuf {
    let path = Path::new(std::str::from_utf8(path).unwrap());
    path.strip_prefix(root).unwrap_or_else(|_| panic!("{} is elsewhere", path.display())).components().collect()
}

/// What is left of changes that were never synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Survives {
    /// Nothing: the harshest.
    Synced,
    /// All names, and nothing of what was written.
    Names,
    /// All that was written, under names that were synced.
    Contents,
    /// Each change by chance: of every file the first few writes, the last of them torn, or any of them.
    Some(u64),
}

/// Which file or folder, whatever its names are.
type Inode = usize;
/// By folder and name.
type Names = BTreeMap<(Inode, String), Inode>;

/// What a name stands for from now on.
#[derive(Debug, Clone)]
struct Naming {
    folder: Inode,
    name: String,
    becomes: Option<Inode>,
}

#[derive(Debug, Clone)]
enum Edit {
    Write(usize, Vec<u8>),
    Cut(usize),
}

impl Edit {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Edit::Write(offset, data) => {
                bytes.resize(bytes.len().max(offset + data.len()), 0);
                bytes[*offset..offset + data.len()].copy_from_slice(data);
            }
            Edit::Cut(length) => bytes.resize(*length, 0),
        }
    }

    /// The first so many bytes of it.
    fn torn(&self, random: &mut Random) -> Edit {
        match self {
            Edit::Write(offset, data) => Edit::Write(*offset, data[..random.below(data.len() + 1)].to_vec()),
            cut => cut.clone(),
        }
    }
}

#[derive(Debug, Default, Clone)]
struct Node {
    is_folder: bool,
    synced: Vec<u8>,
    since: Vec<Edit>,
}

impl Node {
    fn folder() -> Node {
        Node { is_folder: true, ..Node::default() }
    }

    fn current(&self) -> Vec<u8> {
        self.with(&self.since)
    }

    fn with<'a>(&self, edits: impl IntoIterator<Item = &'a Edit>) -> Vec<u8> {
        let mut bytes = self.synced.clone();
        edits.into_iter().for_each(|edit| edit.apply(&mut bytes));
        bytes
    }

    fn some(&self, random: &mut Random) -> Vec<u8> {
        if random.coin() {
            let kept: Vec<&Edit> = self.since.iter().filter(|_| random.coin()).collect();
            return self.with(kept);
        }
        let kept = random.below(self.since.len() + 1);
        let torn = self.since.get(kept).map(|edit| edit.torn(random));
        self.with(self.since[..kept].iter().chain(&torn))
    }
}

/// The disk, and what is on its way there.
#[derive(Debug)]
pub struct Disk {
    nodes: Vec<Node>,
    names: Names,
    synced: Names,
    /// Changes of names that may still be lost, each wholly or not at all.
    since: Vec<Vec<Naming>>,
}

const ROOT: Inode = 0;

impl Disk {
    /// A disk that has all of this for good.
    pub fn of(tree: &Tree) -> Disk {
        let mut disk =
            Disk { nodes: vec![Node::folder()], names: Names::new(), synced: Names::new(), since: Vec::new() };
        for (path, bytes) in tree {
            let place = disk.place(path);
            let node =
                bytes.as_ref().map_or_else(Node::folder, |bytes| Node { synced: bytes.clone(), ..Node::default() });
            disk.nodes.push(node);
            disk.names.insert(place, disk.nodes.len() - 1);
        }
        disk.synced = disk.names.clone();
        disk
    }

    /// The folder that a path is in, and its name there.
    fn place(&self, path: &Path) -> (Inode, String) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap();
        (self.find(path.parent().unwrap()), name.to_owned())
    }

    fn find(&self, path: &Path) -> Inode {
        path.components().fold(ROOT, |folder, part| {
            let name = part.as_os_str().to_str().unwrap().to_owned();
            *self.names.get(&(folder, name)).unwrap_or_else(|| panic!("{} is not there", path.display()))
        })
    }

    fn change_names(&mut self, changes: Vec<((Inode, String), Option<Inode>)>) {
        let namings: Vec<Naming> =
            changes.into_iter().map(|((folder, name), becomes)| Naming { folder, name, becomes }).collect();
        apply(&mut self.names, &namings);
        self.since.push(namings);
    }

    fn create(&mut self, path: &Path, node: Node) {
        self.nodes.push(node);
        self.change_names(vec![(self.place(path), Some(self.nodes.len() - 1))]);
    }

    fn edit(&mut self, path: &Path, edit: Edit) {
        let inode = self.find(path);
        self.nodes[inode].since.push(edit);
    }

    /// The next change.
    pub fn change(&mut self, change: &Change) {
        match change {
            Change::CreateFile(path) => self.create(path, Node::default()),
            Change::CreateFolder(path) => self.create(path, Node::folder()),
            Change::Write(path, offset, bytes) => self.edit(path, Edit::Write(*offset as usize, bytes.clone())),
            Change::Cut(path, length) => self.edit(path, Edit::Cut(*length as usize)),
            Change::Rename(from, to) => {
                let inode = self.find(from);
                self.change_names(vec![(self.place(from), None), (self.place(to), Some(inode))]);
            }
            Change::Link(from, to) => self.change_names(vec![(self.place(to), Some(self.find(from)))]),
            Change::Remove(path) => self.change_names(vec![(self.place(path), None)]),
            Change::Sync(path) => self.sync(self.find(path)),
        }
    }

    fn sync(&mut self, inode: Inode) {
        if !self.nodes[inode].is_folder {
            let node = &mut self.nodes[inode];
            node.synced = node.current();
            node.since.clear();
            return;
        }
        let in_folder = |namings: &Vec<Naming>| namings.iter().any(|naming| naming.folder == inode);
        let (last, lost): (Vec<_>, Vec<_>) = std::mem::take(&mut self.since).into_iter().partition(in_folder);
        self.since = lost;
        for namings in last {
            apply(&mut self.synced, &namings);
            // Where a rename takes a name from another folder, what was done to that name before is settled, too.
            let settled =
                |old: &Naming| namings.iter().any(|naming| (naming.folder, &naming.name) == (old.folder, &old.name));
            self.since.iter_mut().for_each(|old| old.retain(|old| !settled(old)));
        }
    }

    /// What the process sees.
    pub fn current(&self) -> Tree {
        self.tree(&self.names, |inode| self.nodes[inode].current())
    }

    /// What is there when the power comes back.
    pub fn after_power_cut(&self, survives: Survives) -> Tree {
        let synced = |inode: Inode| self.nodes[inode].synced.clone();
        match survives {
            Survives::Synced => self.tree(&self.synced, synced),
            Survives::Names => self.tree(&self.names, synced),
            Survives::Contents => self.tree(&self.synced, |inode| self.nodes[inode].current()),
            Survives::Some(seed) => self.mixture(&mut Random(seed)),
        }
    }

    fn mixture(&self, random: &mut Random) -> Tree {
        let mut names = self.synced.clone();
        self.since.iter().filter(|_| random.coin()).for_each(|namings| apply(&mut names, namings));
        // Drawn once for each file: it may have two names.
        let drawn: Vec<Vec<u8>> = self.nodes.iter().map(|node| node.some(random)).collect();
        self.tree(&names, |inode| drawn[inode].clone())
    }

    /// Everything that can be reached by these names.
    fn tree(&self, names: &Names, bytes: impl Fn(Inode) -> Vec<u8>) -> Tree {
        let mut tree = Tree::new();
        let mut folders = vec![(ROOT, PathBuf::new())];
        while let Some((folder, path)) = folders.pop() {
            for ((_, name), inode) in names.range((folder, String::new())..(folder + 1, String::new())) {
                let path = path.join(name);
                let is_folder = self.nodes[*inode].is_folder;
                tree.insert(path.clone(), (!is_folder).then(|| bytes(*inode)));
                folders.extend(is_folder.then_some((*inode, path)));
            }
        }
        tree
    }
}

fn apply(names: &mut Names, namings: &[Naming]) {
    for Naming { folder, name, becomes } in namings {
        match becomes {
            Some(inode) => names.insert((*folder, name.clone()), *inode),
            None => names.remove(&(*folder, name.clone())),
        };
    }
}

/// Chance that is the same every time (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn coin(&mut self) -> bool {
        self.next() >> 63 == 1
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

#[test]
fn what_was_not_synced_is_lost() {
    let changes = [
        Change::CreateFile("a.new".into()),
        Change::Write("a.new".into(), 0, b"one".to_vec()),
        Change::Sync("a.new".into()),
        Change::Sync("".into()),
        Change::Write("a.new".into(), 3, b"two".to_vec()),
        Change::Rename("a.new".into(), "a".into()),
    ];
    let mut disk = Disk::of(&Tree::new());
    changes[..2].iter().for_each(|change| disk.change(change));
    let file = |name: &str, bytes: &str| Tree::from([(PathBuf::from(name), Some(bytes.as_bytes().to_vec()))]);
    assert_eq!(disk.after_power_cut(Survives::Synced), Tree::new());
    assert_eq!(disk.after_power_cut(Survives::Names), file("a.new", ""));
    disk.change(&changes[2]);
    assert_eq!(disk.after_power_cut(Survives::Synced), Tree::new(), "its name is not synced");
    changes[3..].iter().for_each(|change| disk.change(change));
    assert_eq!(disk.after_power_cut(Survives::Synced), file("a.new", "one"));
    assert_eq!(disk.after_power_cut(Survives::Names), file("a", "one"));
    assert_eq!(disk.after_power_cut(Survives::Contents), file("a.new", "onetwo"));
    assert_eq!(disk.current(), file("a", "onetwo"));
    for seed in 0..100 {
        let tree = disk.after_power_cut(Survives::Some(seed));
        assert!(tree.len() == 1, "a rename happens wholly or not at all: {tree:?}");
    }
}
