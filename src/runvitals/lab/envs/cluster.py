"""A cluster that serves a language model: requests arrive in bursts and are routed to replicas.

Each replica runs a few requests side by side and queues the others, first come, first served. What
runs beside others decodes more slowly. Replicas differ in speed, and how long an answer will be is
only guessed at when a request arrives: that is what makes routing hard.

Many clusters are stepped together, with one routing decision in each per step. Since a queue never
overtakes, a request's start and end are known to the simulation as soon as it has been routed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.integer[Any]]

SERVED = 32  # clusters of an evaluation
FILLING = 50  # requests of an evaluation that only fill the queues
RATE_MEMORY = 0.9  # of the smoothed arrival rate, per request


@dataclass(frozen=True)
class Workload:
    """What the cluster is made of and what comes in. Speed 1 is a plain replica; times in seconds."""

    speeds: tuple[float, ...] = (1.5, 1.1, 0.8, 0.6)
    load: float = 0.75  # mean arrivals as a share of what the whole cluster can serve
    burst: float = 2.5  # arrivals in a burst, as a multiple of those in calm times
    burst_seconds: float = 15.0  # how long a burst lasts, on average
    calm_seconds: float = 35.0
    prompt_tokens: float = 500.0  # mean; lengths are log-normal, so some are very long
    prompt_spread: float = 1.0
    output_tokens: float = 200.0
    output_spread: float = 0.8
    size_error: float = 0.4  # spread of the guess at a request's output length
    slots: int = 4  # requests that a replica runs side by side
    prefill_rate: float = 6000.0  # prompt tokens per second
    decode_rate: float = 50.0  # output tokens per second and request, when it runs alone
    crowding: float = 0.15  # slowdown per request that runs beside it
    queue_limit: int = 64  # requests at a replica; when there are this many it turns others away
    timeout: float = 300.0  # what a request that was turned away costs its sender

    @property
    def mean_work(self) -> float:
        """Seconds that a plain replica takes for an average request when all its slots are busy."""
        decode = self.output_tokens / self.decode_rate * (1.0 + self.crowding * (self.slots - 1))
        return self.prompt_tokens / self.prefill_rate + decode

    @property
    def capacity(self) -> float:
        """Requests per second that the whole cluster can serve."""
        return sum(self.speeds) * self.slots / self.mean_work

    @property
    def rates(self) -> tuple[float, float]:
        """Arrivals per second in calm times and in bursts."""
        burst_share = self.burst_seconds / (self.burst_seconds + self.calm_seconds)
        calm = self.load * self.capacity / (1.0 + burst_share * (self.burst - 1.0))
        return calm, calm * self.burst


class Routed(NamedTuple):
    """What one round of decisions led to, an entry per cluster."""

    latency: Numbers  # from arrival to the last token, in seconds
    wait: Numbers  # the part of it spent in the queue
    rejected: NDArray[np.bool_]  # the replica was full
    finished: Integers  # requests that ended before the next arrival
    elapsed: Numbers  # seconds until the next arrival


class Cluster:
    """`count` independent clusters under one workload; in each, one request waits to be routed."""

    def __init__(self, workload: Workload, count: int, rng: np.random.Generator) -> None:
        self.workload = workload
        self.count = count
        self.replicas = len(workload.speeds)
        self.observation_size = 4 * self.replicas + 4
        self.rng = rng
        self.slowdown: Numbers = np.ones(self.replicas)  # above 1: slower than anyone knows
        self._speeds = np.array(workload.speeds)
        self._rows = np.arange(count)
        places = (count, self.replicas)
        self._now = np.zeros(count)
        self._bursting = np.zeros(count, np.bool_)
        self._free_at = np.zeros((*places, workload.slots))
        remembered = workload.queue_limit + 2 * workload.slots  # the oldest of these have ended
        self._finish = np.zeros((*places, remembered))
        self._guess = np.zeros((*places, remembered))  # guessed work of each request
        self._at = np.zeros(places, np.int64)
        self._gap = np.full(count, 1.0 / workload.rates[0])  # smoothed time between arrivals
        self._in_flight = np.zeros(count, np.int64)
        self._arrive()

    def use(self, workload: Workload) -> None:
        """Go on under another workload; it must have as many replicas, slots and places."""
        self.workload = workload

    def _arrive(self) -> None:
        """Wait for the next request everywhere, and look at what is left of the others."""
        load, rng, count = self.workload, self.rng, self.count
        gaps, switches = rng.standard_exponential((2, count))
        sizes = rng.standard_normal((3, count))
        calm, burst = load.rates
        self.elapsed = gaps / np.where(self._bursting, burst, calm)
        stay = np.where(self._bursting, load.burst_seconds, load.calm_seconds)
        self._bursting ^= switches * stay < self.elapsed
        self._now = self._now + self.elapsed
        self._gap = RATE_MEMORY * self._gap + (1.0 - RATE_MEMORY) * self.elapsed
        self.prompt = _log_normal(sizes[0], load.prompt_tokens, load.prompt_spread)
        self.output = _log_normal(sizes[1], load.output_tokens, load.output_spread)
        self.guessed_output = self.output * np.exp(load.size_error * sizes[2])
        alive = self._finish > self._now[:, None, None]
        self.queue = alive.sum(axis=2)
        self.backlog = (self._guess * alive).sum(axis=2)  # seconds of a plain replica
        self._in_flight = self.queue.sum(axis=1)

    @property
    def arrival_rate(self) -> Numbers:
        """Requests per second, smoothed."""
        return 1.0 / self._gap

    @property
    def utilisation(self) -> Numbers:
        """Smoothed arrivals as a share of what can be served."""
        return self.arrival_rate / self.workload.capacity

    @property
    def estimated_wait(self) -> Numbers:
        """Seconds until each replica has a free slot, as far as anyone can tell."""
        slots = self.workload.slots
        ahead = np.maximum(self.queue - slots + 1, 0) / np.maximum(self.queue, 1)
        return ahead * self.backlog / (self._speeds * slots)

    def _work(self, output: Numbers, beside: int | Integers) -> Numbers:
        """Seconds that a plain replica takes for the waiting request."""
        load = self.workload
        crowded = 1.0 + load.crowding * beside
        return self.prompt / load.prefill_rate + output / load.decode_rate * crowded

    @property
    def guessed_work(self) -> Numbers:
        """Seconds that a busy plain replica may take for the waiting request."""
        return self._work(self.guessed_output, self.workload.slots - 1)

    def observe(self) -> NDArray[np.float32]:
        """Per replica: queue, backlog, estimated wait, speed; then the request and the arrivals."""
        request = np.stack(
            [
                np.log(self.prompt / self.workload.prompt_tokens),
                np.log(self.guessed_output / self.workload.output_tokens),
                self.utilisation,
                np.log1p(self._in_flight),
            ],
            axis=1,
        )
        speeds = np.broadcast_to(self._speeds, self.queue.shape)
        loads = map(np.log1p, (self.queue, self.backlog, self.estimated_wait))
        return np.concatenate([*loads, speeds, request], axis=1).astype(np.float32)

    def route(self, replicas: Integers) -> Routed:
        """Send the waiting request of each cluster to a replica, and wait for the next."""
        rows = self._rows
        accepted = self.queue[rows, replicas] < self.workload.queue_limit
        free_at = self._free_at[rows, replicas]
        slot = free_at.argmin(axis=1)
        start = np.maximum(self._now, free_at[rows, slot])
        beside = (free_at > start[:, None]).sum(axis=1)
        speed = self._speeds[replicas] / self.slowdown[replicas]
        finish = start + self._work(self.output, beside) / speed
        latency = np.where(accepted, finish - self._now, self.workload.timeout)
        wait = np.where(accepted, start - self._now, self.workload.timeout)
        place = self._at[rows, replicas]
        taken = rows[accepted], replicas[accepted]
        self._free_at[*taken, slot[accepted]] = finish[accepted]
        self._finish[*taken, place[accepted]] = finish[accepted]
        self._guess[*taken, place[accepted]] = self.guessed_work[accepted]
        self._at[taken] = (place[accepted] + 1) % self._finish.shape[2]
        before = self._in_flight + accepted
        self._arrive()
        return Routed(latency, wait, ~accepted, before - self._in_flight, self.elapsed)


def _log_normal(normal: Numbers, mean: float, spread: float) -> Numbers:
    """Log-normal numbers of this mean, cut off at three standard deviations."""
    median = mean * math.exp(-0.5 * spread**2)
    return median * np.exp(spread * np.clip(normal, -3.0, 3.0))


# routing by rule

Router: TypeAlias = Callable[[Cluster], Integers]


def round_robin() -> Router:
    """Each replica in turn."""
    turn = -1

    def route(cluster: Cluster) -> Integers:
        nonlocal turn
        turn = (turn + 1) % cluster.replicas
        return np.full(cluster.count, turn)

    return route


def at_random(rng: np.random.Generator) -> Router:
    """Any replica, all alike."""
    return lambda cluster: rng.integers(cluster.replicas, size=cluster.count)


def shortest_queue(cluster: Cluster) -> Integers:
    """The replica with the fewest requests; of several, the first."""
    return cluster.queue.argmin(axis=1)


def least_wait(cluster: Cluster) -> Integers:
    """The replica that should be done with this request first, as far as anyone can tell."""
    own = cluster.guessed_work[:, None] / np.array(cluster.workload.speeds)
    return (cluster.estimated_wait + own).argmin(axis=1)


def first_replica(cluster: Cluster) -> Integers:
    """Always the first replica."""
    return np.zeros(cluster.count, np.int64)


class Service(NamedTuple):
    """How well requests were served."""

    latency_mean: float  # seconds
    latency_p95: float
    throughput: float  # requests finished per second
    shares: Numbers  # of the requests, per replica


def serve(workload: Workload, router: Router, *, seed: int, requests: int = 300) -> Service:
    """Route `requests` per cluster; the first ones only fill the queues.

    The same seed gives the same arrivals, whatever the router does.
    """
    cluster = Cluster(workload, SERVED, np.random.default_rng(seed))
    latencies = []
    counts = np.zeros(cluster.replicas)
    finished = seconds = 0.0
    for i in range(requests):
        choice = router(cluster)
        routed = cluster.route(choice)
        if i >= FILLING:
            latencies.append(routed.latency)
            counts += np.bincount(choice, minlength=cluster.replicas)
            finished += float(routed.finished.sum())
            seconds += float(routed.elapsed.sum())
    every = np.concatenate(latencies)
    return Service(
        float(every.mean()),
        float(np.percentile(every, 95)),
        finished / seconds,
        counts / counts.sum(),
    )
