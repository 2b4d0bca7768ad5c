"""The list of runs beside them in a bucket: one read for thousands of runs.

    python -m benchmarks.fleet.listing [--runs 10000] [--live 20]

On moto's S3 server: writes the list as shippers do, then reads it, and what `serve` does first.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from benchmarks.fleet.shipping import store
from runvitals.remote.mirror import mirror_of
from runvitals.remote.run_list import FORMAT, LIST, RemoteRunList
from runvitals.store.files import dumps
from runvitals.store.objects.store import open_objects


def entry(number, status):
    """What the list says about a run."""
    return {
        "key": f"project-{number % 50}/run-{number}",
        "id": f"run-{number}",
        "name": f"ppo lr 3e-4 seed {number}",
        "project": f"project-{number % 50}",
        "status": status,
        "started": 1e9 + number,
        "ended": 1e9 + number + 3600,
        "framework": "stable-baselines3",
        "algorithm": "PPO",
        "tags": ["sweep"],
        "series": 60,
        "points": 600_000,
        "last_step": 1_000_000,
        "noted": time.time(),
    }


def main():
    """Measure the first and a later read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--live", type=int, default=20)
    given = parser.parse_args()
    with store() as (url, _):
        objects = open_objects(url)
        ended = [entry(number, "finished") for number in range(given.runs)]
        content = dumps({"format": FORMAT, "runs": ended})
        objects.put(LIST, content)
        for number in range(given.live):
            RemoteRunList(objects).note(entry(given.runs + number, "running"), final=False)
        objects.requests.clear()
        cpu, begin = time.process_time(), time.perf_counter()
        found = RemoteRunList(objects).entries()
        print(
            f"{len(found):,} runs listed in {time.perf_counter() - begin:.2f} s "
            f"({time.process_time() - cpu:.2f} s of CPU), {len(content) / 1e6:.1f} MB, "
            f"requests {dict(objects.requests)}"
        )
        with tempfile.TemporaryDirectory() as cache:
            for title in ("begins to serve them", "begins once more", "looks again"):
                if title != "looks again":
                    mirror = mirror_of(url, Path(cache), lazily=True)
                mirror.objects.requests.clear()
                cpu, begin = time.process_time(), time.perf_counter()
                mirror.sync()
                taken, used = time.perf_counter() - begin, time.process_time() - cpu
                asked = dict(mirror.objects.requests)
                print(f"`serve` {title}: {taken:.2f} s ({used:.2f} s of CPU), requests {asked}")


if __name__ == "__main__":
    main()
