"""What names were taken to mean, and what the rest may be."""

from __future__ import annotations

import pytest

from runvitals.model import Binding
from runvitals.render.judged import looks_like_an_outcome, unexplained_outcomes
from runvitals.render.names import candidates_for, lines, name_tables, named
from runvitals.render.nearest import nearest
from runvitals.testing import make_run


def run_of(*names, **meanings):
    run = make_run({name: [0.0, 1.0, 2.0] for name in names})
    run.bind({name: Binding(metric, how="alias") for name, metric in meanings.items()})
    return run


def test_a_name_with_a_meaning_says_how_it_was_found():
    run = make_run({"train/approx_kl": [0.1, 0.2]})
    run.bind(
        {"train/approx_kl": Binding("policy/approx_kl", framework="stable-baselines3", how="alias")}
    )

    [one] = named(run)

    assert (one.metric, one.title) == ("policy/approx_kl", "Approximate KL, old policy to new")
    assert (one.how, one.sure) == ("stable-baselines3 logs it under this name", "certain")
    assert one.candidates == ()
    assert one.map is None


def test_what_the_user_said_is_told():
    run = make_run({"odd": [1.0]})
    run.bind({"odd": Binding("policy/entropy", how="told")})

    assert named(run)[0].how == "told by --map"


def test_a_name_without_a_meaning_comes_with_what_would_bind_it():
    [one] = named(run_of("my_policy_entropy"))

    assert one.metric is None
    assert one.map == "my_policy_entropy=policy/entropy"


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("Train/AvgEpLen", "outcome/episode_length_mean"),
        ("my_replay_buffer_size", "replay/size"),
        ("current_learning_rate", "optim/learning_rate"),
        ("own/GradientNorm", "optim/grad_norm"),
        ("val/success_rate", "eval/success_rate"),
        ("dev_perplexity", "eval/perplexity"),
        ("advantages.mean", "advantage/mean"),
        ("time per generation (s)", "time/generation_s"),
    ],
)
def test_the_nearest_metric_is_among_the_candidates(name, metric):
    assert metric in [near.metric for near in candidates_for(name)]


@pytest.mark.parametrize(
    "name", ["EnergyEfficiency", "SINR", "poison_in_top5", "", "///", "42", "损失", "x" * 5000]
)
def test_a_name_of_another_world_has_no_candidate(name):
    assert nearest(name) == ()


def test_names_that_tools_use_differently_have_the_meanings_of_each():
    found = {near.metric for near in candidates_for("loss")}

    assert len(found) == 3
    assert all(metric.endswith(("loss", "loss_total")) for metric in found)


@pytest.mark.parametrize(
    "name",
    ["loss", "my_loss", "Train/Reward", "evalScore", "val_acc", "dev ppl", "EpRet", "is_success",
     "accuracies_avg", "Loss/total_losses", "win_rate"],
)  # fmt: skip
def test_names_that_look_like_a_loss_or_an_outcome(name):
    assert looks_like_an_outcome(name)


@pytest.mark.parametrize(
    "name",
    ["reward_std", "loss_scale", "max_reward", "score_time", "entropy", "lr", "flossing", "glossary",
     "rewardless", "steps", ""],
)  # fmt: skip
def test_names_that_do_not(name):
    assert not looks_like_an_outcome(name)


def test_only_names_without_a_meaning_are_missed():
    run = run_of("loss", "my_score", "entropy", loss="optim/loss")

    assert unexplained_outcomes(run) == ["my_score"]


def test_runs_with_the_same_names_share_a_table():
    alike = [run_of("a", "b"), run_of("b", "a")]
    other = run_of("a", "b", a="policy/entropy")

    first, second = name_tables([*alike, other])

    assert first.runs == tuple(alike)
    assert second.runs == (other,)
    assert [one.name for one in second.understood] == ["a"]
    assert [one.name for one in second.not_understood] == ["b"]


def test_names_that_differ_in_a_number_share_a_line():
    run = run_of(*(f"gpu.{i}.odd" for i in range(8)), "layer1", "layer2")

    found = [(line.shown, line.count) for line in lines(named(run))]

    assert found == [("gpu.*.odd", 8), ("layer1", 1), ("layer2", 1)]


def test_names_that_differ_in_their_meaning_do_not():
    run = run_of("a1", "a2", "a3", a1="policy/entropy")

    assert [line.shown for line in lines(named(run))] == ["a1", "a2", "a3"]


def test_many_names_cost_no_more_than_the_first_ones():
    run = run_of(*(f"name_{chr(97 + i % 26)}{chr(97 + i // 26)}_loss" for i in range(600)))

    found = named(run)

    assert len(found) == 600
    assert sum(bool(one.candidates) for one in found) <= 200
