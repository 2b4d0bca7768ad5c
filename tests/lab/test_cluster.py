from dataclasses import replace

import numpy as np
import pytest

from runvitals.lab.envs.cluster import (
    Cluster,
    Workload,
    at_random,
    first_replica,
    least_wait,
    round_robin,
    serve,
    shortest_queue,
)

TWO = Workload(speeds=(1.0, 2.0), slots=2, load=0.01)
BUSY = replace(TWO, load=1e6)  # everything arrives at once


def cluster(workload: Workload = TWO, count: int = 3, seed: int = 0) -> Cluster:
    return Cluster(workload, count, np.random.default_rng(seed))


def to(replica: int, env: Cluster) -> np.ndarray:
    return np.full(env.count, replica)


def alone(env: Cluster, speed: float) -> np.ndarray:
    load = env.workload
    return (env.prompt / load.prefill_rate + env.output / load.decode_rate) / speed


# serving


@pytest.mark.parametrize(("replica", "speed"), [(0, 1.0), (1, 2.0)])
def test_an_idle_replica_takes_prefill_and_decode_at_its_speed(replica: int, speed: float) -> None:
    env = cluster()
    expected = alone(env, speed)

    routed = env.route(to(replica, env))

    np.testing.assert_allclose(routed.latency, expected)
    assert not routed.wait.any()


def test_a_replica_may_be_slower_than_anyone_knows() -> None:
    env, slow = cluster(), cluster()
    slow.slowdown[1] = 3.0

    assert np.array_equal(env.observe(), slow.observe())
    usual, longer = env.route(to(1, env)).latency, slow.route(to(1, slow)).latency
    np.testing.assert_allclose(longer, 3.0 * usual)


def test_a_request_beside_another_decodes_more_slowly() -> None:
    env = cluster(BUSY)
    env.route(to(0, env))
    load = env.workload
    decode = env.output / load.decode_rate * (1.0 + load.crowding)
    expected = env.prompt / load.prefill_rate + decode

    np.testing.assert_allclose(env.route(to(0, env)).latency, expected)


def test_a_third_request_waits_for_the_first_of_two_slots() -> None:
    env = cluster(BUSY)
    ends = [env.route(to(0, env)).latency for _ in range(2)]

    third = env.route(to(0, env))

    np.testing.assert_allclose(third.wait, np.minimum(*ends), rtol=1e-3)


def test_the_other_replica_does_not_wait() -> None:
    env = cluster(BUSY)
    for _ in range(5):
        env.route(to(0, env))

    assert not env.route(to(1, env)).wait.any()


def test_a_full_replica_turns_requests_away() -> None:
    env = cluster(replace(BUSY, queue_limit=4))
    for _ in range(4):
        assert not env.route(to(0, env)).rejected.any()

    routed = env.route(to(0, env))

    assert routed.rejected.all()
    assert (routed.latency == env.workload.timeout).all()
    assert env.queue[:, 0].tolist() == [4, 4, 4]


def test_no_request_is_lost() -> None:
    env = cluster(replace(TWO, load=2.0, queue_limit=16), count=8)
    rng = np.random.default_rng(1)
    accepted, finished = np.zeros(8), np.zeros(8)
    for _ in range(400):
        routed = env.route(rng.integers(2, size=8))
        accepted += ~routed.rejected
        finished += routed.finished

    assert np.array_equal(accepted - finished, env.queue.sum(axis=1))
    assert (accepted < 400).all()


# arrivals


def test_the_mean_of_both_rates_is_the_load() -> None:
    load = Workload()
    calm, burst = load.rates
    seconds = load.calm_seconds + load.burst_seconds

    mean = (calm * load.calm_seconds + burst * load.burst_seconds) / seconds

    assert mean == pytest.approx(load.load * load.capacity)


def test_arrivals_come_at_the_given_load_and_in_bursts() -> None:
    load = Workload()
    env = cluster(load, count=64)
    gaps = np.array([env.route(shortest_queue(env)).elapsed for _ in range(600)])

    assert 1.0 / gaps.mean() == pytest.approx(load.load * load.capacity, rel=0.1)
    assert gaps.std() > 1.15 * gaps.mean()  # 1.0 without bursts


def test_lengths_have_the_given_mean_and_a_heavy_tail() -> None:
    env = cluster(Workload(), count=20_000)

    assert env.prompt.mean() == pytest.approx(500, rel=0.05)
    assert env.output.mean() == pytest.approx(200, rel=0.05)
    assert env.output.max() > 5 * env.output.mean()


def test_arrivals_do_not_depend_on_the_router() -> None:
    one, other = cluster(Workload(), seed=5), cluster(Workload(), seed=5)
    for _ in range(50):
        one.route(to(0, one))
        other.route(shortest_queue(other))

    assert np.array_equal(one.prompt, other.prompt)
    assert np.array_equal(one.elapsed, other.elapsed)


# what is seen


def test_observations_are_finite_and_of_the_declared_size() -> None:
    env = cluster(Workload(load=3.0), count=4)
    for _ in range(200):
        env.route(first_replica(env))

    assert env.observe().shape == (4, env.observation_size)
    assert np.isfinite(env.observe()).all()


def test_a_wait_is_expected_only_when_all_slots_are_busy() -> None:
    env = cluster(BUSY)
    waits = []
    for _ in range(4):
        env.route(to(0, env))
        waits.append(float(env.estimated_wait[0, 0]))

    assert waits[0] == 0.0
    assert 0.0 < waits[1] < waits[2] < waits[3]


# rules


def test_round_robin_takes_turns() -> None:
    env, router = cluster(Workload()), round_robin()

    assert [int(router(env)[0]) for _ in range(5)] == [0, 1, 2, 3, 0]


def test_under_bursts_looking_at_queues_beats_taking_turns_beats_chance() -> None:
    load = Workload(speeds=(0.5, 1.8, 0.7, 1.2))
    routers = [least_wait, round_robin(), at_random(np.random.default_rng(0))]

    best, turns, chance = (serve(load, router, seed=3, requests=200) for router in routers)

    assert best.latency_mean < 0.6 * turns.latency_mean < 0.6 * chance.latency_mean
    assert best.throughput > turns.throughput
    assert best.shares.sum() == pytest.approx(1.0)


def test_among_equal_replicas_under_light_load_all_rules_are_alike() -> None:
    load = Workload(speeds=(1.0,) * 4, load=0.15)

    queue, turns = (serve(load, r, seed=3).latency_mean for r in (shortest_queue, round_robin()))

    assert turns == pytest.approx(queue, rel=0.05)
