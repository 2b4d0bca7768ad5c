"""Says what the names and settings of a run mean, once, for every format alike.

A setting that no config tells may have been logged, as learning rates are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from runvitals import catalog
from runvitals.catalog.resolving.by_words.log import facts_of
from runvitals.model import Binding, FloatArray, Run
from runvitals.readers.options import ReadOptions, check_options
from runvitals.readers.raw import source
from runvitals.readers.raw.numbers import as_written
from runvitals.readers.tabular._json import parse

_FEW = 3  # equal values before a number counts as one that somebody set


class _Logged(NamedTuple):
    """A setting, the metrics it is logged as, which value counts, and the word for that."""

    key: str
    metrics: tuple[str, ...]
    value: Callable[[FloatArray], float | None]
    which: str


def _peak(values: FloatArray) -> float | None:
    """The highest value of a schedule; None for zeros, which are small rates after rounding."""
    highest = float(values.max())
    return highest if highest > 0 else None


def _first(values: FloatArray) -> float | None:
    """Where a schedule starts."""
    return float(values[0])


def _constant(values: FloatArray) -> float | None:
    """The value, if it never changes; an adaptive weight is not a setting."""
    if len(values) < _FEW or not np.all(values == values[0]):
        return None
    return float(values[0])


_LOGGED = (
    _Logged("learning_rate", ("optim/learning_rate", "policy/learning_rate"), _peak, "highest"),
    _Logged("critic_learning_rate", ("value/learning_rate",), _peak, "highest"),
    _Logged("clip_range", ("policy/clip_range",), _first, "first"),
    _Logged("clip_range_vf", ("value/clip_range",), _first, "first"),
    _Logged("kl_coef", ("policy/kl_coef",), _constant, "constant"),
    _Logged("entropy_coef", ("policy/entropy_coef",), _constant, "constant"),
    _Logged("preference_beta", ("preference/beta",), _constant, "constant"),
)


def add_logged_settings(run: Run) -> None:
    """Complete the settings of a bound run: config first, then what was logged, told in its evidence.

    Of a schedule the highest learning rate counts and the first clip range; weights of the KL and
    the entropy count only if they never move, since many tools adapt them.
    """
    known = [note for note in run.evidence.get("settings", ()) if not note.startswith("logged: ")]
    noted = (note for note in run.evidence.get("settings", ()) if note not in known)
    from_log = {note.removeprefix("logged: ").partition(" ")[0] for note in noted}
    settings = {key: value for key, value in run.settings.items() if key not in from_log}
    notes = []
    for logged in _LOGGED:
        if logged.key in settings:
            continue
        for metric in logged.metrics:
            series = run.get(metric)
            if series is None:
                continue
            values = series.values[np.isfinite(series.values)]
            value = logged.value(values) if len(values) else None
            if value is not None:
                settings[logged.key] = as_written(value)
                notes.append(f"logged: {logged.key} is the {logged.which} {series.name}")
                break
    run.settings = settings
    if known or notes:
        run.evidence["settings"] = [*known, *notes]
    else:
        run.evidence.pop("settings", None)


_SURE = 0.5  # a tool or an algorithm guessed with less is not named
_DECIDES = 0.7  # an algorithm guessed with less does not say what a name means


def bind(run: Run, options: ReadOptions | None = None) -> Run:
    """Bind names to the catalog. What the user says counts most, then the log, then a guess."""
    options = options or ReadOptions()
    names = run.names()
    # What was sampled of the machine says nothing about the trainer, and may be most of the names.
    machine = [name for name in names if name.lower().startswith("system/")]
    sampled = set(machine)
    told = [name for name in names if name not in sampled]
    settings = catalog.resolve_config(run.config)
    check_options(options)
    told_framework = catalog.find_framework(options.framework) if options.framework else None
    framework = told_framework or _framework(run, told)
    near = beside(run) if framework in catalog.BUILT_ON_TRANSFORMERS else Beside()
    algorithm = options.algorithm or run.algorithm
    numbers_of = lru_cache(maxsize=None)(lambda name: facts_of(run.points.glimpse(name)))
    # Two passes where the algorithm is not known: what names mean depends on it (`loss` of DPO is not
    # that of PPO), and the metrics that are clear without it help to guess it.
    resolved = catalog.resolve_all(
        told, framework=framework, algorithm=algorithm, facts_of=numbers_of
    )
    if algorithm is None:
        metrics = {found.metric for found in resolved.values() if found.how != "words"}
        setting = settings.get("algorithm")
        algorithm, decides = _algorithm(run, told, framework, setting, near, metrics)
        if algorithm is not None and decides:
            resolved = catalog.resolve_all(
                told, framework=framework, algorithm=algorithm, facts_of=numbers_of
            )
    resolved |= {
        name: found for name, found in catalog.resolve_all(machine).items() if found.how != "words"
    }
    bindings = {
        name: Binding(
            found.metric,
            dict(found.labels),
            None if found.is_identity else found.apply,
            found.framework,
            found.how,
            found.sure,
            found.phrase,
        )
        for name, found in resolved.items()
    }
    # what the user said comes last: it beats every guess, and is never relabelled
    _name_the_total_reward(bindings)
    _tell_twins_apart(run, bindings)
    for name, metric in options.names.items():
        bindings[name] = Binding(metric, how="told")
    run.bind(bindings)
    run.framework, run.algorithm = framework, algorithm
    settings = catalog.resolve_config(run.config, algorithm)
    run.settings = {key: value for key, (_, value) in settings.items()}
    add_logged_settings(run)
    return run


_TOTALS = ("reward/mean", "reward/score_mean", "outcome/return_mean")


def _name_the_total_reward(bindings: dict[str, Binding]) -> None:
    """Takes a reward function called `reward`, or the only one, for the total if none is logged."""
    if any(binding.metric in _TOTALS for binding in bindings.values()):
        return
    parts = {name: one for name, one in bindings.items() if one.metric == "reward/component_mean"}
    plain = [name for name, one in parts.items() if one.labels.get("component") == "reward"]
    for name in plain or (parts if len(parts) == 1 else ()):
        bindings[name] = replace(parts[name], metric="reward/mean", labels={})


_ORDER = {"certain": 0, "likely": 1, "guess": 2}


def _tell_twins_apart(run: Run, bindings: dict[str, Binding]) -> None:
    """Labels all but the most certain and plainest of several names that mean one metric.

    A single value, as the test at the end leaves it, does not stand for a series.
    """
    metrics = Counter(binding.metric for binding in bindings.values())

    def rank(name: str) -> tuple[int, bool, int, str]:
        binding = bindings[name]
        single = metrics[binding.metric] > 1 and len(run[name]) == 1
        return _ORDER[binding.sure], single, len(name), name

    seen: set[tuple[str, frozenset[tuple[str, str]]]] = set()
    for name in sorted(bindings, key=rank):
        binding = bindings[name]
        key = binding.metric, frozenset(binding.labels.items())
        if key in seen and binding.how == "words":
            bindings[name] = replace(binding, labels={**binding.labels, "name": name})
        seen.add(key)


def _framework(run: Run, names: Sequence[str]) -> str | None:
    """The tool that the log says wrote it, or one built on that, or a guess."""
    # its own word where the catalog does not know the tool
    base = run.framework and (catalog.find_framework(run.framework) or run.framework)
    if base is not None and base not in catalog.FRAMEWORKS:
        return base
    guess = catalog.guess_framework(names, base)
    if guess.id is None or guess.confidence < _SURE:
        return None
    if guess.evidence and guess.id != base:
        run.evidence["framework"] = list(guess.evidence)
    return guess.id


def _algorithm(
    run: Run,
    names: Sequence[str],
    framework: str | None,
    setting: tuple[str, Any] | None,
    near: Beside,
    metrics: set[str],
) -> tuple[str | None, bool]:
    """The algorithm, and whether it is certain enough to decide what a name means."""
    card = (" ".join(near.tags),) if near.tags else ()
    guess = catalog.algorithm_of(
        names,
        framework,
        run.config,
        setting=setting,
        called=(*card, *titles_of(run)),
        metrics=metrics,
    )
    supervised = guess.id == "SFT" and guess.confidence < _DECIDES
    if supervised and near.language_model is False:
        return None, False
    if guess.id is not None and guess.confidence >= _SURE:
        run.evidence["algorithm"] = list(guess.evidence)
        return guess.id, guess.confidence >= _DECIDES or near.language_model is True
    if setting is not None and isinstance(setting[1], str):
        run.evidence["algorithm"] = [f"config {setting[0]}"]
        return setting[1].upper(), False
    return None, False


_MAX_BYTES = 64 * 1024  # bytes of a card or a config that are looked at
_TAG = re.compile(r"^\s*-\s+([\w./ -]{1,60})\s*$")
_CHECKPOINT = re.compile(r"(?:checkpoint|global_step|step|epoch|version|run)[_-]?\d+")
_SPOKEN_BY_TOOLS = re.compile(r"events\.out\.|trainer_(?:state|log)|progress\.|metrics\.|log\.")


@dataclass(frozen=True, slots=True)
class Beside:
    """What a model card is tagged with, and whether the model predicts tokens; None if unknown."""

    tags: tuple[str, ...] = ()
    language_model: bool | None = None


def titles_of(run: Run) -> tuple[str, ...]:
    """What the run, its file and the folders above it are called, the nearest first."""
    found = [run.name]
    if run.path is not None:
        path = run.path.resolve()
        found += [path.name, path.parent.name, path.parent.parent.name]
    return tuple(
        dict.fromkeys(title for title in found if title and not _SPOKEN_BY_TOOLS.match(title))
    )


def beside(run: Run) -> Beside:
    """What the card and the config of the model say, in the run's folder or above a checkpoint."""
    if run.path is None:
        return Beside()
    folder = run.path if run.path.is_dir() else run.path.parent
    folders = [folder]
    if _CHECKPOINT.fullmatch(folder.resolve().name):
        folders.append(folder.resolve().parent)
    tags: list[str] = []
    language: bool | None = None
    for one in folders:
        tags += _card_tags(one / "README.md")
        if language is None:
            language = _language_model(one)
    return Beside(tuple(dict.fromkeys(tags)), language)


def _card_tags(path: Path) -> list[str]:
    """The tags in the head of a model card: `trl`, `dpo`, `llama-factory`."""
    text = _text(path)
    if not text.startswith("---"):
        return []
    head = text[3:].partition("\n---")[0]
    return [found[1] for line in head.splitlines() if (found := _TAG.match(line))]


def _language_model(folder: Path) -> bool | None:
    """True if the model beside the log predicts tokens; None if it does not say."""
    for name, key in (("adapter_config.json", "task_type"), ("config.json", "architectures")):
        try:
            content = parse(_text(folder / name).encode())
        except (ValueError, RecursionError):
            continue
        said = str(content.get(key) or "") if isinstance(content, dict) else ""
        if re.search(r"ForCausalLM|CAUSAL_LM|LMHead|ForConditionalGeneration|SEQ_2_SEQ_LM", said):
            return True
        if re.search(r"For\w*Classification|_CLS|For\w*Detection|ForQuestionAnswering", said):
            return False
    return None


def _text(path: Path) -> str:
    return source.head(path, _MAX_BYTES).decode("utf-8", "replace") if path.is_file() else ""
