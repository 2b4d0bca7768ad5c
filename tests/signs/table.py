"""The table of all signs: which rule speaks, how loudly, in which setting.

python -m tests.signs.table [--twisted] [AREA ...]

`--twisted` plays them with other lengths, noise, beginnings and ways to rise.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from tests.signs.documents import DOCUMENTS
from tests.signs.playing import (
    PLAIN,
    SETTINGS,
    TWISTS,
    Played,
    Sign,
    healthy_twins,
    play_all,
    play_twisted,
)

TWINS = 12  # healthy runs of each document, with other random numbers


def areas() -> dict[str, tuple[Sign, ...]]:
    """All signs by area: a module `<area>_signs.py` of this folder each."""
    files = sorted(Path(__file__).parent.glob("*_signs.py"))
    names = [path.stem for path in files if not path.stem.startswith("test_")]
    return {name: import_module(f"tests.signs.{name}").SIGNS for name in names}


@dataclass(frozen=True)
class Score:
    """How many runs there were, and how many of them were spoken of."""

    played: int
    spoken: int
    harmful: int
    alarmed: int

    @property
    def share_spoken(self) -> float:
        """Of all that were played."""
        return self.spoken / max(1, self.played)

    @property
    def share_alarmed(self) -> float:
        """Of those in which harm is done."""
        return self.alarmed / max(1, self.harmful)


def score(played: Sequence[Played]) -> Score:
    """Counts over runs."""
    harmful = [one for one in played if one.harmful]
    return Score(
        len(played),
        sum(bool(one.said) for one in played),
        len(harmful),
        sum(one.alarmed for one in harmful),
    )


def lines(played: Sequence[Played]) -> Iterator[str]:
    """One line per sign: its rules, and how often each was said in each setting."""
    for sign in dict.fromkeys(one.sign for one in played):
        cells = []
        for setting in SETTINGS:
            mine = [one for one in played if one.sign is sign and one.setting == setting]
            said = Counter(one.said or "silent" for one in mine)
            cells.append(" ".join(f"{n} {word}" for word, n in said.most_common()) or "-")
        codes = " ".join((*sign.codes, *([f"vital {sign.vital}"] if sign.vital else [])))
        yield " | ".join((sign.document.name, sign.name, codes, *cells))


def main() -> None:
    """Print the table; arguments choose areas by how their names begin."""
    everything: list[Played] = []
    twisted = "--twisted" in sys.argv
    chosen = tuple(word for word in sys.argv[1:] if not word.startswith("-"))
    for area, signs in areas().items():
        if chosen and not area.startswith(chosen):
            continue
        played = list(play_twisted(signs) if twisted else play_all(signs))
        everything += played
        print("\n".join((area, *lines(played))))
        for miss in played:
            if not miss.said or (miss.harmful and not miss.alarmed):
                print(
                    f"  {miss.said or 'silent'}: {miss.sign.name}, {miss.setting}, {miss.strength},"
                    f" seed {miss.seed}, {miss.twist.updates} updates, {miss.word}"
                )
        one = score(played)
        print(
            f"{area}: spoken {one.spoken} of {one.played}; "
            f"alarmed {one.alarmed} of {one.harmful} harmful\n"
        )
    total = score(everything)
    print(f"spoken {total.share_spoken:.1%}, alarmed where harmful {total.share_alarmed:.1%}")
    for document in DOCUMENTS:
        twists = TWISTS if twisted else (PLAIN,)
        found = [one for twist in twists for one in healthy_twins(document, TWINS, twist)]
        alarms = Counter(f.code for one in found for f in one.alarms)
        words = Counter(one.verdict.word for one in found)
        print(f"healthy twins of {document.name}: {dict(words)}, alarms {dict(alarms)}")


if __name__ == "__main__":
    main()
