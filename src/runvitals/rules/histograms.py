"""Which histograms of a run rules can read, and what each is a histogram of."""

import re

from runvitals import catalog
from runvitals.model import Binding, Histogram, HistogramSeries, Run

NEED = "histogram:"  # how a rule's `needs` asks for one: "histogram:advantage"

QUANTITIES = {  # what it is of, by the metric that its name is bound to
    "reward/mean": "reward",
    "reward/score_mean": "reward",
    "advantage/mean": "advantage",
    "policy/action_share": "action",
}
_WORDS = {"reward": "reward", "rewards": "reward", "advantage": "advantage", "adv": "advantage"}
_WORDS |= {"advantages": "advantage", "advs": "advantage"}
_ABOUT_IT = frozenset({"dist", "distribution", "hist", "histogram", "distrib", "values", "batch"})


class HistogramShelf:
    """The histograms of a run by what they are of, read when one is first asked for."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._found: dict[str, list[HistogramSeries]] | None = None
        self._meant: dict[str, tuple[str, Binding | None] | None] = {}

    def of(self, quantity: str) -> list[HistogramSeries]:
        """All of one quantity: `reward`, `advantage` or `action`."""
        if self._found is None:
            self._found = self._read()
        return self._found.get(quantity, [])

    def _read(self) -> dict[str, list[HistogramSeries]]:
        by_name: dict[str, list[Histogram]] = {}
        for one in self._run.histograms_where(lambda name: self._meaning(name) is not None):
            by_name.setdefault(one.name, []).append(one)
        found: dict[str, list[HistogramSeries]] = {}
        for name, histograms in by_name.items():
            meaning = self._meaning(name)
            if meaning is None:
                continue
            quantity, bound = meaning
            metric, labels = (bound.metric, bound.labels) if bound is not None else (None, None)
            series = HistogramSeries.of(name, histograms, metric, labels)
            if len(series):
                found.setdefault(quantity, []).append(series)
        return found

    def _meaning(self, name: str) -> tuple[str, Binding | None] | None:
        if name not in self._meant:
            self._meant[name] = self._look_up(name)
        return self._meant[name]

    def _look_up(self, name: str) -> tuple[str, Binding | None] | None:
        run = self._run
        bound = run.bindings.get(name)
        if bound is None:
            known = catalog.resolve_all([name], framework=run.framework, algorithm=run.algorithm)
            if (found := known.get(name)) is not None:
                bound = Binding(found.metric, dict(found.labels))
        if bound is not None:
            quantity = QUANTITIES.get(bound.metric)
            return None if quantity is None else (quantity, bound)
        quantity = quantity_in_words(name)
        return None if quantity is None else (quantity, None)


def quantity_in_words(name: str) -> str | None:
    """What a histogram is of, by the last word of its name; None if that says nothing.

    >>> [quantity_in_words(n) for n in ("train/Advantages", "reward_hist", "reward_model/weight")]
    ['advantage', 'reward', None]
    """
    words = _words(name)
    while words and words[-1] in _ABOUT_IT:
        words.pop()
    return _WORDS.get(words[-1]) if words else None


def _words(name: str) -> list[str]:
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return [word for word in re.split(r"[^a-z]+", apart.lower()) if word]
