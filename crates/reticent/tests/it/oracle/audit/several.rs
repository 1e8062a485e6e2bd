//! People with several records in one release, by dealing its records in every way.

use std::collections::{BTreeMap, BTreeSet};

use reticent::Ratio;
use reticent::audit::{AuditOptions, audit};
use reticent::taxonomy::NodeId;
use reticent_inference::Fraction;

use super::{Published, Record, Small, flat};
use crate::support::Random;

/// All different orders of these values.
fn orders(values: &[NodeId]) -> Vec<Vec<NodeId>> {
    let Some(_) = values.first() else { return vec![Vec::new()] };
    let different: BTreeSet<NodeId> = values.iter().copied().collect();
    let mut all = Vec::new();
    for first in different {
        let mut rest = values.to_vec();
        rest.remove(values.iter().position(|value| *value == first).unwrap());
        all.extend(orders(&rest).into_iter().map(|order| [vec![first], order].concat()));
    }
    all
}

/// By person and value: in how many deals any record of theirs shows it; and the number of deals.
fn dealt(records: &[Record]) -> (BTreeMap<(u128, NodeId), u128>, u128) {
    let groups: BTreeSet<usize> = records.iter().map(|record| record.group).collect();
    let mut deals: Vec<BTreeSet<(u128, NodeId)>> = vec![BTreeSet::new()];
    for group in groups {
        let here: Vec<&Record> = records.iter().filter(|record| record.group == group).collect();
        let values: Vec<NodeId> = here.iter().map(|record| record.cells[0]).collect();
        let mut more = Vec::new();
        for order in orders(&values) {
            let shown = here.iter().zip(&order).map(|(record, value)| (record.who, *value));
            let shown: BTreeSet<(u128, NodeId)> = shown.collect();
            more.extend(deals.iter().map(|deal| deal.union(&shown).copied().collect()));
        }
        deals = more;
    }
    let mut any = BTreeMap::new();
    deals.iter().flatten().for_each(|shown| *any.entry(*shown).or_insert(0) += 1);
    (any, deals.len() as u128)
}

#[test]
fn any_of_several_records_by_all_deals() {
    let mut random = Random(0x5e7e_4a11);
    let (mut several, mut certain_by_several, mut beside) = (0, 0, 0);
    for instance in 0..1_500 {
        let column = flat(&["a", "b", "c"]);
        let (people, groups) = (2 + random.below(3), 1 + random.below(2));
        let record = |random: &mut Random| Record {
            who: 1 + random.below(people) as u128,
            group: random.below(groups),
            cells: vec![column.leaf_of(random.below(3) as u32)],
        };
        let records: Vec<Record> = (0..2 + random.below(6)).map(|_| record(&mut random)).collect();
        let small = Small {
            columns: vec![("ill", column.clone())],
            releases: vec![Published { marked: random.below(2) == 0, records: records.clone() }],
        };
        let (any, deals) = dealt(&records);
        let allowed = Fraction::new(1, 2);
        let question = AuditOptions { confidence: Some(Ratio::new(1, 2)), ..AuditOptions::default() };
        let found = audit(&small.history(), &question).unwrap();
        let told = &found.columns[0];
        let of_record = |record: &Record| {
            let here = records.iter().filter(|other| other.group == record.group);
            let most = (1..=3).map(|value| here.clone().filter(|other| other.cells[0] == value).count()).max();
            Fraction::new(most.unwrap() as u128, here.count() as u128)
        };
        let who: BTreeSet<u128> = records.iter().map(|record| record.who).collect();
        let (mut highest, mut highest_record) = (Fraction::new(0, 1), Fraction::new(0, 1));
        let (mut certain, mut above, mut any_above) = (0, 0, 0);
        for who in &who {
            let own: Vec<&Record> = records.iter().filter(|record| record.who == *who).collect();
            let most_any = any.iter().filter(|((other, _), _)| other == who).map(|(_, deals)| *deals).max().unwrap();
            let most_any = Fraction::new(most_any, deals);
            let most_record = own.iter().map(|record| of_record(record)).max().unwrap();
            (highest, highest_record) = (highest.max(most_any), highest_record.max(most_record));
            let is_above = most_record > allowed || most_any == Fraction::ONE;
            certain += u64::from(most_any == Fraction::ONE);
            above += u64::from(is_above);
            any_above += u64::from(!is_above && most_any > allowed);
            several += usize::from(own.len() > 1);
            certain_by_several += usize::from(most_any == Fraction::ONE && most_record < Fraction::ONE);
        }
        beside += any_above;
        let context = format!("instance {instance}: {records:?} {told:?}");
        assert_eq!((told.highest.lower, told.highest.upper), (highest, highest), "{context}");
        assert_eq!(
            (told.highest_record.lower, told.highest_record.upper),
            (highest_record, highest_record),
            "{context}"
        );
        assert_eq!((told.people, told.certain), (who.len() as u64, certain), "{context}");
        assert_eq!((told.above, told.may_be_above, told.any_record_above), (above, above, any_above), "{context}");
        assert_eq!(told.exact, told.people, "{context}");
        // The worst case is the worst.
        assert_eq!(found.worst[0].posterior.lower, highest, "{context}");
    }
    assert!(several > 1_000 && certain_by_several > 50 && beside > 100, "{several} {certain_by_several} {beside}");
}
