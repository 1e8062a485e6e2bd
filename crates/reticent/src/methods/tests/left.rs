//! Records that are left when releases are compared, against every way to place them.

use crate::methods::left::{Left, People};
use crate::taxonomy::Code;

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

struct Case {
    quasi: Vec<Vec<Code>>,
    sensitive: Vec<Vec<Code>>,
    earlier: Vec<Vec<Option<u32>>>,
}

impl Case {
    fn draw(random: &mut Random) -> Case {
        let people = 6 + random.below(5) as usize;
        let mut codes = |below: u64| -> Vec<Code> { (0..people).map(|_| random.below(below) as Code).collect() };
        let (quasi, sensitive) = (vec![codes(4), codes(3)], vec![codes(2)]);
        // A later release has everybody of an earlier one.
        let mut there = vec![false; people];
        let mut earlier = Vec::new();
        for _ in 0..=random.below(2) {
            there.iter_mut().for_each(|there| *there |= random.below(2) == 0);
            let groups = 1 + random.below(2);
            earlier.push(there.iter().map(|there| there.then(|| random.below(groups) as u32)).collect());
        }
        Case { quasi, sensitive, earlier }
    }

    fn meet(&self, one: &[u32], other: &[u32]) -> bool {
        self.quasi.iter().all(|codes| {
            let ends = |people: &[u32]| {
                let codes: Vec<Code> = people.iter().map(|at| codes[*at as usize]).collect();
                (*codes.iter().min().expect("somebody"), *codes.iter().max().expect("somebody"))
            };
            let (one, other) = (ends(one), ends(other));
            one.0 <= other.1 && other.0 <= one.1
        })
    }

    /// The fewest records that are left to anybody by comparing these groups with any earlier release, by every way to place records.
    fn fewest(&self, groups: &[Vec<u32>]) -> usize {
        let mut fewest = usize::MAX;
        for of in &self.earlier {
            let count = of.iter().flatten().max().map_or(0, |last| *last as usize + 1);
            let people = |old: usize| -> Vec<u32> {
                (0..).zip(of).filter(|(_, group)| **group == Some(old as u32)).map(|(at, _)| at).collect()
            };
            let olds: Vec<Vec<u32>> = (0..count).map(people).collect();
            for codes in &self.sensitive {
                // By old and new group, summed over values: the most records that can be in both; by new group: that can be free.
                let mut common = vec![vec![0; groups.len()]; count];
                let mut free = vec![0; groups.len()];
                for value in 0..2 {
                    let has = |at: &&u32| codes[**at as usize] == value;
                    let room: Vec<usize> = groups.iter().map(|group| group.iter().filter(has).count()).collect();
                    let records: Vec<usize> =
                        olds.iter().enumerate().flat_map(|(old, of)| of.iter().filter(has).map(move |_| old)).collect();
                    let (mut most, mut most_free) = (vec![vec![0; groups.len()]; count], vec![0; groups.len()]);
                    let mut placed = vec![vec![0; groups.len()]; count];
                    let can_be = |old: usize, new: usize| self.meet(&olds[old], &groups[new]);
                    place(&records, &can_be, &room, &mut placed, &mut |placed| {
                        for new in 0..groups.len() {
                            let taken: usize = placed.iter().map(|of| of[new]).sum();
                            most_free[new] = most_free[new].max(room[new] - taken);
                            (0..count).for_each(|old| most[old][new] = most[old][new].max(placed[old][new]));
                        }
                    });
                    for new in 0..groups.len() {
                        free[new] += most_free[new];
                        (0..count).for_each(|old| common[old][new] += most[old][new]);
                    }
                }
                for (new, group) in groups.iter().enumerate() {
                    for at in group {
                        fewest = fewest.min(match of[*at as usize] {
                            Some(old) => common[old as usize][new],
                            None => free[new],
                        });
                    }
                }
            }
        }
        fewest
    }
}

impl Case {
    /// The fewest people who are in the same group of an earlier release, or of none, and of these.
    fn truly(&self, groups: &[Vec<u32>]) -> usize {
        let mut fewest = usize::MAX;
        for of in &self.earlier {
            for group in groups {
                let same = |at: &u32| group.iter().filter(|other| of[**other as usize] == of[*at as usize]).count();
                fewest = group.iter().map(same).min().unwrap_or(fewest).min(fewest);
            }
        }
        fewest
    }
}

/// Tells every way to place records, each of them in a group with room that its old group can be.
fn place(
    records: &[usize],
    can_be: &dyn Fn(usize, usize) -> bool,
    room: &[usize],
    placed: &mut Vec<Vec<usize>>,
    tell: &mut dyn FnMut(&[Vec<usize>]),
) {
    let Some((old, rest)) = records.split_first() else { return tell(placed) };
    for new in 0..room.len() {
        let taken: usize = placed.iter().map(|of| of[new]).sum();
        if taken < room[new] && can_be(*old, new) {
            placed[*old][new] += 1;
            place(rest, can_be, room, placed, tell);
            placed[*old][new] -= 1;
        }
    }
}

/// Groups are split exactly where that leaves enough records to everybody.
#[test]
fn groups_are_split_as_every_way_to_place_records_says() {
    let mut random = Random(3);
    let (mut split, mut kept, mut exchanged) = (0, 0, 0);
    for _ in 0..3000 {
        let case = Case::draw(&mut random);
        let all: Vec<u32> = (0..case.quasi[0].len() as u32).collect();
        let k = 2 + random.below(2) as usize;
        // Either everybody is together, or those of the first release are apart from the others.
        let (some, others): (Vec<u32>, Vec<u32>) =
            all.iter().partition(|at| random.0.is_multiple_of(2) || case.earlier[0][**at as usize].is_some());
        let begin: Vec<Vec<u32>> = [some, others].into_iter().filter(|group| !group.is_empty()).collect();
        let people = People { quasi: &case.quasi, sensitive: &case.sensitive };
        let groups: Vec<&[u32]> = begin.iter().map(Vec::as_slice).collect();
        let left = Left::new(people, &groups, k as u64, &case.earlier);
        assert_eq!(left.is_some(), case.fewest(&begin) >= k);
        let Some(mut left) = left else { continue };
        let mut groups: Vec<(u32, Vec<u32>)> = (0..).zip(begin).collect();
        for _ in 0..8 {
            let at = random.below(groups.len() as u64) as usize;
            let (column, cut) = (random.below(2) as usize, random.below(4) as Code);
            let (number, people) = groups[at].clone();
            let (low, high): (Vec<u32>, Vec<u32>) =
                people.iter().partition(|at| case.quasi[column][**at as usize] <= cut);
            if low.is_empty() || high.is_empty() {
                continue;
            }
            let mut finer = groups.clone();
            finer.remove(at);
            finer.extend([(u32::MAX, low.clone()), (u32::MAX, high.clone())]);
            let finer: Vec<Vec<u32>> = finer.into_iter().map(|(_, people)| people).collect();
            let safe = case.fewest(&finer) >= k;
            let made = left.split(number, &[&low, &high]);
            assert_eq!(
                made.is_some(),
                safe,
                "{k} of {:?} {:?} {:?}: {groups:?}",
                case.quasi,
                case.sensitive,
                case.earlier
            );
            match made {
                Some(made) => {
                    split += 1;
                    exchanged += usize::from(case.truly(&finer) < k);
                    groups.remove(at);
                    groups.extend(made.into_iter().zip([low, high]));
                }
                None => kept += 1,
            }
        }
    }
    assert!(split > 500 && kept > 500 && exchanged > 300, "{split} {kept} {exchanged}");
}
