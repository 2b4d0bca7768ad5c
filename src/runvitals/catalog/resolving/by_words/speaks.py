"""What a name that nobody understands speaks of, so that a reader can be told what was missed."""

from __future__ import annotations

from typing import Literal

from runvitals.catalog.resolving.by_words.parse import parse
from runvitals.catalog.resolving.names import words

Subject = Literal["loss", "outcome", "update"]

_SUBJECTS: tuple[tuple[Subject, frozenset[str]], ...] = (
    ("loss", words("loss nll perplexity mse rmse mae")),
    (
        "outcome",
        words(
            "reward return score success accuracy win elo exploitability correct solved f1 bleu rouge"
        ),
    ),
    ("update", words("entropy kl")),
)
# With these it is a setting, a limit or another statistic.
_OTHER = words(
    "coef scale weight target threshold limit std min max variance num time per s baseline penalty "
    "bonus"
)


def speaks_of(name: str) -> Subject | None:
    """Whether the words of a name speak of a loss, of an outcome, or of what an update does.

    >>> [speaks_of(name) for name in ("my_loss", "eval/chess_score", "loss_scale", "my/number")]
    ['loss', 'outcome', None, None]
    """
    parsed = parse(name)
    if parsed is None or set(parsed.tail) & _OTHER:
        return None
    said = set(parsed.tail)
    return next((subject for subject, its in _SUBJECTS if said & its), None)
