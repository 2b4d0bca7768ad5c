from __future__ import annotations

import math
import threading

import pytest

from runvitals.diagnosis.worker import CallThread


def thread_of(worker: CallThread, seconds: float = 5.0) -> int:
    return worker.limited(threading.get_ident, seconds)


def test_an_error_in_a_limited_call_is_handed_on() -> None:
    with CallThread() as worker:
        with pytest.raises(KeyError):
            worker.limited(lambda: {}["nothing"], 5.0)
        assert worker.limited(lambda: 1, 5.0) == 1


def test_calls_share_one_thread_that_ends_with_the_worker() -> None:
    with CallThread() as worker:
        found = {thread_of(worker) for _ in range(5)}
        [thread] = [one for one in threading.enumerate() if one.ident in found]

    thread.join(60.0)

    assert threading.get_ident() not in found
    assert not thread.is_alive()


def test_a_call_that_takes_too_long_is_left_to_itself_and_the_next_one_has_another_thread() -> None:
    go_on = threading.Event()
    with CallThread() as worker:
        first = thread_of(worker)
        with pytest.raises(TimeoutError, match=r"took longer than 0\.05 s"):
            worker.limited(go_on.wait, 0.05)

        assert thread_of(worker) != first

    [slow] = [one for one in threading.enumerate() if one.ident == first]
    go_on.set()
    slow.join(60.0)
    assert not slow.is_alive()


def test_without_a_limit_there_is_no_thread() -> None:
    with CallThread() as worker:
        assert thread_of(worker, math.inf) == threading.get_ident()


def test_a_call_is_not_left_because_others_have_the_processor():
    waited = threading.Event()
    with CallThread() as worker:
        # twice its limit passes, and hardly any of it is its own
        assert worker.limited(lambda: waited.wait(1.0) or "done", seconds=0.5) == "done"


def test_a_call_that_computes_for_too_long_is_left():
    stop = threading.Event()

    def compute() -> None:
        while not stop.is_set():
            pass

    with CallThread() as worker:
        with pytest.raises(TimeoutError, match=r"took longer than 0\.05 s"):
            worker.limited(compute, seconds=0.05)
        stop.set()
