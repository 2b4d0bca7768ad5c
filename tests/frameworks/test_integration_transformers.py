"""The callback of the Hugging Face Trainer, on real training of tiny random models."""

from __future__ import annotations

import numpy as np
import pytest
from tests.frameworks.adapted import QUIET, codes, recorded, settings, stopped

import runvitals as rv

torch = pytest.importorskip("torch", reason="needs torch")
pytest.importorskip("transformers", reason="needs transformers")
trl = pytest.importorskip("trl", reason="needs trl")

from benchmarks.made import preferences, texts  # noqa: E402
from benchmarks.made.hugging import tiny_model, tokenizer_of  # noqa: E402
from benchmarks.recording.trained import language  # noqa: E402
from datasets import Dataset  # noqa: E402
from transformers import Trainer, TrainingArguments  # noqa: E402

from runvitals.integrations.transformers import RunvitalsCallback, register  # noqa: E402

pytestmark = [pytest.mark.frameworks, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)


def arguments(folder, steps, rate, **more):
    return {
        "output_dir": str(folder / "out"),
        "max_steps": steps,
        "learning_rate": rate,
        "logging_steps": 1,
        "per_device_train_batch_size": 8,
        "save_strategy": "no",
        "report_to": [],
        "disable_tqdm": True,
        "use_cpu": True,
        "seed": 0,
        **more,
    }


def listed(count, seed=0):
    found = texts.sample("markov", np.random.default_rng(seed), count)
    return Dataset.from_list([{"text": " ".join(words)} for words in found])


def sft(folder, callback, steps=40, rate=5e-3, **more):
    tokenizer = tokenizer_of(texts.words_of("markov"))
    return trl.SFTTrainer(
        tiny_model(tokenizer, 0, width=16),
        trl.SFTConfig(**arguments(folder, steps, rate, **more), max_length=32),
        train_dataset=listed(400),
        eval_dataset=listed(32, seed=1),
        processing_class=tokenizer,
        callbacks=[callback],
    )


def test_the_network_is_watched_if_asked(tmp_path):
    callback = RunvitalsCallback(dir=tmp_path, watch=True, **QUIET)
    trainer = sft(tmp_path, callback, steps=6)
    known = trainer.model.get_input_embeddings().parameters()
    trainer.optimizer = torch.optim.AdamW(known, lr=1e-3)  # the rest is forgotten

    trainer.train()

    assert "PRE001" in codes(recorded(callback.folder))


def test_a_healthy_fine_tuning_learns_and_is_understood(tmp_path, capsys):
    callback = RunvitalsCallback(dir=tmp_path, **QUIET)
    trainer = sft(tmp_path, callback, eval_strategy="steps", eval_steps=8)

    trainer.train()
    told = trainer.evaluate()

    run = recorded(callback.folder)
    assert (run.framework, run.algorithm, run.status) == ("trl", "SFT", "finished")
    settings(run, learning_rate=5e-3, batch_size=8, total_steps=40, max_grad_norm=1.0)
    history = [row for row in trainer.state.log_history if "loss" in row]
    assert run["lm/loss"].values.tolist() == pytest.approx([row["loss"] for row in history])
    assert run["lm/loss"].steps.tolist() == list(range(1, 41))
    assert run["eval_loss"].last == pytest.approx(told["eval_loss"])
    assert run["time/step_s"].last > 0
    assert run.config["model.trainable_parameters"] > 1000
    assert rv.judge(run).verdict.word in ("learning", "learned")
    assert codes(run) == set()


def test_a_sick_fine_tuning_is_stopped_by_a_finding(tmp_path):
    callback = RunvitalsCallback(dir=tmp_path, stop_on="warning", **QUIET)
    trainer = sft(tmp_path, callback, steps=4000, rate=30.0, max_grad_norm=1e9)

    trainer.train()

    run = recorded(callback.folder)
    assert trainer.state.global_step < 4000
    assert (run.status, bool(run.stopped_by)) == ("stopped", True)
    assert codes(run)


def test_grpo_keeps_completions_as_samples_and_leaves_none_out(tmp_path):
    def many_a(completions, **_):
        return [c.split().count("a") / 8 for c in completions]

    def nothing(completions, **_):
        return [None] * len(completions)

    tokenizer = tokenizer_of(preferences.WORDS)
    rng = np.random.default_rng(0)
    callback = RunvitalsCallback(dir=tmp_path, name="mine", **QUIET)
    trainer = trl.GRPOTrainer(
        model=tiny_model(tokenizer, 0, width=16),
        reward_funcs=[many_a, nothing],
        args=trl.GRPOConfig(
            **arguments(tmp_path, 4, 1e-3),
            num_generations=4,
            max_completion_length=8,
            log_completions=True,
            num_completions_to_print=0,
        ),
        train_dataset=Dataset.from_list(
            [{"prompt": " ".join(preferences.prompt(rng))} for _ in range(20)]
        ),
        processing_class=tokenizer,
        callbacks=[callback],
    )

    trainer.train()

    run = recorded(callback.folder)
    assert (run.framework, run.algorithm, run.name) == ("trl", "GRPO", "mine")
    settings(run, group_size=4, max_response_length=8, learning_rate=1e-3)
    assert len(run["reward/score_mean"]) == 4
    assert run["policy/entropy"].last > 0
    samples = list(run.samples())
    assert sorted({sample.step for sample in samples}) == [1, 2, 3, 4]
    assert {"prompt", "completion", "many_a", "advantage"} <= set(samples[0].fields)
    assert rv.open_run(callback.folder).warnings == []


@pytest.mark.parametrize("log_every", [1, 3])
def test_grpo_marks_the_texts_of_an_evaluation(log_every, tmp_path):
    tokenizer = tokenizer_of(preferences.WORDS)
    rng = np.random.default_rng(0)
    asked = [{"prompt": " ".join(preferences.prompt(rng))} for _ in range(20)]
    callback = RunvitalsCallback(dir=tmp_path, **QUIET)
    given = {**arguments(tmp_path, 4, 1e-3), "logging_steps": log_every}
    trainer = trl.GRPOTrainer(
        model=tiny_model(tokenizer, 0, width=16),
        reward_funcs=lambda completions, **_: [float(len(one)) for one in completions],
        args=trl.GRPOConfig(
            **given,
            eval_strategy="steps",
            eval_steps=2,
            per_device_eval_batch_size=4,
            num_generations=4,
            max_completion_length=8,
            log_completions=True,
            num_completions_to_print=0,
        ),
        train_dataset=Dataset.from_list(asked[:18]),
        eval_dataset=Dataset.from_list(asked[18:19]),
        processing_class=tokenizer,
        callbacks=[callback],
    )

    trainer.train()

    samples = list(recorded(callback.folder).samples())
    held_out = [one for one in samples if one.fields.get("split") == "eval"]
    assert {one.fields["prompt"] for one in held_out} == {asked[18]["prompt"]}
    assert {one.step for one in held_out} == {2, 4}
    assert len(held_out) == 8
    trained = {one.fields["prompt"] for one in samples if "split" not in one.fields}
    assert trained
    assert asked[18]["prompt"] not in trained


@pytest.mark.parametrize("kind", ["DPO", "Reward"])
def test_preferences(kind, tmp_path):
    tokenizer = tokenizer_of(preferences.WORDS)
    pairs = Dataset.from_list(preferences.pairs("vowels", np.random.default_rng(0), 64))
    made = getattr(trl, f"{kind}Config")(**arguments(tmp_path, 6, 1e-3), max_length=32)
    more = {"ref_model": tiny_model(tokenizer, 0, width=16)} if kind == "DPO" else {}
    callback = RunvitalsCallback(dir=tmp_path, **QUIET)
    trainer = getattr(trl, f"{kind}Trainer")(
        tiny_model(tokenizer, 0, width=16, scores=kind == "Reward"),
        args=made,
        train_dataset=pairs,
        processing_class=tokenizer,
        callbacks=[callback],
        **more,
    )

    trainer.train()

    run = recorded(callback.folder)
    assert run.algorithm == {"DPO": "DPO", "Reward": "reward model"}[kind]
    metric = {"DPO": "preference/margin", "Reward": "rm/accuracy"}[kind]
    assert len(run[metric]) == 6


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        ("DPO", {"learning_rate": 1.0}),
        ("Reward", {"learning_rate": 1.0}),
        ("GRPO", {"reward": language.nothing}),
    ],
)
def test_sick_preferences_and_answers_are_stopped(kind, fault, tmp_path):
    run = stopped(language.trl, tmp_path, 4000, kind=kind, steps=4000, **fault)

    assert run.algorithm == {"Reward": "reward model"}.get(kind, kind)


class Points(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, i):
        torch.manual_seed(i)
        x = torch.randn(4)
        return {"x": x, "labels": (x.sum() > 0).long()}


class Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 2)

    def forward(self, x, labels):
        logits = self.layer(x)
        return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}


def test_a_plain_trainer_with_report_to(tmp_path, monkeypatch):
    monkeypatch.setenv("RUNVITALS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("RUNVITALS_PROJECT", "mine")
    register()
    made = TrainingArguments(**arguments(tmp_path, 12, 1e-2, report_to="runvitals"))

    Trainer(Classifier(), made, train_dataset=Points()).train()

    [run] = rv.open_runs(tmp_path / "runs")
    assert (run.framework, run.algorithm, run.project) == ("transformers", None, "mine")
    assert len(run["optim/loss"]) == 12
    assert run["optim/grad_norm"].last > 0
