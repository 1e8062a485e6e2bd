"""Makes a large table that looks like a census, by a seed: `census.py ROWS FILE`.

Eight categorical columns of 2 to 41 values, skewed and dependent on each other. The weights are rough shares of the kind
seen in the Adult data, not taken from it record by record; whoever runs this twice gets the same bytes.
Runs in a process of its own, so that the memory numpy takes is not counted for the processes that are measured.
"""

import os
import sys
from pathlib import Path

import numpy
import polars

SEED = 20060820
CHUNK = 250_000

SEX = {"Male": 67, "Female": 33}
COUNTRY = {
    "United-States": 9120, "Mexico": 202, "Philippines": 62, "Germany": 42, "Puerto-Rico": 36, "Canada": 35, "India": 33,
    "El-Salvador": 33, "Cuba": 30, "England": 28, "Jamaica": 26, "South": 24, "Italy": 22, "China": 22,
    "Dominican-Republic": 22, "Vietnam": 21, "Guatemala": 21, "Japan": 20, "Poland": 19, "Columbia": 19, "Iran": 14,
    "Taiwan": 14, "Haiti": 14, "Portugal": 11, "Nicaragua": 11, "Peru": 10, "Greece": 10, "Ecuador": 9, "France": 9,
    "Ireland": 8, "Hong": 6, "Cambodia": 6, "Trinadad&Tobago": 6, "Thailand": 6, "Laos": 6, "Yugoslavia": 5,
    "Outlying-US(Guam-USVI-etc)": 5, "Hungary": 4, "Honduras": 4, "Scotland": 4, "Holand-Netherlands": 1,
}  # fmt: skip
RACE = {"White": 860, "Black": 93, "Asian-Pac-Islander": 30, "Amer-Indian-Eskimo": 9, "Other": 8}
EDUCATION = {
    "HS-grad": 326, "Some-college": 221, "Bachelors": 167, "Masters": 54, "Assoc-voc": 43, "11th": 35, "Assoc-acdm": 33,
    "10th": 27, "7th-8th": 19, "Prof-school": 18, "9th": 15, "12th": 13, "Doctorate": 12, "5th-6th": 10, "1st-4th": 5,
    "Preschool": 2,
}  # fmt: skip
MARITAL = {
    "Married-civ-spouse": 466, "Never-married": 322, "Divorced": 140, "Separated": 31, "Widowed": 27,
    "Married-spouse-absent": 12, "Married-AF-spouse": 2,
}  # fmt: skip
RELATIONSHIP = {"Husband": 413, "Not-in-family": 256, "Own-child": 148, "Unmarried": 107, "Wife": 47, "Other-relative": 29}
OCCUPATION = {
    "Prof-specialty": 134, "Craft-repair": 134, "Exec-managerial": 132, "Adm-clerical": 123, "Sales": 119,
    "Other-service": 107, "Machine-op-inspct": 65, "Transport-moving": 52, "Handlers-cleaners": 45, "Farming-fishing": 33,
    "Tech-support": 30, "Protective-serv": 21, "Priv-house-serv": 5, "Armed-Forces": 1,
}  # fmt: skip
WORKCLASS = {
    "Private": 739, "Self-emp-not-inc": 83, "Local-gov": 69, "State-gov": 42, "Self-emp-inc": 36, "Federal-gov": 31,
    "Without-pay": 1,
}  # fmt: skip

# Where one value makes others more or less likely: value -> {value of the dependent column: factor}.
ASIA = ["Philippines", "India", "China", "Vietnam", "Japan", "Taiwan", "Hong", "Cambodia", "Thailand", "Laos"]
CARIBBEAN = ["Jamaica", "Haiti", "Trinadad&Tobago"]
RACE_BY_COUNTRY = {country: {"Asian-Pac-Islander": 300} for country in ASIA}
RACE_BY_COUNTRY |= {country: {"Black": 100} for country in CARIBBEAN}
RACE_BY_COUNTRY |= {country: {"Other": 20} for country in ["Mexico", "El-Salvador", "Puerto-Rico", "Columbia", "Ecuador"]}
EDUCATION_BY_COUNTRY = {
    "Mexico": {"1st-4th": 20, "5th-6th": 25, "7th-8th": 5, "9th": 4, "Bachelors": 0.3, "Masters": 0.2},
    "Guatemala": {"1st-4th": 15, "5th-6th": 20, "7th-8th": 4},
    "India": {"Masters": 6, "Doctorate": 8, "Prof-school": 5, "Bachelors": 2},
    "China": {"Masters": 4, "Doctorate": 9},
    "Philippines": {"Bachelors": 2.5},
}
MARITAL_BY_SEX = {
    "Male": {"Married-civ-spouse": 1.35, "Widowed": 0.3, "Divorced": 0.7},
    "Female": {"Married-civ-spouse": 0.33, "Widowed": 2.6, "Divorced": 1.7, "Separated": 1.8, "Never-married": 1.35},
}
RELATIONSHIP_BY_SEX = {"Male": {"Wife": 0, "Unmarried": 0.4}, "Female": {"Husband": 0, "Unmarried": 2.2, "Wife": 8}}
UNMARRIED = ["Never-married", "Divorced", "Separated", "Widowed", "Married-spouse-absent"]
RELATIONSHIP_BY_MARITAL = {marital: {"Husband": 0, "Wife": 0} for marital in UNMARRIED} | {
    "Married-civ-spouse": {"Husband": 40, "Wife": 15, "Not-in-family": 0.05, "Own-child": 0.2, "Unmarried": 0},
    "Married-AF-spouse": {"Husband": 10, "Wife": 10, "Unmarried": 0},
}
RELATIONSHIP_BY_MARITAL["Never-married"] |= {"Own-child": 3, "Unmarried": 0.6}
LITTLE_SCHOOL = ["Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th"]
MUCH_SCHOOL = ["Bachelors", "Masters", "Prof-school", "Doctorate"]
OCCUPATION_BY_EDUCATION = {
    education: {"Prof-specialty": 0.1, "Exec-managerial": 0.3, "Handlers-cleaners": 2, "Machine-op-inspct": 2, "Other-service": 2}
    for education in LITTLE_SCHOOL
} | {
    education: {"Prof-specialty": 5, "Exec-managerial": 2.5, "Craft-repair": 0.3, "Handlers-cleaners": 0.1, "Machine-op-inspct": 0.1}
    for education in MUCH_SCHOOL
}
OCCUPATION_BY_SEX = {
    "Male": {"Adm-clerical": 0.5, "Priv-house-serv": 0.1, "Craft-repair": 1.4, "Other-service": 0.7},
    "Female": {"Adm-clerical": 2, "Priv-house-serv": 3, "Craft-repair": 0.15, "Transport-moving": 0.2, "Armed-Forces": 0},
}
WORKCLASS_BY_OCCUPATION = {
    "Farming-fishing": {"Self-emp-not-inc": 5, "Without-pay": 6},
    "Protective-serv": {"Local-gov": 12, "State-gov": 5, "Private": 0.4},
    "Prof-specialty": {"Local-gov": 2.5, "State-gov": 2.5},
    "Exec-managerial": {"Self-emp-inc": 2.5, "Self-emp-not-inc": 1.3},
    "Armed-Forces": {"Private": 0, "Federal-gov": 100, "Self-emp-not-inc": 0, "Self-emp-inc": 0, "Local-gov": 0, "State-gov": 0},
}

# In the order of drawing: the column, its weights, and the columns it depends on with their factors.
DRAWN = [
    ("sex", SEX, {}),
    ("native-country", COUNTRY, {}),
    ("race", RACE, {"native-country": RACE_BY_COUNTRY}),
    ("education", EDUCATION, {"native-country": EDUCATION_BY_COUNTRY}),
    ("marital-status", MARITAL, {"sex": MARITAL_BY_SEX}),
    ("relationship", RELATIONSHIP, {"sex": RELATIONSHIP_BY_SEX, "marital-status": RELATIONSHIP_BY_MARITAL}),
    ("occupation", OCCUPATION, {"sex": OCCUPATION_BY_SEX, "education": OCCUPATION_BY_EDUCATION}),
    ("workclass", WORKCLASS, {"occupation": WORKCLASS_BY_OCCUPATION}),
]
VALUES = {column: list(weights) for column, weights, _ in DRAWN}

# In the order of the file.
COLUMNS = ["sex", "race", "workclass", "relationship", "marital-status", "occupation", "education", "native-country"]


def chunk(rows, number):
    """Some rows, as codes by column."""
    random = numpy.random.default_rng([SEED, number])
    drawn = {}
    for column, weights, depends in DRAWN:
        drawn[column] = draw(random.random(rows), column, weights, depends, drawn)
    return drawn


def draw(uniform, column, weights, depends, drawn):
    """Codes of one column, given those of the columns it depends on."""
    base = numpy.array(list(weights.values()), dtype=float)
    groups = numpy.zeros(len(uniform), dtype=numpy.int64)
    factors = base[numpy.newaxis, :]
    for parent, table in depends.items():
        by_value = numpy.array([[table.get(value, {}).get(own, 1) for own in weights] for value in VALUES[parent]])
        groups = groups * len(by_value) + drawn[parent]
        factors = (factors[:, numpy.newaxis, :] * by_value[numpy.newaxis, :, :]).reshape(-1, len(base))
    codes = numpy.zeros(len(uniform), dtype=numpy.uint32)
    for group, shares in enumerate(factors):
        here = groups == group
        bounds = numpy.cumsum(shares) / shares.sum()
        codes[here] = numpy.minimum(numpy.searchsorted(bounds, uniform[here], side="right"), len(base) - 1)
    return codes


def write(rows, path):
    """Writes the table under another name, and gives it its own when it is whole."""
    partial = path.with_suffix(".partial")
    with open(partial, "wb") as file:
        for number, start in enumerate(range(0, rows, CHUNK)):
            codes = chunk(min(CHUNK, rows - start), number)
            names = {column: polars.Series(VALUES[column]).gather(polars.Series(codes[column])) for column in COLUMNS}
            polars.DataFrame(names).write_csv(file, include_header=number == 0)
    os.replace(partial, path)


if __name__ == "__main__":
    write(int(sys.argv[1]), Path(sys.argv[2]))
