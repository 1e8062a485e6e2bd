"""What bench_python.py measures, each in a process of its own.

  python_peer.py convert CSV PARQUET                     writes the table as Parquet
  python_peer.py frame PARQUET POLICY FOLDER             only reads the frame
  python_peer.py publish PARQUET POLICY FOLDER OUTPUT    plans a release of the frame and publishes it
"""

import json
import sys
import time

import polars


def main():
    what, data, *rest = sys.argv[1:]
    if what == "convert":
        polars.read_csv(data, infer_schema=False).write_parquet(rest[0])
        return
    frame = polars.read_parquet(data)
    figures = {"bytes": frame.estimated_size()}
    if what == "publish":
        figures |= publish(frame, *rest)
    print(json.dumps(figures))


def publish(frame, policy, folder, output):
    import reticent

    ledger = reticent.Ledger.open(f"{folder}/ledger", policy=reticent.Policy.read(policy), create=True)
    wall, cpu = time.perf_counter(), time.process_time()
    plan = ledger.plan(frame, to="public", name="bench")
    planned = time.perf_counter() - wall
    release = plan.publish(output=output)
    return {
        "seconds": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "plan": planned,
        "hash": release.sha256,
    }


if __name__ == "__main__":
    main()
