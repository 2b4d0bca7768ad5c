from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from runvitals.lab.off_policy import Replay


class Seen(NamedTuple):
    numbers: NDArray[np.float32]
    kinds: NDArray[np.int64]


def a_buffer(capacity: int) -> Replay[Seen]:
    return Replay(capacity, Seen(np.zeros((0, 3), np.float32), np.zeros(0, np.int64)))


def test_the_buffer_keeps_the_latest_steps() -> None:
    buffer = a_buffer(5)
    for i in range(4):
        buffer.add(Seen(np.full((2, 3), i, np.float32), np.full(2, i)))

    assert buffer.size == 5
    assert sorted(buffer.kept.kinds.tolist()) == [1, 2, 2, 3, 3]
    assert buffer.latest(2).numbers.tolist() == [[3.0] * 3] * 2


def test_a_sample_is_drawn_from_what_is_there() -> None:
    buffer = a_buffer(100)
    buffer.add(Seen(np.zeros((2, 3), np.float32), np.array([7, 8])))

    drawn = buffer.sample(50, np.random.default_rng(0))

    assert set(drawn.kinds.tolist()) == {7, 8}
    assert drawn.numbers.shape == (50, 3)
