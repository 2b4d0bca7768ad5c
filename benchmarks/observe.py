"""What the hooks of `runvitals run` cost a training loop: `add_scalar` with and without them.

Each round runs in a process of its own, hooked and not by turns; the best round of each counts, since
noise only ever adds. What counts is CPU time of the training's thread: on a busy machine the wall clock
says nothing. The share is that of a step of 50 ms which logs ten scalars, as CleanRL does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time

ROUNDS = 3
SCALARS, STEPS = 10, 500
STEP_SECONDS = 0.05
TARGET = 0.01  # of a step


def measure(hooked: bool) -> float:
    """Seconds per scalar in the loop."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if hooked:
            import runvitals as rv

            quiet = {"tensorboard": False, "judge": False, "system": False}
            run = rv.capture("bench", **quiet)
        from tensorboardX import SummaryWriter

        writer = SummaryWriter("logs")
        names = [f"losses/metric_{i}" for i in range(SCALARS)]
        for name in names:
            writer.add_scalar(name, 0.0, 0)  # files and threads begin
        spent = 0.0
        for step in range(1, STEPS):
            begin = time.thread_time()
            for name in names:
                writer.add_scalar(name, step * 0.5, step)
            spent += time.thread_time() - begin
            time.sleep(0.0005)
        writer.close()
        if hooked:
            run.finish()
            assert not run.problems, run.problems
        os.chdir("/")
        return spent / (SCALARS * (STEPS - 1))


def main() -> None:
    best: dict[str, float] = {}
    for _ in range(ROUNDS):
        for kind in ("plain", "hooked"):
            words = [sys.executable, "-m", "benchmarks.observe", kind]
            done = subprocess.run(words, capture_output=True, text=True, check=True)
            best[kind] = min(best.get(kind, 1.0), json.loads(done.stdout.splitlines()[-1]))
    added = best["hooked"] - best["plain"]
    share = SCALARS * added / STEP_SECONDS
    print(f"add_scalar of tensorboardX      {1e6 * best['plain']:8.1f} µs")
    print(f"the same, hooked                {1e6 * best['hooked']:8.1f} µs")
    print(f"added by the hook               {1e6 * added:8.1f} µs")
    print(
        f"share of a step of {1e3 * STEP_SECONDS:.0f} ms with {SCALARS} scalars: {share:.3%}",
        end="",
    )
    print(f" (target: below {TARGET:.0%})")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(sys.argv[1] == "hooked")))
    else:
        main()
