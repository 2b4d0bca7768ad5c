"""The single entry point to judging: the settings, and the judgement.

Commands, the live judge, the dashboard, reports, notebooks and `rv.judge` all come in here, so that
they say the same about the same run, and go by the same settings.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from runvitals.diagnosis.engine import Choice, judge_by_rules
from runvitals.diagnosis.plugins import load_file, load_installed
from runvitals.diagnosis.settings import check_consistent, checked_codes, choice_from, notify_from
from runvitals.model import ConfigError, Diagnosis, Run
from runvitals.readers.options import ReadOptions, given_over, options_from
from runvitals.readers.settings_file import SettingsFile, settings_file
from runvitals.rules.registry import Rule, rules


@dataclass(frozen=True)
class Settings:
    """How runs are read and judged. Made by hand they are the usual ones, whatever the user's say."""

    choice: Choice = field(default_factory=Choice)
    reading: ReadOptions = field(default_factory=ReadOptions)
    notify: tuple[str, ...] = ()  # apprise URLs, for findings of live runs
    file: str | None = None  # the file they come from, as it is shown
    rule_files: tuple[Path, ...] = ()  # with rules of the user's own
    plugins: bool = False  # whether rules of installed packages are run too


def settings_for(
    file: Path | SettingsFile | None = None,
    *,
    folder: Path | None = None,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    preview: bool = False,
    texts: bool = True,
    rule_files: Sequence[Path] = (),
    framework: str | None = None,
    algorithm: str | None = None,
    names: Mapping[str, str] | None = None,
) -> Settings:
    """What the user's file says, and over it what is said now.

    The file is the given one, or the nearest in the working folder (or `folder`) and above it; the
    folder of the logs has no say. Raises `ConfigError` if something is wrong.
    """
    load_rules(tuple(rule_files))
    known = rules()
    found = file if isinstance(file, SettingsFile) else settings_file(file, folder)
    kept = Settings() if found is None else _of_file(found, known)
    choice = kept.choice
    if select:
        choice = replace(choice, select=checked_codes(select, "--select", known))
    if ignore:
        codes = checked_codes(ignore, "--ignore", known)
        choice = replace(choice, ignore=(*choice.ignore, *codes))
    if preview:
        choice = replace(choice, preview=True)
    if not texts:
        choice = replace(choice, texts=False)
    with _naming(found):
        check_consistent(choice, known)
    return replace(
        kept,
        choice=choice,
        reading=given_over(kept.reading, framework, algorithm, names),
        rule_files=tuple(rule_files),
        plugins=True,
    )


def judge(
    run: Run,
    settings: Settings,
    *,
    live: bool = False,
    since_when: bool = True,
    before_each: Callable[[Rule], None] | None = None,
    extra: Iterable[Rule] = (),
) -> Diagnosis:
    """All that the rules have to say about a run, and which settings they went by.

    `live`, `since_when`, `before_each`, `extra`: as in `judge_by_rules`.
    """
    problems = load_rules(settings.rule_files) if settings.plugins else ()
    found = judge_by_rules(
        run, settings.choice, extra=extra, live=live, since_when=since_when, before_each=before_each
    )
    return replace(found, problems=(*found.problems, *problems), settings_file=settings.file)


@cache
def load_rules(files: tuple[Path, ...] = ()) -> tuple[str, ...]:
    """Import rules of plugins, once per process; returns what is wrong with installed ones."""
    problems = load_installed()
    for file in files:
        load_file(file)
    return tuple(problems)


def _of_file(file: SettingsFile, known: Mapping[str, Rule]) -> Settings:
    with _naming(file):
        return Settings(
            choice=choice_from(file.table, known),
            reading=options_from(file),
            notify=notify_from(file.table),
            file=file.shown,
        )


@contextmanager
def _naming(file: SettingsFile | None) -> Iterator[None]:
    """Name the file in errors raised inside the block."""
    try:
        yield
    except ConfigError as error:
        if file is None or error.where is not None:
            raise
        raise ConfigError(error.what, where=file.path, hint=error.hint) from error
