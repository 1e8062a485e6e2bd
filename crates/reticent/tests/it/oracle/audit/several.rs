//! People with several records in a release, compared with the enumeration of all assignments of values to records.

use std::collections::{BTreeMap, BTreeSet};

use reticent::audit::{AuditOptions, audit};
use reticent::taxonomy::NodeId;
use reticent::{Ratio, Unit};
use reticent_inference::Fraction;

use super::{PublishedRelease, Record, SmallHistory, flat};
use crate::support::Random;

/// All distinct permutations of these values.
fn permutations(values: &[NodeId]) -> Vec<Vec<NodeId>> {
    let Some(_) = values.first() else { return vec![Vec::new()] };
    let distinct: BTreeSet<NodeId> = values.iter().copied().collect();
    let mut all = Vec::new();
    for first in distinct {
        let mut rest = values.to_vec();
        rest.remove(values.iter().position(|value| *value == first).unwrap());
        all.extend(permutations(&rest).into_iter().map(|order| [vec![first], order].concat()));
    }
    all
}

/// Number of assignments in which a person has a record with a value, and the number of all assignments.
fn enumerate_assignments(records: &[Record]) -> (BTreeMap<(u128, NodeId), u128>, u128) {
    let groups: BTreeSet<usize> = records.iter().map(|record| record.group).collect();
    let mut assignments: Vec<BTreeSet<(u128, NodeId)>> = vec![BTreeSet::new()];
    for group in groups {
        let members: Vec<&Record> = records.iter().filter(|record| record.group == group).collect();
        let values: Vec<NodeId> = members.iter().map(|record| record.cells[0]).collect();
        let mut more = Vec::new();
        for order in permutations(&values) {
            let pairs = members.iter().zip(&order).map(|(record, value)| (record.person, *value));
            let pairs: BTreeSet<(u128, NodeId)> = pairs.collect();
            more.extend(assignments.iter().map(|assignment| assignment.union(&pairs).copied().collect()));
        }
        assignments = more;
    }
    let mut any = BTreeMap::new();
    assignments.iter().flatten().for_each(|pair| *any.entry(*pair).or_insert(0) += 1);
    (any, assignments.len() as u128)
}

#[test]
fn posteriors_of_people_with_several_records_match_the_enumeration() {
    let mut random = Random(0x5e7e_4a11);
    let (mut several, mut certain_by_several, mut any_only) = (0, 0, 0);
    for instance in 0..1_500 {
        let column = flat(&["a", "b", "c"]);
        let (people, groups) = (2 + random.below(3), 1 + random.below(2));
        let record = |random: &mut Random| Record {
            person: 1 + random.below(people) as u128,
            group: random.below(groups),
            cells: vec![column.leaf_of(random.below(3) as u32)],
        };
        let records: Vec<Record> = (0..2 + random.below(6)).map(|_| record(&mut random)).collect();
        let small = SmallHistory {
            columns: vec![("ill", column.clone())],
            releases: vec![PublishedRelease { has_group_column: random.below(2) == 0, records: records.clone() }],
        };
        let (any, assignments) = enumerate_assignments(&records);
        let bound = Fraction::new(1, 2);
        let units = vec![("ill".to_owned(), Unit::Record)];
        let question = AuditOptions { confidence: Some(Ratio::new(1, 2)), units, ..AuditOptions::default() };
        let found = audit(&small.history(), &question).unwrap();
        let result = &found.columns[0];
        let of_record = |record: &Record| {
            let members = records.iter().filter(|other| other.group == record.group);
            let largest = (1..=3).map(|value| members.clone().filter(|other| other.cells[0] == value).count()).max();
            Fraction::new(largest.unwrap() as u128, members.count() as u128)
        };
        let owners: BTreeSet<u128> = records.iter().map(|record| record.person).collect();
        let (mut highest, mut highest_record) = (Fraction::new(0, 1), Fraction::new(0, 1));
        let (mut certain, mut above, mut any_above) = (0, 0, 0);
        for person in &owners {
            let own: Vec<&Record> = records.iter().filter(|record| record.person == *person).collect();
            let max_any = any
                .iter()
                .filter(|((other, _), _)| other == person)
                .map(|(_, assignments)| *assignments)
                .max()
                .unwrap();
            let max_any = Fraction::new(max_any, assignments);
            let max_record = own.iter().map(|record| of_record(record)).max().unwrap();
            (highest, highest_record) = (highest.max(max_any), highest_record.max(max_record));
            let is_above = max_record > bound || max_any == Fraction::ONE;
            certain += u64::from(max_any == Fraction::ONE);
            above += u64::from(is_above);
            any_above += u64::from(!is_above && max_any > bound);
            several += usize::from(own.len() > 1);
            certain_by_several += usize::from(max_any == Fraction::ONE && max_record < Fraction::ONE);
        }
        any_only += any_above;
        let context = format!("instance {instance}: {records:?} {result:?}");
        assert_eq!((result.highest.lower, result.highest.upper), (highest, highest), "{context}");
        assert_eq!(
            (result.highest_record.lower, result.highest_record.upper),
            (highest_record, highest_record),
            "{context}"
        );
        assert_eq!((result.people, result.certain), (owners.len() as u64, certain), "{context}");
        assert_eq!(
            (result.above, result.may_be_above, result.any_record_above),
            (above, above, any_above),
            "{context}"
        );
        assert_eq!(result.exact, result.people, "{context}");
        // The first of the worst cases has the highest posterior.
        assert_eq!(found.worst[0].posterior.lower, highest, "{context}");
    }
    assert!(several > 1_000 && certain_by_several > 50 && any_only > 100, "{several} {certain_by_several} {any_only}");
}
