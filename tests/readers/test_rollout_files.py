"""What trainers keep of what their model wrote: found, read, and joined to the run's metrics."""

from __future__ import annotations

import json
import tracemalloc

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.rollouts import writing

from runvitals.model import Sample
from runvitals.readers.open import open_run, open_runs
from runvitals.rollouts.record import rollout_of

STEPS = 30


def rows(step, **more):
    for group in range(3):
        prompt = f"Question {step}-{group}: {writing.prose(15)}?"
        for _ in range(2):
            yield {"prompt": prompt, "completion": writing.sound(prompt), "step": step, **more}


@pytest.fixture
def completions(tmp_path):
    """What TRL writes with `log_completions`."""
    folder = tmp_path / "completions"
    folder.mkdir()
    for step in range(1, STEPS + 1):
        table = pa.Table.from_pylist(list(rows(step, accuracy=step / STEPS, advantage=0.0)))
        pq.write_table(table, folder / f"completions_{step:05}.parquet")
    return tmp_path


@pytest.fixture
def rollouts(tmp_path):
    """What veRL writes to `rollout_data_dir`."""
    folder = tmp_path / "rollouts"
    folder.mkdir()
    for step in range(1, STEPS + 1):
        lines = [
            {
                "input": row["prompt"],
                "output": row["completion"],
                "score": step / STEPS,
                "step": step,
            }
            for row in rows(step)
        ]
        (folder / f"{step}.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    return tmp_path


def test_completions_belong_to_the_run_beside_them(completions):
    history = [{"step": step, "reward": step / STEPS, "loss": 0.1} for step in range(1, STEPS + 1)]
    state = {"log_history": history, "global_step": STEPS, "max_steps": STEPS}
    (completions / "trainer_state.json").write_text(json.dumps(state))

    [run] = open_runs(completions)

    assert len(run.samples()) == 6 * STEPS
    assert len(run["text/loop_share"]) == STEPS
    assert run.names()[:2] == ["reward", "loss"]


@pytest.mark.parametrize("folder", ["completions", "rollouts"])
def test_rollouts_alone_are_a_run_with_a_reward(folder, request):
    top = request.getfixturevalue(folder)

    run = open_run(top)

    assert len(run.samples()) == 6 * STEPS
    assert run.last_step == STEPS
    if folder == "rollouts":
        assert run["reward"].values.tolist() == pytest.approx(
            [n / STEPS for n in range(1, STEPS + 1)]
        )


def test_a_torn_last_line_costs_only_itself(rollouts):
    last = rollouts / "rollouts" / f"{STEPS}.jsonl"
    last.write_bytes(last.read_bytes()[:-20])

    assert len(open_run(rollouts).samples()) == 6 * STEPS - 1


def test_data_to_train_on_is_not_a_run(tmp_path):
    lines = [{"prompt": "a?", "completion": "b", "id": n} for n in range(50)]
    (tmp_path / "data.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")

    assert open_runs(tmp_path) == []


def test_a_folder_of_validation_data_holds_samples_of_an_evaluation(tmp_path):
    for name in ("rollout_data", "validation_data"):
        folder = tmp_path / name
        folder.mkdir()
        for step in range(1, 9):
            row = {"input": f"Question {step}?", "output": "It is 4.", "score": 1.0, "step": step}
            (folder / f"{step}.jsonl").write_text(json.dumps(row) + "\n")

    def held_out(name):
        return {rollout_of(one).held_out for one in open_run(tmp_path / name).read_samples()}

    assert (held_out("validation_data"), held_out("rollout_data")) == ({True}, {False})


def episode(step, kind, prompt, text, reward):
    """What `verifiers` makes of an episode with one trace, without the fields that nobody reads."""
    nodes = [
        {"message": {"role": "system", "content": "Be brief."}, "sampled": False},
        {"message": {"role": "user", "content": prompt}, "sampled": False, "parent": 0},
        {
            "message": {
                "role": "assistant",
                "content": text,
                "reasoning_content": "hm",
                "tool_calls": [{"id": "1", "name": "calc", "arguments": "{}"}],
            },
            "sampled": True,
            "parent": 1,
        },
    ]
    trace = {
        "agent": {"name": "agent", "trainable": True},
        "nodes": nodes,
        "calls": [{"node": 2, "finish_reason": "length", "usage": {"completion_tokens": 9}}],
        "rewards": {"right": {"score": reward, "weight": 2.0}, "form": None},
        "metrics": {"num_turns": 1.0},
    }
    judge = {**trace, "agent": {"name": "judge", "trainable": False}}
    return {
        "id": "e",
        "env": {"id": "gsm8k"},
        "task": {"type": "T", "data": {"prompt": prompt}},
        "group": {"id": prompt[-5:]},
        "run": {"type": "train", "id": "r", "work": {"type": kind, "step": step}},
        "ok": True,
        "traces": [trace, judge],
    }


@pytest.fixture
def episodes(tmp_path):
    """What prime-rl's file monitor writes: a folder for each step, kind and subset."""
    for step in range(1, STEPS + 1):
        for kind in ("train", "eval"):
            made = [episode(step, kind, r["prompt"], r["completion"], 0.5) for r in rows(step)]
            for subset in ("all", "effective"):
                folder = tmp_path / "rollouts" / f"step_{step}" / kind / subset
                folder.mkdir(parents=True)
                (folder / "traces.jsonl").write_text("\n".join(map(json.dumps, made)) + "\n")
    metrics = [{"step": n, "time": n, "reward/all/mean": n / STEPS} for n in range(1, STEPS + 1)]
    (tmp_path / "metrics.jsonl").write_text("\n".join(map(json.dumps, metrics)) + "\n")
    return tmp_path


def test_episodes_of_all_steps_belong_to_one_run_and_are_read_once(episodes):
    [run] = open_runs(episodes)

    read = [rollout_of(one) for one in run.samples()]
    assert len(read) == 2 * STEPS * 6
    assert {one.step for one in read} == set(range(1, STEPS + 1))
    assert sum(one.held_out for one in read) == STEPS * 6
    assert "reward/all/mean" in run.names()


def test_an_episode_says_what_was_asked_written_called_and_paid(episodes):
    first = next(map(rollout_of, open_run(episodes).read_samples()))

    assert first.prompt.startswith("Be brief. Question 1-0")
    assert first.completion.startswith("<think>hm</think>")
    assert first.turns[0].calls == ("calc({})",)
    assert (first.reward, first.tokens, first.cut) == (1.0, 9, True)


def test_samples_of_one_group_in_verls_keys_are_of_one_group():
    made = [rollout_of(Sample(1, 0.0, {"output": "x", "uid": f"ab-12_{n}_0"})) for n in range(3)]

    assert {one.group for one in made} == {"ab-12"}


def test_samples_are_not_kept_while_looking_for_histograms(rollouts):
    run = open_run(rollouts)
    tracemalloc.start()

    found = list(run.read_histograms(lambda _: True))

    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == []
    assert peak < 10_000
