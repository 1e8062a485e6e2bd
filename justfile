# The longer evidence. `just` lists it.

default:
    @just --list

# What CI runs.
ci:
    bash .ci/run

# All tests.
test:
    ./run-tests

# The tests of the Python package.
python:
    ./run-tests python

# The wheel of the Python package, in target/wheels.
wheel:
    python3 -m pip wheel --no-deps --wheel-dir target/wheels ./crates/reticent-python

# Fuzz the CSV source, the policy and the taxonomy parser, so many seconds each.
fuzz seconds="600":
    bash fuzz/run {{seconds}}

# Benchmarks against peers, side by side in one run; needs Python 3 and its packages, which it installs in a folder of its own.
bench:
    bash bench/run

# A quick look at inference over several releases and at publishing again, about a minute once everything is built.
bench-short:
    bash bench/run audit --short
    bash bench/run again --short --part adult
    bash bench/paper/inference2009 --short

# The experiments of the papers, rebuilt and compared; needs the Adult data.
paper:
    bash bench/paper/kdd2006
    bash bench/paper/inference2009

# Random histories against an independent brute force: identity risk, several records per person. Needs Python 3 only.
identity histories="200":
    cargo build --release -q -p reticent-cli
    python3 bench/oracle/oracle.py selfcheck
    RETICENT="$PWD/target/release/reticent" python3 bench/oracle/compare.py {{histories}} 0 abcdef
    RETICENT="$PWD/target/release/reticent" python3 bench/oracle/publish.py {{histories}}

# Random histories against all full-domain recodings: false safe releases, needless refusals. Needs Python 3 only.
refusals histories="350":
    bash bench/run refusals {{histories}}

# What an attacker infers who can run the algorithm: random tiny tables by brute force. Needs Python 3 only.
trimming tables="60":
    cargo build --release -q -p reticent-cli
    RETICENT="$PWD/target/release/reticent" python3 bench/oracle/trimming.py {{tables}}

# The reference page, the JSON Schema and the page of error codes, generated from the code.
reference:
    cargo run --release -q -p reticent-app --example errors_page > docs/errors.md
    cargo run --release -q -p reticent-cli -- catalogue --markdown > docs/reference.md
    cargo run --release -q -p reticent-cli -- schema > docs/reticent.schema.json
