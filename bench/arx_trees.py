"""The trees of the Adult data grouped as ARX's own Adult hierarchies group them, written down as facts in our own form.

Source  the repository arx-deidentifier/arx, files data/adult_hierarchy_*.csv, read in a stored copy (education at commit
        9e214f86, marital-status and salary-class a5ccb7b0, native-country 20f97249, age 52a2d8e5, occupation a5ccb7b0,
        workclass 5c3c99f5, race c64cb732, sex 6af2df24). The files themselves are not copied; labels are ours where they
        do not matter.
Levels  counted with the values and the root: sex 2, age 5, race 2, marital-status 3, education 4, native-country 3,
        workclass 3, occupation 3, salary-class 2. The README of arx-deidentifier/genetic-benchmark lists the same.
England that copy of native-country files England under a group of its own, "Europa", an apparent slip for "Europe".
        Here it is in Europe: an exhaustive search over the 12,960 nodes of that lattice (check_arx_trees.py) then finds
        the figures reported for ARX to the last digit (k=5: 24 classes, GCP .636; up to 5 % suppressed: 397 classes,
        GCP .270), and with the slip 398 classes and .271. The reported figures thus fit the corrected tree only.
Age     leaves 1 to 100, in intervals of 5, 10 and 20 that start at 1 (ARX labels 1 to 5 "0-4", and so on).

The leaves are those of ARX's files, also the ones that the data does not hold (ages below 17, Never-worked): they count in
GCP, which divides by the leaves of the tree.
"""

ROOT = "ANY"

# By column: a group of groups, or of values, down to the values. A list of values directly below the root has no groups.
GROUPS = {
    "sex": ["Male", "Female"],
    "race": ["White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"],
    "salary-class": ["<=50K", ">50K"],
    "marital-status": {
        "Spouse present": ["Married-civ-spouse", "Married-AF-spouse"],
        "Spouse absent": ["Never-married", "Divorced", "Separated", "Widowed", "Married-spouse-absent"],
    },
    "education": {
        "Primary": {"Primary school": ["Preschool", "1st-4th", "5th-6th"]},
        "Secondary": {"High school": ["7th-8th", "9th", "10th", "11th", "12th", "HS-grad"]},
        "Higher": {
            "Undergraduate": ["Some-college", "Bachelors"],
            "Professional": ["Assoc-voc", "Assoc-acdm", "Prof-school"],
            "Graduate": ["Masters", "Doctorate"],
        },
    },
    "workclass": {
        "Government": ["Federal-gov", "State-gov", "Local-gov"],
        "Not government": ["Private", "Self-emp-inc", "Self-emp-not-inc"],
        "Unpaid": ["Without-pay", "Never-worked"],
    },
    "occupation": {
        "Technical": ["Tech-support", "Craft-repair", "Prof-specialty", "Machine-op-inspct"],
        "Not technical": ["Sales", "Exec-managerial", "Handlers-cleaners"],
        "Remaining": [
            "Adm-clerical", "Armed-Forces", "Farming-fishing", "Other-service", "Priv-house-serv", "Protective-serv",
            "Transport-moving",
        ],
    },
    "native-country": {
        "North America": [
            "United-States", "Canada", "Mexico", "Puerto-Rico", "Outlying-US(Guam-USVI-etc)", "Cuba", "Jamaica", "Haiti",
            "Dominican-Republic", "Guatemala", "Honduras", "El-Salvador",
        ],
        "South America": ["Columbia", "Ecuador", "Nicaragua", "Peru", "Trinadad&Tobago"],
        "Europe": [
            "England", "Scotland", "Ireland", "France", "Germany", "Holand-Netherlands", "Italy", "Portugal", "Greece",
            "Poland", "Hungary", "Yugoslavia",
        ],
        "Asia": [
            "China", "Hong", "Taiwan", "Japan", "India", "Iran", "Cambodia", "Laos", "Philippines", "Thailand", "Vietnam",
        ],
        "Africa": ["South"],
    },
}

AGES = range(1, 101)
AGE_WIDTHS = [5, 10, 20]

LEVELS = {
    "sex": 2, "age": 5, "race": 2, "marital-status": 3, "education": 4, "native-country": 3, "workclass": 3, "occupation": 3,
    "salary-class": 2,
}  # fmt: skip


def paths(column):
    """One path a leaf: the value, the groups above it, the root."""
    if column == "age":
        return [[str(age), *(interval(age, width) for width in AGE_WIDTHS), ROOT] for age in AGES]
    return below(GROUPS[column], [ROOT])


def below(groups, above):
    if isinstance(groups, list):
        return [[value, *above] for value in groups]
    return [path for group, members in groups.items() for path in below(members, [group, *above])]


def interval(age, width):
    low = AGES.start + (age - AGES.start) // width * width
    return f"{low} to {low + width - 1}"


def check():
    """Every tree has the expected number of levels, the same at every leaf, and no value twice."""
    for column, levels in LEVELS.items():
        leaves = paths(column)
        assert {len(path) for path in leaves} == {levels}, column
        assert len({path[0] for path in leaves}) == len(leaves), column


def leaves_below(column):
    """By node: how many leaves lie below it."""
    count = {}
    for path in paths(column):
        for node in path:
            count[node] = count.get(node, 0) + 1
    return count


def write(column, file):
    """Writes a taxonomy file: one row a value, from the value to the root."""
    file.write_text("".join(";".join(path) + "\n" for path in paths(column)))


check()
