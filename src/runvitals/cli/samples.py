"""`runvitals samples`: what the model wrote."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from runvitals.cli.options import Format, described
from runvitals.cli.output import print_json, terminal_or_unbroken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from runvitals.model import Rollout, Run
    from runvitals.rollouts.choosing import Wanted


@described("""
run: A run folder, or the output folder of a trainer.
--step: Only these steps: 20, 20:40 or 20:.
--reward: Only these rewards: 0.5: or :0.1.
--search: Only texts or prompts that match a regular expression.
--fault: Only texts with a fault, such as garbage or loop.
--id: Only the sample that a finding names, such as 120-5f3a09c1.
--by-prompt: The samples of each prompt together.
--diff: Two steps: what changed in the answer to one prompt.
--most (min=1): How many to show.
""")
def samples(
    run: Path,
    step: str | None = None,
    reward: str | None = None,
    search: str | None = None,
    fault: str | None = None,
    id: str | None = None,
    by_prompt: bool = False,
    diff: tuple[int, int] | None = None,
    most: int = 20,
    format: Format = Format.text,
) -> None:
    """Show prompts and what the model made of them, with rewards and faults.

    Reads TRL's completions, veRL's rollout folders, other Parquet or JSONL rollouts, and what was
    logged with `run.log_samples`.
    """
    from runvitals.model import ReadError
    from runvitals.readers.open import open_run

    opened = open_run(run)
    found = _rollouts(opened)
    if diff is not None:
        _print_difference(found, *diff)
        return
    chosen = _chosen(found, _wanted(step, reward, search, fault, id), most)
    if not chosen:
        raise ReadError(run, "no sample matches", hint="leave out an option to see more")
    if by_prompt:
        chosen.sort(key=lambda one: (one.prompt, one.step))
    if format is Format.json:
        print_json({"run": opened.id, "samples": [_record(one) for one in chosen]})
    else:
        _print(chosen, by_prompt=by_prompt)


def _rollouts(run: Run) -> Iterator[Rollout]:
    from itertools import chain

    from runvitals.model import ReadError
    from runvitals.rollouts.record import rollout_of

    read = iter(run.read_samples() if run.read_samples is not None else ())
    found = (one for one in map(rollout_of, read) if one is not None)
    first = next(found, None)
    if first is None:
        raise ReadError(
            run.path or "-",
            "this run has no samples",
            hint="record them with run.log_samples, log_completions=True (TRL) or "
            "trainer.rollout_data_dir (veRL)",
        )
    return chain([first], found)


def _wanted(
    step: str | None, reward: str | None, search: str | None, fault: str | None, id: str | None
) -> Wanted:
    import re

    from runvitals.model import ConfigError
    from runvitals.model.text import did_you_mean
    from runvitals.rollouts.choosing import Between, Wanted, short
    from runvitals.rollouts.measures import FAULTS

    known = {short(metric): metric for metric in FAULTS}
    if fault is not None and fault not in known:
        near = did_you_mean(fault, tuple(known)) or f"one of: {', '.join(known)}"
        raise ConfigError(f"there is no fault {fault!r}", hint=near)
    try:
        words = None if search is None else re.compile(search, re.IGNORECASE)
    except re.error as error:
        raise ConfigError(f"--search is not a regular expression: {error}") from None
    return Wanted(
        Between() if step is None else Between.parse(step, "--step"),
        Between() if reward is None else Between.parse(reward, "--reward"),
        words,
        None if fault is None else known[fault],
        id,
    )


def _chosen(rollouts: Iterable[Rollout], wanted: Wanted, most: int) -> list[Rollout]:
    """The last ones of those that are wanted: what the model writes now."""
    from collections import deque

    return list(deque((one for one in rollouts if wanted.holds(one)), maxlen=most))


def _record(one: Rollout) -> dict[str, object]:
    from dataclasses import asdict

    from runvitals.rollouts.choosing import faults_of

    return {"id": one.id, **asdict(one), "faults": faults_of(one)}


def _print(rollouts: list[Rollout], *, by_prompt: bool) -> None:

    from runvitals.render.terminal import safe
    from runvitals.rollouts.choosing import faults_of
    from runvitals.rollouts.series import quoted

    console = terminal_or_unbroken()
    prompt = None
    for one in rollouts:
        if by_prompt and one.prompt != prompt:
            prompt = one.prompt
            console.print(safe(" ".join(prompt.split())[:200], "bold"))
        faults = ", ".join(faults_of(one))
        line = safe(quoted(one))
        console.print(line.append(f"  [{faults}]", style="yellow") if faults else line)


def _print_difference(rollouts: Iterable[Rollout], early: int, late: int) -> None:
    from rich.text import Text

    from runvitals.model import ConfigError
    from runvitals.model.text import terminal_safe
    from runvitals.render.terminal import safe
    from runvitals.rollouts.choosing import counterparts, difference

    pair = counterparts(rollouts, early, late)
    if pair is None:
        raise ConfigError(
            f"no prompt was sampled at both step {early:,} and step {late:,}",
            hint="--by-prompt shows which prompts were sampled when",
        )
    before, after = pair
    console = terminal_or_unbroken()
    console.print(safe(" ".join(before.prompt.split())[:200], "bold"))
    console.print(
        f"step {early:,}, reward {before.reward:.4g} -> step {late:,}, reward {after.reward:.4g}"
    )
    shown = Text()
    for kind, words in difference(before.completion, after.completion):
        text = terminal_safe(words)
        if kind == "gone":
            shown.append(f"[-{text}-] ", style="red")
        elif kind == "new":
            shown.append(f"{{+{text}+}} ", style="green")
        else:
            shown.append(f"{text} ")
    console.print(shown)
