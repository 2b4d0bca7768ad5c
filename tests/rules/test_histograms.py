"""How rules come to the histograms of a run."""

import numpy as np
import pytest

import runvitals as rv
from runvitals.model import Histogram, HistogramSeries
from runvitals.rules.histograms import quantity_in_words
from runvitals.rules.needs import Need
from runvitals.rules.patient import Patient
from runvitals.rules.registry import Rule
from runvitals.signals.shape import mean, skew
from runvitals.testing import make_run

RNG = np.random.default_rng(3)
NORMAL = RNG.normal(size=(12, 400))


def needs(*what: str) -> Rule:
    return Rule(
        "X001",
        "x",
        "notice",
        lambda patient: iter(()),
        tuple(map(Need.parse, what)),
        (),
        (),
        "other",
    )


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("env/reward_dist", "reward"),
        ("ppo/policy/advantages", "advantage"),
        ("Actions/replica_2", "action"),
        ("train/advantage_hist", "advantage"),
        ("Rollout/rewards", "reward"),
    ],
)
def test_names_alone_say_what_a_histogram_is_of(name, quantity):
    patient = Patient(make_run({}, histograms={name: NORMAL}))

    [found] = patient.histograms(quantity)

    assert (found.name, len(found)) == (name, 12)
    assert [one.step for one in found.histograms] == list(range(1, 13))
    assert found.series(mean).values == pytest.approx(NORMAL.mean(axis=1), abs=0.02)


@pytest.mark.parametrize("name", ["reward_model/layers/0/weight", "actor/fc1/weight", "values"])
def test_other_histograms_are_left_alone(name):
    patient = Patient(make_run({}, histograms={name: NORMAL}))

    assert quantity_in_words(name) is None
    assert not any(patient.histograms(one) for one in ("reward", "advantage", "action"))


def test_replicas_keep_their_numbers_and_their_means_are_their_shares():
    chosen = {f"Actions/replica_{i}": [[0, 0, 0, i < 1]] * 20 for i in range(3)}

    found = Patient(make_run({}, histograms=chosen)).histograms("action")

    assert [one.labels["action"] for one in found] == ["0", "1", "2"]
    assert [one.metric for one in found] == ["policy/action_share"] * 3
    assert found[0].series(mean).last == pytest.approx(0.25, abs=0.02)


def test_a_rule_may_need_histograms_alone_or_in_place_of_a_metric():
    with_one = Patient(make_run({}, histograms={"advantages": NORMAL}))
    without = Patient(make_run({"reward/mean": [1.0, 2.0]}))

    assert needs("histogram:advantage").missing(with_one) is None
    assert needs("advantage/std|histogram:advantage").missing(with_one) is None
    assert needs("reward/mean|histogram:advantage").missing(without) is None
    assert (
        needs("advantage/std|histogram:advantage").missing(without)
        == "advantage/std or histograms of advantage not logged"
    )


def test_an_earlier_look_sees_only_what_was_logged_then():
    patient = Patient(make_run({}, every=10, histograms={"advantages": NORMAL}))

    assert len(patient.earlier(50).histograms("advantage")[0]) == 5
    assert patient.earlier(5).histograms("advantage") == []


def test_histograms_are_read_once_and_only_when_asked_for():
    run, reads = make_run({}, histograms={"advantages": NORMAL}), []
    events = run.read_events
    run.read_events = lambda: reads.append(1) or events()
    patient = Patient(run)

    assert reads == []
    for _ in range(3):
        patient.histograms("advantage"), patient.earlier(4).histograms("reward")
    assert reads == [1]


def test_damaged_and_empty_histograms_are_left_out():
    good = Histogram("h", 3, 0.0, np.array([0.0, 1.0]), np.array([2.0]))
    damaged = [
        Histogram("h", 1, 0.0, np.array([0.0]), np.array([2.0])),
        Histogram("h", 2, 0.0, np.array([1.0, 0.0]), np.array([2.0])),
        Histogram("h", 4, 0.0, np.array([0.0, 1.0]), np.array([0.0])),
        Histogram("h", 5, 0.0, np.array([0.0, 1.0]), np.array([np.nan])),
    ]

    assert HistogramSeries.of("h", [*damaged, good]).histograms == (good,)


# as logs hold them


def test_a_tensorboard_event_file(tmp_path):
    tensorboardx = pytest.importorskip("tensorboardX")
    lopsided = np.exp(RNG.normal(size=(12, 400)))
    with tensorboardx.SummaryWriter(str(tmp_path)) as writer:
        for step, (values, others) in enumerate(zip(lopsided, NORMAL, strict=True)):
            writer.add_scalar("env/reward_mean", float(step), step)
            writer.add_histogram("ppo/policy/advantages", values, step)
            writer.add_histogram("env/reward_dist", others, step)
            writer.add_histogram("layers/0/weight", others, step)

    patient = Patient(rv.open_run(tmp_path))
    [advantages], [rewards] = patient.histograms("advantage"), patient.histograms("reward")

    assert len(advantages) == len(rewards) == 12
    assert advantages.series(mean).values == pytest.approx(lopsided.mean(axis=1), rel=0.1)
    assert float(np.median(advantages.series(skew).values)) > 1.5
    assert abs(float(np.median(rewards.series(skew).values))) < 0.3


def test_a_folder_of_ours(tmp_path):
    with rv.init("p", dir=tmp_path, system=False) as run:
        for step in range(12):
            run.log({"reward/mean": float(step)}, step=step)
            run.log_histogram("advantages", NORMAL[step], step=step)
            run.log_histogram("weights", NORMAL[step], step=step)

    [found] = Patient(rv.open_run(run.folder)).histograms("advantage")

    assert (found.name, len(found)) == ("advantages", 12)
    assert found.series(mean).values == pytest.approx(NORMAL.mean(axis=1), abs=0.02)


def test_of_very_many_records_in_an_event_file_some_are_looked_at(tmp_path, monkeypatch):
    tensorboardx = pytest.importorskip("tensorboardX")
    monkeypatch.setattr("runvitals.readers.tfevents.tensorboard.MAX_LOOKED_AT", 60)
    monkeypatch.setattr("runvitals.readers.tfevents.tensorboard.FIRST_LOOKED_AT", 10)
    with tensorboardx.SummaryWriter(str(tmp_path)) as writer:
        for step in range(50):
            for name in ("advantages", "a/weight", "b/weight", "c/weight", "d/weight"):
                writer.add_histogram(name, NORMAL[0], step)
            writer.add_scalar("reward", 1.0, step)

    [found] = Patient(rv.open_run(tmp_path)).histograms("advantage")

    steps = [one.step for one in found.histograms]
    assert 5 <= len(steps) <= 30
    assert max(steps) > 35
