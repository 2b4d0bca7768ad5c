"""What `log()` takes, and what it does with what it cannot take."""

from __future__ import annotations

import threading
import warnings
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runvitals.model import RunvitalsWarning
from runvitals.store.reader import open_folder


def logged(run):
    run.finish()
    return open_folder(run.folder)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, 1.0),
        (True, 1.0),
        (1.5, 1.5),
        (np.float32(0.5), 0.5),
        (np.float16(0.5), 0.5),
        (np.int64(-3), -3.0),
        (np.uint8(200), 200.0),
        (np.bool_(True), 1.0),
        (np.array(2.5), 2.5),
        (np.array([2.5]), 2.5),
        (np.array([[7]]), 7.0),
        ([4.0], 4.0),
        (Decimal("1.25"), 1.25),
        (Fraction(1, 4), 0.25),
        (10**400, np.inf),
        (-(10**400), -np.inf),
        (float("nan"), np.nan),
        (float("-inf"), -np.inf),
    ],
)
def test_takes_any_number(start, value, expected):
    run = start()
    run.log({"x": value})

    view = logged(run)

    assert np.array_equal(view["x"].values, [expected], equal_nan=True)
    assert run.problems == []


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "None"),
        ("text", "log_text"),
        (1j, "complex"),
        (np.arange(3.0), "3 numbers"),
        ([], "0 numbers"),
        (object(), "object"),
    ],
)
def test_what_is_no_number_is_warned_about_once_and_the_rest_is_kept(start, value, reason):
    run = start()
    with pytest.warns(RunvitalsWarning, match=reason) as caught:
        run.log({"bad": value, "good": 1.0})
        run.log({"bad": value, "good": 2.0})

    view = logged(run)

    assert len(caught) == 1
    assert view.names() == ["good"]
    assert view["good"].values.tolist() == [1.0, 2.0]


def test_nested_mappings_become_paths(start):
    run = start()
    run.log({"loss": {"policy": 1, "value": {"clipped": 2}}, "kl": 3, 7: 4})

    assert logged(run).names() == ["loss/policy", "loss/value/clipped", "kl", "7"]


def test_a_mapping_inside_itself_is_no_endless_loop(start):
    run = start()
    loop: dict = {"x": 1.0}
    loop["again"] = loop
    with pytest.warns(RunvitalsWarning):
        run.log(loop)

    assert logged(run)["x"].values.tolist() == [1.0]


def test_odd_names_are_kept_as_they_are(start):
    names = [
        "",
        " ",
        "a/b/c",
        "é🙂",
        "new\nline",
        "tab\t",
        'quote"',
        "x" * 10_000,
        "step",
        "time",
        "\x00",
    ]
    run = start()
    for i in range(20):
        run.log({name: float(j + i) for j, name in enumerate(names)})

    view = logged(run)

    assert view.names() == names
    assert all(view[name].values[0] == float(j) for j, name in enumerate(names))


def test_a_name_that_utf8_cannot_hold_is_mended(start):
    run = start()
    run.log({"bad\ud800name": 1.0})

    assert logged(run).names() == ["bad?name"]


def test_ten_thousand_names(start):
    run = start()
    run.log({f"m{i}": float(i) for i in range(10_000)}, step=0)
    for i in range(10_000):
        run.log({f"n{i}": float(i)}, step=i)

    view = logged(run)

    assert len(view) == 20_000
    assert view["n9999"].values.tolist() == [9999.0]
    assert run.problems == []


def test_without_steps_each_call_counts_up_from_the_last_step(start):
    run = start()
    run.log({"x": 1})
    run.log({"x": 2})
    run.log({"x": 3}, step=100)
    run.log({"x": 4})

    assert logged(run)["x"].steps.tolist() == [0, 1, 100, 101]


@pytest.mark.parametrize(
    ("step", "stored"),
    [
        (3.7, 3),
        (np.int32(5), 5),
        (np.array([6]), 6),
        (10**30, 2**53),
        (-(10**30), -(2**53)),
        (True, 1),
    ],
)
def test_any_step_is_taken(start, step, stored):
    run = start()
    run.log({"x": 1.0}, step=step)

    assert logged(run)["x"].steps.tolist() == [stored]


@pytest.mark.parametrize("step", ["7", float("nan"), [1, 2], object()])
def test_a_step_that_is_no_number_is_warned_about(start, step):
    run = start()
    with pytest.warns(RunvitalsWarning, match="not logged"):
        run.log({"x": 1.0}, step=step)
    run.log({"x": 2.0}, step=9)

    assert logged(run)["x"].values.tolist() == [2.0]


@pytest.mark.parametrize("values", [None, 3, "text", [1, 2], object()])
def test_log_never_raises_on_nonsense(start, values):
    run = start()
    with pytest.warns(RunvitalsWarning):
        run.log(values)
    run.log({"x": 1.0})

    assert logged(run)["x"].values.tolist() == [1.0]


def test_log_does_not_raise_when_warnings_are_errors(start, capfd):
    run = start()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run.log({"x": None})

    assert "not logged" in capfd.readouterr().err


def test_an_object_that_fails_in_float_is_contained(start):
    class Hostile:
        def __float__(self):
            raise ZeroDivisionError("boo")

    run = start()
    with pytest.warns(RunvitalsWarning, match="Hostile"):
        run.log({"x": Hostile(), "y": 1.0})

    assert logged(run)["y"].values.tolist() == [1.0]


def test_log_after_finish_is_warned_about_and_ignored(start):
    run = start()
    run.log({"x": 1.0})
    run.finish()
    with pytest.warns(RunvitalsWarning, match="finished"):
        run.log({"x": 2.0})
        run.log_text("t", "too late")
    run.finish()

    assert open_folder(run.folder)["x"].values.tolist() == [1.0]


def test_many_threads_log_at_once_and_nothing_is_lost(start):
    run = start()

    def work(thread):
        for i in range(3000):
            run.log({"a": float(thread), "b": float(i)} if i % 2 else {"c": float(i)}, step=i)

    threads = [threading.Thread(target=work, args=(t,)) for t in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    view = logged(run)

    assert len(view["a"]) == len(view["b"]) == len(view["c"]) == 6 * 1500
    assert sorted(set(view["a"].values)) == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_the_caller_may_change_its_dict_and_arrays_afterwards(start):
    run = start()
    row = {"x": 1.0, "y": np.array([1.0])}
    run.log(row)
    row["x"] = 5.0
    row["y"][0] = 5.0
    run.log(row)

    view = logged(run)

    assert view["x"].values.tolist() == view["y"].values.tolist() == [1.0, 5.0]


class FakeDeviceTensor:
    """Counts when somebody waits for the device; has the parts of a torch tensor that we use."""

    waits = 0
    shape = ()

    def __init__(self, box):
        self.box = box
        self.device = type("Device", (), {"type": "cuda"})()

    def detach(self):
        return self

    def clone(self):
        return FakeDeviceTensor(list(self.box))

    def __float__(self):
        FakeDeviceTensor.waits += 1
        return float(self.box[0])


def test_a_tensor_on_a_device_is_not_waited_for_and_is_a_snapshot(start):
    run = start()
    run.flush()
    tensor = FakeDeviceTensor([1.0])
    FakeDeviceTensor.waits = 0
    run._flusher.busy.acquire()  # hold the background back
    try:
        run.log({"x": tensor, "y": 2.0}, step=3)
        assert FakeDeviceTensor.waits == 0
        tensor.box[0] = 99.0
    finally:
        run._flusher.busy.release()

    view = logged(run)

    assert FakeDeviceTensor.waits == 1
    assert (view["x"].values.tolist(), view["y"].values.tolist()) == ([1.0], [2.0])


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    rows=st.lists(
        st.tuples(
            st.dictionaries(st.text(max_size=6), st.floats(), min_size=1, max_size=5),
            st.integers(-(2**50), 2**50),
        ),
        max_size=20,
    )
)
def test_whatever_is_logged_comes_back(start, rows):
    run = start()
    expected: dict[str, list[tuple[int, float]]] = {}
    for values, step in rows:
        run.log(values, step=step)
        for name, value in values.items():
            expected.setdefault(name.encode("utf-8", "replace").decode(), []).append((step, value))

    view = logged(run)

    assert set(view.names()) == set(expected)
    for name, points in expected.items():
        points.sort(key=lambda p: p[0])
        assert view[name].steps.tolist() == [p[0] for p in points]
        assert np.array_equal(view[name].values, [p[1] for p in points], equal_nan=True)


# Rows like the one before take a short way


def test_names_in_another_order_keep_their_values(start):
    run = start()
    for i in range(3):
        run.log({"a": 1.0 + i, "b": 10.0 + i, "c": 100.0 + i})
        run.log({"c": 200.0 + i, "a": 2.0 + i, "b": 20.0 + i})

    view = logged(run)

    assert view["a"].values.tolist() == [1.0, 2.0, 2.0, 3.0, 3.0, 4.0]
    assert view["b"].values.tolist() == [10.0, 20.0, 11.0, 21.0, 12.0, 22.0]
    assert view["c"].values.tolist() == [100.0, 200.0, 101.0, 201.0, 102.0, 202.0]


def test_as_many_other_names_are_not_taken_for_the_known_ones(start):
    run = start()
    for i in range(4):
        run.log({"loss": float(i), "kl": 0.5})
        run.log({"loss": float(i), "entropy": 1.5})
        run.log({"only": 2.5})
        run.log({"other": 3.5})

    view = logged(run)

    assert [len(view[name]) for name in ("loss", "kl", "entropy", "only", "other")] == [
        8,
        4,
        4,
        4,
        4,
    ]
    assert set(view["entropy"].values) == {1.5}
    assert set(view["other"].values) == {3.5}


def test_a_mapping_that_makes_up_values_is_not_changed(start):
    run = start()
    made: defaultdict[str, float] = defaultdict(float, {"x": 1.0, "y": 2.0})
    for _ in range(3):
        run.log({"a": 1.0, "b": 2.0})
        run.log(made)

    view = logged(run)

    assert dict(made) == {"x": 1.0, "y": 2.0}
    assert [len(view[name]) for name in "abxy"] == [3, 3, 3, 3]


def test_values_may_change_their_type_from_row_to_row(start):
    given = [
        1.0,
        2,
        True,
        np.float32(0.5),
        np.int64(7),
        10**400,
        3.0,
        np.array([4.0]),
        5.0,
        None,
        6.0,
    ]
    run = start()
    with pytest.warns(RunvitalsWarning, match="None"):
        for value in given:
            run.log({"x": value, "beside": 1.0})

    view = logged(run)

    assert view["x"].values.tolist() == [1.0, 2.0, 1.0, 0.5, 7.0, np.inf, 3.0, 4.0, 5.0, 6.0]
    assert len(view["beside"]) == len(given)


def test_a_device_is_not_asked_where_plain_numbers_came_before(start):
    asked = []

    class Tensor(FakeDeviceTensor):
        def clone(self):
            return Tensor(list(self.box))

        def __float__(self):
            asked.append(threading.current_thread())
            return float(self.box[0])

    run = start()
    for value in (1.0, 2.0, Tensor([3.0]), 4.0, Tensor([5.0])):
        run.log({"loss": value, "kl": 0.1})

    view = logged(run)

    assert threading.main_thread() not in asked
    assert sorted(view["loss"].values.tolist()) == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_a_name_that_cannot_be_compared_costs_only_itself(start):
    class Odd(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other):
            raise RuntimeError("no comparing")

    run = start()
    run.log({"a": 1.0, "b": 2.0})
    run.log({"a": 1.0, "b": 2.0})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run.log({Odd("a"): 5.0, "b": 6.0})
    run.log({"a": 3.0, "b": 4.0})

    assert logged(run)["b"].values.tolist()[-1] == 4.0
