"""Records of the catalog: what a metric is, what tools call it, what is healthy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Direction = Literal["higher", "lower", "target", "neutral"]
# How sure it is what a name means: its tool or its user says so; several signs agree; its words only.
Certainty = Literal["certain", "likely", "guess"]


# `range`: inside is healthy, outside is a sign. `limit`: beyond it something is wrong, within it
# nothing is proven. `usual`: where such runs mostly lie; leaving it is not a sign by itself.
BandKind = Literal["range", "limit", "usual"]


@dataclass(frozen=True, slots=True)
class Band:
    """A range of a metric, and where it holds. Open ends are None.

    `context` says for people where it holds; the other fields say it for `runvitals.vitals`. A band
    holds for runs of these `tools` (or for series with these `names`, where the tool is not known), of
    these `kinds` of training and these `algorithms`; empty means any. `labels` have to be those of the
    series. `actions`: only for real-valued ones, or only for others. `scale`: the series has to begin
    between these values. `late`: it counts only in the second half of training. `unless`: points at
    which that metric is not zero do not count.

    `config_key` names the setting of the run that overrides the number, as `target_kl` does; two
    settings, joined by a space, are the lower and the upper end. A setting counts whatever the tool and
    the algorithm. `times`: the numbers are multiples of the series' own median, or of its start.
    """

    low: float | None
    high: float | None
    why: str
    source: str
    context: str = ""
    algorithms: tuple[str, ...] = ()
    config_key: str | None = None
    kind: BandKind = "range"
    tools: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    actions: Literal["", "continuous", "discrete"] = ""
    scale: tuple[float, float] | None = None
    late: bool = False
    unless: str = ""
    times: Literal["", "its median", "its start"] = ""

    def __contains__(self, value: float) -> bool:
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


@dataclass(frozen=True, slots=True)
class Metric:
    """One canonical metric."""

    id: str
    meaning: str
    unit: str
    direction: Direction
    category: str
    title: str = ""
    healthy: tuple[Band, ...] = ()
    watch_for: str = ""
    related: tuple[str, ...] = ()
    not_the_same_as: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Alias:
    """A name that a tool logs, and the metric it is. `{placeholders}` match one path segment or part.

    `canonical value = scale * logged value`, or `transform` (an expression in x) where a factor is
    not enough. `metric` is None for a known name without a general meaning. `always` marks a name
    that every run of its algorithms and releases logs, so that its absence dates a run.
    """

    name: str
    metric: str | None
    algorithms: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    scale: float = 1.0
    transform: str = ""
    versions: str = ""
    note: str = ""
    always: bool = False


@dataclass(frozen=True, slots=True)
class Framework:
    """A tool that logs metrics, and its names for them.

    `inherits` lists tools whose names it logs as well; `names` are other spellings of its own name;
    `kind` says what it trains, which decides what a bare "reward" or "PPO" means there. `marks` are
    names, or several with spaces between, that no other tool logs together: one mark is proof enough.
    """

    id: str
    title: str
    version: str
    aliases: tuple[Alias, ...]
    inherits: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    kind: Literal["llm", "classic", "general"] = "general"
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the trade."""

    word: str
    definition: str
    source: str = ""
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WatchGroup:
    """A few metrics to read together, in this order.

    `names` are the names under which a document lists them, `also` what else the group is called.
    """

    title: str
    metrics: tuple[str, ...] = ()
    note: str = ""
    names: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scenario:
    """What to watch for one kind of training, most telling group first.

    `tools` log the `names` of its groups; `also` is what else the list is called.
    """

    id: str
    title: str
    groups: tuple[WatchGroup, ...]
    algorithms: tuple[str, ...] = ()
    source: str = ""
    tools: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Symptom:
    """What a person sees, what to look at first and next, and what it often means.

    `also` are other words for the sign, `rules` the codes of those that look for it, and `lists` the
    collections of signs that it belongs to.
    """

    sign: str
    check_first: tuple[str, ...] = ()
    then_check: tuple[str, ...] = ()
    likely: str = ""
    advice: str = ""
    source: str = ""
    also: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConfigKey:
    """A setting that many tools have under different names. `note` says when to change it."""

    id: str
    meaning: str
    aliases: tuple[str, ...] = ()
    note: str = ""
