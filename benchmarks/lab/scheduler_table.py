"""`python -m benchmarks.lab.scheduler_table`: trained schedulers beside routing by rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from runvitals.lab.envs import cluster as routing
from runvitals.lab.envs.cluster import Service, serve
from runvitals.lab.scheduler import HELD_OUT
from runvitals.lab.scheduler_faults import TASKS
from runvitals.lab.scheduler_learner import SchedulerConfig
from runvitals.lab.scheduler_output import train_scheduler


def routing_table(config: SchedulerConfig, seeds: Sequence[int]) -> str:
    """Rules and trained schedulers on the same held-out arrivals, as a Markdown table.

    Means over the seeds; each has arrivals and a training of its own.
    """
    rows: dict[str, list[Service]] = {}
    for seed in seeds:
        with TemporaryDirectory() as folder:
            trained = train_scheduler(
                replace(config, seed=seed), Path(folder, "lab", "run"), console=False
            )
        routers = {
            "random": routing.at_random(np.random.default_rng(seed)),
            "round-robin": routing.round_robin(),
            "shortest-queue": routing.shortest_queue,
            "least-wait": routing.least_wait,
            "PPO": trained.router,
        }
        for name, router in routers.items():
            arrivals = HELD_OUT + 1 + seed
            rows.setdefault(name, []).append(serve(config.workload, router, seed=arrivals))
    lines = [
        "| scheduler | mean latency (s) | p95 latency (s) | requests/s | latency against round-robin |",
        "|---|---|---|---|---|",
    ]
    plain = np.mean([service.latency_mean for service in rows["round-robin"]])
    for name, services in rows.items():
        mean, p95, speed = (np.mean([service[i] for service in services]) for i in range(3))
        lines.append(f"| {name} | {mean:.2f} | {p95:.2f} | {speed:.2f} | {mean / plain - 1:+.1%} |")
    return "\n".join(lines)


if __name__ == "__main__":
    for task in TASKS:
        print(f"{task.name}: {task.title}\n")
        print(routing_table(SchedulerConfig(**task.settings), range(5)), "\n")
