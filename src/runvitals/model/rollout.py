"""What a model wrote, and the part of it that is kept of a long run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from zlib import crc32

MAX_TURN = 400  # characters of a turn of a long conversation that are kept
MAX_TURNS = 64


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation: who spoke, what was said, and the tools that were called."""

    role: str
    text: str
    calls: tuple[str, ...] = ()

    def shortened(self) -> Turn:
        """With the beginnings of long texts only."""
        return Turn(self.role, self.text[:MAX_TURN], tuple(c[:MAX_TURN] for c in self.calls))


@dataclass(frozen=True, slots=True)
class Rollout:
    """A prompt and what the model wrote. `parts` are named scores beside the reward.

    `group` is what samples of the same prompt share. `cut` says whether it was stopped by the length
    limit, None if nothing tells. `held_out`: it belongs to an evaluation. `whole` is the id and the
    number of characters that it had before its text was shortened.
    """

    step: int
    prompt: str
    completion: str
    reward: float = math.nan
    parts: Mapping[str, float] | None = None
    tokens: float = math.nan
    correct: float = math.nan
    cut: bool | None = None
    group: str = ""
    rank: int | None = None
    held_out: bool = False
    turns: tuple[Turn, ...] = ()
    whole: tuple[str, int] | None = None

    @property
    def id(self) -> str:
        """Names this rollout among those of its run, whoever reads it: `120-5f3a09c1`."""
        if self.whole is not None:
            return self.whole[0]
        text = f"{self.prompt}\0{self.completion}".encode("utf-8", "replace")
        return f"{self.step}-{crc32(text):08x}"

    @property
    def characters(self) -> int:
        """How long the completion is, or was before it was shortened."""
        return len(self.completion) if self.whole is None else self.whole[1]

    def shortened(self, most: int) -> Rollout:
        """With the beginning and the end of long texts only, and no more of turns than is judged."""
        longest = max(len(self.prompt), len(self.completion), sum(len(t.text) for t in self.turns))
        if longest <= most:
            return self
        return replace(
            self,
            prompt=_ends(self.prompt, most),
            completion=_ends(self.completion, most),
            group=_ends(self.group, most),
            turns=tuple(one.shortened() for one in self.turns[:MAX_TURNS]),
            whole=(self.id, self.characters),
        )


def _ends(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most // 2]}{text[-(most // 2) :]}"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A few steps of a run: how many rollouts they had, and those of them that were kept.

    Whole groups are kept, chosen by chance, and beside them the `extremes`: the highest reward and the
    longest text, which say more than the rest and are not representative.
    """

    first: int
    last: int
    count: int
    kept: tuple[Rollout, ...]
    extremes: tuple[Rollout, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of one prompt: the id of its first sample, and its scores by step.

    A score is whether the answer was right where that was logged, otherwise its reward; `scores` holds
    how many there were, their sum and the highest. Prompts of evaluations are `held_out`.
    """

    prompt: str  # its end: what comes first is often the same for all
    checksum: int  # of the whole prompt
    sample: str
    held_out: bool
    scores: Mapping[int, tuple[int, float, float]]


@dataclass(frozen=True, slots=True)
class Digest:
    """The rollouts of a run, as a bounded number of them in the order of steps.

    `prompts` are those with the lowest checksums: where a prompt of an evaluation is kept, the same
    prompt of the training is too.
    """

    stretches: tuple[Stretch, ...]
    prompts: tuple[Asked, ...] = ()

    def until(self, step: int | None) -> Digest:
        """What was known when the run had come so far."""
        if step is None:
            return self
        stretches = tuple(one for one in self.stretches if one.last <= step)
        return Digest(stretches, self.prompts)

    def rollouts(self, first: int | None = None, last: int | None = None) -> Iterator[Rollout]:
        """The kept ones between two steps."""
        for stretch in self.stretches:
            for one in stretch.kept:
                if (first is None or one.step >= first) and (last is None or one.step <= last):
                    yield one


@dataclass(slots=True)
class LastDigest:
    """The digest of a run that goes on, and until when it is good enough."""

    digest: Digest | None = None
    until: float = 0.0
