"""Hugging Face Trainer and TRL: `callbacks=[RunvitalsCallback()]`, or `report_to="runvitals"`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from runvitals.catalog import plain_algorithm
from runvitals.integrations.session import Adapter, AdapterSession, needed, numbers_of
from runvitals.recorder.live import LiveRun
from runvitals.recorder.live_judge import StopOn

transformers = needed("transformers", install="transformers")

MAX_SAMPLES = 64  # completions kept per logged step
_MODEL_FACTS = (
    "model_type", "architectures", "vocab_size", "hidden_size", "num_hidden_layers",
    "num_attention_heads", "max_position_embeddings", "num_labels",
)  # fmt: skip


class RunvitalsCallback(Adapter, transformers.TrainerCallback):  # type: ignore[name-defined]
    """Records what a Trainer logs, with its arguments, its pace and, of TRL, its completions.

    - `stop_on`: "critical" or "warning"; such a finding ends the training at the next step.
    - `watch`: gradients, updates and weights as well, as `rv.watch(model, optimizer)` does.
    - `samples`: with `log_completions=True`, keep what TRL's trainers wrote as samples of the run.
    - `run` and everything else: where to record, see `runvitals.init`.

    Rank 0 records what the trainer logs, other ranks only how long their steps take.
    """

    def __init__(
        self,
        *,
        run: LiveRun | None = None,
        stop_on: StopOn | None = None,
        watch: bool = False,
        samples: bool = True,
        **options: Any,
    ) -> None:
        self._session = AdapterSession(
            None, replaces="transformers", run=run, stop_on=stop_on, **options
        )
        self._watch, self._samples = watch, samples
        self._pace = _Pace()
        self._evaluated_at = -1
        self._seen: set[Path] = set()
        # file, and how many texts an evaluation adds
        self._evaluated: tuple[Path, int] | None = None
        self._began = 0.0

    def on_train_begin(
        self, args: Any, state: Any, control: Any, model: Any = None, **kwargs: Any
    ) -> None:
        """Begin the run, or join the one there is."""
        self._began = time.time()
        run = self._begin(args, state, model)
        run.progress(total_steps=state.max_steps)
        self._pace = _Pace()
        if self._watch:
            self._session.watch(model, kwargs.get("optimizer"))

    def _begin(self, args: Any, state: Any, model: Any = None, *, again: bool = False) -> LiveRun:
        framework, algorithm = trainer_of(args, model)
        self._session.framework = framework
        named = {"name": args.run_name} if getattr(args, "run_name", None) else {}
        return self._session.begin(
            settings_of(args, model) if state.is_world_process_zero else None,
            algorithm=algorithm,
            defaults={"project": algorithm.lower() if algorithm else framework, **named},
            again=again,
        )

    def on_log(
        self,
        args: Any,
        state: Any,
        control: Any,
        logs: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Record the numbers, at the trainer's step."""
        run = self._session.run
        late = run is None  # an evaluation before or after the training
        if run is None:
            run = self._begin(args, state, kwargs.get("model"), again=True)
        values = numbers_of(logs or {}) if state.is_world_process_zero else {}
        evaluated = any(name.startswith("eval_") for name in values)
        if evaluated:
            self._evaluated_at = state.global_step
        if not late and "step_time" not in values and (pace := self._pace.take()) is not None:
            values["time/step_s"] = pace
        if values:
            run.log(values, step=state.global_step)
        if state.is_world_process_zero:
            self._log_samples(run, args)
            if evaluated:
                self._evaluated = _evaluation_of(args, state, kwargs.get("eval_dataloader"))
        if late:
            self._session.end()

    def on_evaluate(
        self,
        args: Any,
        state: Any,
        control: Any,
        metrics: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Record an evaluation that was not logged, such as that of a custom trainer."""
        if self._evaluated_at != state.global_step:
            self.on_log(args, state, control, logs=metrics, **kwargs)

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Take the time."""
        self._pace.begin()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Take the time, and end the training if a finding says so."""
        self._pace.end()
        if self._session.should_stop:
            control.should_training_stop = True

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Note the checkpoint."""
        if self._session.run is not None and state.is_world_process_zero:
            folder = Path(args.output_dir) / f"checkpoint-{state.global_step}"
            self._session.run.progress(latest_checkpoint=str(folder))

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """End the run, if it began here."""
        if self._session.run is not None and state.is_world_process_zero:
            self._log_samples(self._session.run, args)
        self._session.end()

    def _log_samples(self, run: LiveRun, args: Any) -> None:
        """Files are there only after the log of their step: each is taken with the next one."""
        if not self._samples or not getattr(args, "log_completions", False):
            return
        again, asked = self._evaluated or (None, 0)
        self._evaluated = None
        for file in sorted((Path(args.output_dir) / "completions").glob("completions_*.parquet")):
            if (file in self._seen and file != again) or file.stat().st_mtime < self._began:
                continue
            held_out, is_new = asked * (file == again), file not in self._seen
            for sample, step in completions_in(file, held_out, trained=is_new):
                run.log_samples(sample, step)
            self._seen.add(file)


def _evaluation_of(args: Any, state: Any, loader: Any) -> tuple[Path, int] | None:
    """TRL adds the texts of an evaluation to the file of its step: at the end, and this many."""
    sizes = (getattr(args, name, None) for name in ("num_generations_eval", "num_generations"))
    name = f"completions_{state.global_step:05d}.parquet"
    if loader is None:
        return None
    asked = len(loader.dataset) * next(filter(None, sizes), 1)
    return Path(args.output_dir) / "completions" / name, asked


class _Pace:
    """Mean seconds of the steps since the last log."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._seconds, self._steps = 0.0, 0

    def begin(self) -> None:
        self._began = time.perf_counter()

    def end(self) -> None:
        if self._began is not None:
            self._seconds += time.perf_counter() - self._began
            self._steps += 1
            self._began = None

    def take(self) -> float | None:
        if not self._steps:
            return None
        mean = self._seconds / self._steps
        self._seconds, self._steps = 0.0, 0
        return mean


def trainer_of(args: Any, model: Any = None) -> tuple[str, str | None]:
    """Framework and algorithm, by the class of the arguments: each trainer of TRL has its own.

    A plain Trainer says no more than its model does: one that writes text is fine-tuned.
    """
    for kind in type(args).__mro__:
        if kind.__module__.partition(".")[0] == "trl":
            name = kind.__name__.removesuffix("Config")
            if name == "CPO" and getattr(args, "loss_type", None) == "simpo":
                name = "SimPO"
            return "trl", plain_algorithm(name)
    names = [kind.__name__ for kind in type(model).__mro__]
    names += getattr(getattr(model, "config", None), "architectures", None) or []
    writes = any(name.endswith(("CausalLM", "LMHeadModel")) for name in names)
    return "transformers", "SFT" if writes else None


def settings_of(args: Any, model: Any = None) -> dict[str, Any]:
    """The trainer's arguments, and what the model is."""
    settings: dict[str, Any] = {**args.to_dict(), "train_batch_size": args.train_batch_size}
    if not settings.get("use_adaptive_entropy"):
        settings.pop("entropy_target", None)  # TRL's default, which nothing aims at
    facts: dict[str, Any] = {}
    config = getattr(model, "config", None)
    if config is not None:
        facts = {key: getattr(config, key) for key in _MODEL_FACTS if hasattr(config, key)}
        facts["path"] = getattr(config, "_name_or_path", "") or None
    if model is not None and hasattr(model, "parameters"):
        sizes = [(p.numel(), p.requires_grad) for p in model.parameters()]
        facts["parameters"] = sum(size for size, _ in sizes)
        facts["trainable_parameters"] = sum(size for size, trains in sizes if trains)
    if model is not None:  # says whether it writes texts
        settings["architectures"] = facts.pop("architectures", None) or [type(model).__name__]
    known = {key: value for key, value in facts.items() if value is not None}
    return {**settings, **({"model": known} if known else {})}


def completions_in(
    file: Path, held_out: int = 0, *, trained: bool = True
) -> Iterator[tuple[dict[str, Any], int]]:
    """The first completions of a file that TRL wrote, as samples with their step.

    The last `held_out` of them are an evaluation's. Without `trained` the others are left out.
    """
    from pyarrow import parquet

    table = parquet.read_table(file)
    rewards = [
        name
        for name in table.column_names
        if name not in ("step", "prompt", "completion", "advantage")
    ]
    ours = max(0, len(table) - held_out)
    first = table.slice(0, min(ours, MAX_SAMPLES) if trained else 0)
    for part, more in ((first, {}), (table.slice(ours, MAX_SAMPLES), {"split": "eval"})):
        for row in part.to_pylist():
            step = int(row.pop("step"))
            if len(rewards) == 1:  # of several, only the trainer knows what each weighs
                row["reward"] = row.pop(rewards[0])
            yield {**row, **more}, step


def register() -> None:
    """Make `report_to="runvitals"` known to `TrainingArguments` and all of TRL's configs."""
    from transformers.integrations import integration_utils

    integration_utils.INTEGRATION_TO_CALLBACK["runvitals"] = RunvitalsCallback
