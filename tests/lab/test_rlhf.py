import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.catalog.seed_names import GLOSSARY, RL_METRICS
from tests.lab.slopes import slope_at

from runvitals.catalog import resolve
from runvitals.lab import rlhf, rlhf_update, rlhf_world
from runvitals.lab.contract import HEALTHY, STRENGTHS, Fault, Sickness, Strength, Trainer
from runvitals.lab.instruments import Instruments
from runvitals.lab.lm import SequenceNet
from runvitals.lab.nn import Adam
from runvitals.lab.puzzles import END, PAD, VOCABULARY, Puzzles, encode, is_right
from runvitals.lab.registry import trainer
from runvitals.lab.rlhf import GRPO, RLHF_PPO, train
from runvitals.lab.rlhf_metrics import Ranks
from runvitals.lab.rlhf_rollout import (
    FAILED,
    TOOL_TASK,
    Tool,
    generate,
    last_words,
    lookup,
    room_of,
    start_model,
    task_of,
    without,
)
from runvitals.lab.rlhf_update import ResponseBatch
from runvitals.lab.rlhf_world import (
    RLHFConfig,
    RLHFPPOConfig,
    contains,
    marked,
    reward_model,
    verify,
)
from runvitals.model import ConfigError
from runvitals.recorder.pending import Timing

TINY: dict[str, Any] = {
    "total_steps": 3,
    "batch_size": 16,
    "minibatch_size": 8,
    "val_every": 3,
    "val_prompts": 4,
    "val_tries": 2,
    "samples_every": 3,
    "score_prompts": 16,
}
TRAINERS = (GRPO, RLHF_PPO)
# names of the documents that stand for any task, and those of other trainers
ELSEWHERE = (
    "gsm8k",
    "*",
    "loss/dpo",
    "rewards/accuracy",
    "rm/",
    "rewards/",
    "policy/",
    "loss/total",
)
SHORT = ("response_length", "rewards")


@pytest.fixture(autouse=True)
def _quick_reward_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has learned does not matter here."""
    monkeypatch.setattr(rlhf_world, "reward_model", partial(reward_model, steps=3))
    monkeypatch.setattr(rlhf_world, "PAIRS", 128)


class Notebook:
    """A recorder that keeps everything in lists, timings at 0."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.histograms: dict[str, Any] = {}
        self.samples: list[dict[str, Any]] = []
        self.stages: set[str] = set()
        self.per_token: set[str] = set()

    def log(self, values: Mapping[str, Any], step: int | None = None) -> None:
        self.rows.append({**values, "step": step})

    @contextmanager
    def timer(self, stage: str, tokens: float | None = None) -> Iterator[Timing]:
        timing = Timing(seconds=0.01, tokens=tokens)
        yield timing
        self.stages.add(f"timing_s/{stage}")
        if timing.tokens is not None:
            self.per_token.add(f"timing_per_token_ms/{stage}")

    def count(self, **amounts: float) -> None:
        pass

    def log_reward_breakdown(self, *args: Any, **options: Any) -> None:
        pass

    def log_histogram(self, name: str, values: Any, step: int | None = None) -> None:
        self.histograms[name] = np.asarray(values)

    def log_actions(self, *args: Any, **options: Any) -> None:
        pass

    def log_text(self, *args: Any, **options: Any) -> None:
        pass

    def log_samples(self, samples: Any, step: int | None = None) -> None:
        self.samples += samples

    def progress(self, **fields: Any) -> dict[str, Any]:
        return {}

    @property
    def summary(self) -> dict[str, Any]:
        return {}

    @property
    def names(self) -> set[str]:
        """Of everything that was logged."""
        found = {name for row in self.rows for name in row} - {"step"}
        return found | set(self.histograms) | self.stages | self.per_token

    def steady(self) -> list[dict[str, Any]]:
        """All numbers that do not depend on the clock."""
        clocks = ("timing", "perf/", "time/")
        return [{k: v for k, v in row.items() if not k.startswith(clocks)} for row in self.rows]


def settings(who: Trainer, task: str | None = None, **changes: Any) -> RLHFConfig:
    config = who.config(**{**who.task(task).settings, **TINY, **changes})
    assert isinstance(config, RLHFConfig)
    return config


def record(
    who: Trainer,
    task: str | None = None,
    fault: str | None = None,
    strength: Strength = "clear",
    **changes: Any,
) -> tuple[Notebook, float]:
    notes = Notebook()
    sick = Sickness(who.faults, fault, strength)
    result = who.train(settings(who, task, **changes), notes, sick)
    return notes, result.score


def first_task(fault: Fault) -> str:
    return fault.tasks[0] if fault.tasks else "sorting"


# the pieces


def test_a_tool_tells_the_right_digits_or_fails() -> None:
    rows = lookup().train.take(np.arange(50))
    rng = np.random.default_rng(0)

    replies, failed = Tool(0.0)(rows.answers, rng)
    errors, all_failed = Tool(1.0)(rows.answers, rng)

    np.testing.assert_array_equal(replies[:, 1:], rows.answers[:, 1:3])
    assert not failed.any()
    assert all_failed.all()
    assert (errors == FAILED).all()


def test_what_a_tool_says_is_in_the_response_but_not_the_models_own() -> None:
    rows = lookup().train.take(np.arange(64))
    model = start_model(TOOL_TASK, 0)

    written = generate(model, rows, room_of(TOOL_TASK), np.random.default_rng(0), tool=Tool(0.0))

    asked = written.calls > 0
    assert asked.any()
    assert not asked.all()
    replied = (written.tokens != PAD) & ~written.own
    np.testing.assert_array_equal(replied.any(axis=1), asked)
    assert (written.log_probs[~written.own] == 0).all()
    np.testing.assert_array_equal(written.turns, 2 + 2 * written.calls)
    right = is_right(last_words(written), rows.answers)
    assert right[asked].mean() > right[~asked].mean()  # guessing does not help


def test_the_last_words_are_those_after_the_last_reply() -> None:
    tokens = encode(["~=57~=57#57.", "#12."], 14)
    own = tokens != PAD
    own[0, [1, 2, 3, 5, 6, 7]] = False
    some = generate(
        start_model(TOOL_TASK, 0), lookup().train.take(np.arange(2)), 14, np.random.default_rng(0)
    )

    said = last_words(some._replace(tokens=tokens, own=own))

    np.testing.assert_array_equal(said[:, :5], encode(["#57.", "#12."], 5))


def test_generation_goes_on_behind_an_end_token_that_is_ignored() -> None:
    rows = task_of("sorting").train.take(np.arange(40))

    written = generate(start_model("sorting", 0), rows, 12, np.random.default_rng(0), runs_on=1.0)

    assert (written.tokens != PAD).all()
    assert (written.tokens == END).any(axis=1).mean() > 0.8


def test_a_lost_response_is_empty() -> None:
    rows = task_of("sorting").train.take(np.arange(4))
    written = generate(start_model("sorting", 0), rows, 12, np.random.default_rng(0))

    kept = without(written, np.array([True, False, False, False]))

    assert (kept.tokens[0] == PAD).all()
    assert not kept.own[0].any()
    np.testing.assert_array_equal(kept.tokens[1:], written.tokens[1:])


def test_a_lenient_verifier_finds_the_answer_anywhere() -> None:
    answers = encode(["#57.", "#57.", "#57."], 5)
    responses = encode(["#12573.", "#5.7.", "57"], 8)

    assert contains(responses, answers).tolist() == [True, False, True]


def test_the_form_counts_marks_and_wants_an_end() -> None:
    responses = encode(["#12.", "##12.", "12.", "##12"], 8)

    assert marked(responses).tolist() == [0.5, 1.0, 0.0, 0.0]


def test_a_right_answer_beats_a_pretty_one() -> None:
    rows = task_of("sorting").train.take(np.arange(2))
    written = generate(start_model("sorting", 0), rows, 12, np.random.default_rng(0))
    tokens = np.zeros_like(written.tokens)
    tokens[:, : rows.answers.shape[1]] = rows.answers
    tokens[1] = encode(["##0000."], 12)
    written = written._replace(tokens=tokens, own=tokens != PAD)

    scored = verify(written, rows.answers, correct_weight=1.0, format_weight=0.1)

    assert scored.right.tolist() == [True, False]
    np.testing.assert_allclose(scored.total, [1.05, 0.1])


def test_a_prompt_that_is_too_long_keeps_its_end() -> None:
    rows = Puzzles(encode(["4213>"], 5), encode(["#1234."], 6))

    cut = rlhf_world.truncated(rows, 3)

    np.testing.assert_array_equal(cut.prompts, encode(["13>"], 5, fill="left"))


def test_balancing_evens_the_ranks_out() -> None:
    ranks = Ranks(2)

    ranks.deal(np.array([9, 8, 2, 1]), balanced=True)

    metrics = ranks.metrics()
    assert metrics["global_seqlen/minmax_diff"] == 14
    assert metrics["global_seqlen/balanced_max"] == metrics["global_seqlen/mean"] == 10


def test_a_group_must_fit_the_batch() -> None:
    with pytest.raises(ConfigError, match="groups of 7"):
        RLHFConfig(group_size=7)


# updates, against finite differences


def small_batch(seed: int, columns: int) -> tuple[ResponseBatch, SequenceNet]:
    rng = np.random.default_rng(seed)
    rows = task_of("addition").train.take(np.arange(6))
    policy = SequenceNet(columns, VOCABULARY, rng, hidden=8, dtype=np.float64)
    shape = rows.answers.shape
    noise = rng.standard_normal((5, *shape))
    old = rlhf_update.judge(policy, *rows).log_probs + 0.1 * noise[0]
    own = rows.answers != PAD
    own[:, 1] = False  # as if a tool had said it
    batch = ResponseBatch(
        rows.prompts, rows.answers, own, old, old + 0.3 * noise[1], noise[2], noise[3], noise[4]
    )
    return batch, policy


class Still(Adam):
    """An optimiser that leaves everything as it is, to look at the gradients."""

    def step(self, grads: Any, learning_rate: float) -> None:
        del grads, learning_rate


@pytest.mark.parametrize("config", [RLHFConfig, RLHFPPOConfig])
def test_the_actors_gradient_is_that_of_its_loss(config: type[RLHFConfig]) -> None:
    batch, policy = small_batch(0, 11)
    now = config(
        minibatch_size=6, epochs_per_batch=1, kl_coef=0.3, entropy_coef=0.2, max_grad_norm=1e9
    )

    def update() -> dict[str, float]:
        rng = np.random.default_rng(0)
        return rlhf_update.update_actor(policy, Still(policy.params), batch, now, 0.0, rng, HEALTHY)

    update()
    _agree(lambda: update()["actor/loss"], policy)


def test_the_critics_gradient_is_that_of_its_loss() -> None:
    batch, _ = small_batch(1, 11)
    critic = SequenceNet(11, 1, np.random.default_rng(2), hidden=8, dtype=np.float64)
    now = RLHFPPOConfig(minibatch_size=6, epochs_per_batch=1, max_grad_norm=1e9)

    def update() -> dict[str, float]:
        rng = np.random.default_rng(0)
        return rlhf_update.update_critic(critic, Still(critic.params), batch, now, rng)

    update()
    _agree(lambda: update()["critic/vf_loss"], critic)


def _agree(loss: Any, net: SequenceNet) -> None:
    grads = [grad.copy() for grad in net.grads]
    for params, grad in zip(net.params, grads, strict=True):
        for i in np.argsort(-np.abs(grad))[:: max(1, len(grad) // 10)]:
            slope = slope_at(loss, params, i, 1e-5)
            assert slope == pytest.approx(grad[i], rel=2e-3, abs=1e-5)


# whole runs


@pytest.fixture(scope="module", params=TRAINERS, ids=lambda who: who.name)
def tool_run(request: pytest.FixtureRequest) -> tuple[Trainer, Notebook]:
    who: Trainer = request.param
    return who, record(who, TOOL_TASK)[0]


def test_a_short_run_learns() -> None:
    notes, score = record(
        GRPO,
        total_steps=25,
        batch_size=96,
        minibatch_size=24,
        val_prompts=64,
        val_every=24,
        score_prompts=128,
    )

    before = notes.rows[0]["val-core/sorting/acc/mean@2"]
    assert score > before + 0.1


@pytest.mark.parametrize("who", TRAINERS, ids=lambda who: who.name)
def test_one_seed_gives_one_run_bit_for_bit(who: Trainer) -> None:
    one, one_score = record(who)
    two, two_score = record(who)
    other, _ = record(who, seed=1)

    np.testing.assert_equal(one.steady(), two.steady())
    assert one_score == two_score
    assert one.rows[0]["critic/score/mean"] != other.rows[0]["critic/score/mean"]


def test_the_first_update_of_a_batch_has_a_ratio_of_one() -> None:
    notes, _ = record(GRPO, minibatch_size=16, epochs_per_batch=1)

    assert all(row["policy/ratio_max"] == pytest.approx(1.0, abs=1e-5) for row in notes.rows)
    assert all(row["actor/pg_clipfrac"] == 0.0 for row in notes.rows)


def test_every_name_of_the_glossary_is_logged(tool_run: tuple[Trainer, Notebook]) -> None:
    who, notes = tool_run
    wanted = {
        name
        for names in (GLOSSARY["verl"], GLOSSARY["glossary"])
        for name in names
        if not any(part in name for part in ELSEWHERE) and name not in SHORT
    }
    if who is GRPO:
        wanted = {
            n for n in wanted if not n.startswith(("critic/l", "critic/value", "timing_s/update_c"))
        }
    else:
        wanted -= {"actor/kl_loss", "actor/kl_coef"}

    assert wanted - notes.names == set()
    for name in ("val-core/tool-use/acc/mean@1", "val-aux/tool-use/reward/mean@1"):
        assert name in notes.names


def test_every_name_resolves(tool_run: tuple[Trainer, Notebook]) -> None:
    who, notes = tool_run
    numbers = notes.names - set(notes.histograms)

    unknown = {
        name
        for name in numbers
        if resolve(name, framework="verl", siblings=numbers, algorithm=who.algorithm) is None
    }

    assert unknown <= {"critic/value/mean"}  # the glossary's name, which verl does not use


def test_the_trl_dialect_has_every_name_of_its_document() -> None:
    notes = Notebook()
    run = Instruments(notes, names=RLHF_PPO.dialects["trl"])

    train(settings(RLHF_PPO), run)

    assert set(RL_METRICS["trl"]) - notes.names == set()


@pytest.mark.parametrize("who", TRAINERS, ids=lambda who: who.name)
def test_the_short_dialect_has_the_names_of_the_comparison(who: Trainer) -> None:
    notes = Notebook()

    who.train(settings(who), Instruments(notes, names=who.dialects["trl-short"]))

    wanted = {"loss/total", "rewards", "response_length", "policy/approx_kl", "objective/kl"}
    assert wanted - notes.names == set()


def test_a_dialect_gives_no_name_twice() -> None:
    for who in TRAINERS:
        for names in who.dialects.values():
            assert len(set(names.values())) == len(names)


def test_samples_can_be_read() -> None:
    notes, _ = record(GRPO)

    assert set(notes.samples[0]) == {"prompt", "completion", "reward", "right"}
    assert notes.samples[0]["prompt"].endswith(">")


def test_the_generator_lags_behind_when_it_gets_no_weights() -> None:
    healthy, _ = record(GRPO, total_steps=6)
    stale, _ = record(GRPO, fault="weights-synced-rarely", total_steps=6)

    name = "training/rollout_probs_diff_mean"
    assert stale.rows[-1][name] > 20 * healthy.rows[-1][name]
    assert stale.rows[-1]["training/off_policy/trajectory_staleness/mean"] == 5


# faults and variants


EVERY = [
    pytest.param(who, fault, strength, id=f"{who.name}-{fault.name}-{strength}")
    for who in TRAINERS
    for fault in who.faults
    for strength in STRENGTHS
    if strength in fault.doses
]


@pytest.fixture(scope="module")
def healthy_rows() -> dict[tuple[str, str], list[dict[str, Any]]]:
    return {}


@pytest.mark.parametrize(("who", "fault", "strength"), EVERY)
def test_every_fault_runs_and_changes_something(
    who: Trainer,
    fault: Fault,
    strength: Strength,
    healthy_rows: dict[tuple[str, str], list[dict[str, Any]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    task = first_task(fault)
    changes = {"total_steps": 3 if fault.late else 5}
    if (who.name, task) not in healthy_rows:
        healthy_rows[who.name, task] = record(who, task, total_steps=5)[0].steady()
    slept.clear()

    notes, score = record(who, task, fault.name, strength, **changes)

    assert 0.0 <= score <= 1.0
    if fault.harm == "speed":
        assert sum(slept) > 0
    else:
        shown = [{k: v for k, v in row.items() if k != "training/epoch"} for row in notes.steady()]
        before = healthy_rows[who.name, task][: len(shown)]
        assert any(
            row[k] != was[k]
            for row, was in zip(shown, before, strict=True)
            for k in row
            if k in was
        )


def test_every_fault_in_code_is_asked_for_in_the_trainer() -> None:
    source = "".join(map(inspect.getsource, (rlhf, rlhf_world, rlhf_update)))

    for fault in (*GRPO.faults, *RLHF_PPO.faults):
        if fault.change is None:
            assert f'sick("{fault.name}"' in source


@pytest.mark.parametrize("who", TRAINERS, ids=lambda who: who.name)
def test_the_registry_knows_the_trainer(who: Trainer) -> None:
    assert trainer(who.name) is who


@pytest.mark.parametrize("who", TRAINERS, ids=lambda who: who.name)
def test_every_task_and_variant_has_settings_that_fit(who: Trainer) -> None:
    for task in who.tasks:
        for variant in who.variants:
            if not variant.tasks or task.name in variant.tasks:
                config = who.config(**{**task.settings, **variant.settings})
                assert config.batch_size % config.minibatch_size == 0
                assert replace(config, seed=1).seed == 1


def test_a_policy_of_nan_goes_on_to_the_end() -> None:
    notes, score = record(GRPO, fault="lr-x100", strength="gross", learning_rate=1e30)

    assert len(notes.rows) == 3
    assert 0.0 <= score <= 1.0
