"""What a person sees: the live table, plain lines, and training.log."""

import io
import re
import sys
import time
from math import inf, nan

import numpy as np
import pytest
from rich.console import Console

from runvitals import catalog
from runvitals.exporters import _board, _live_table, console, training_log
from runvitals.exporters._board import BINS, Board, History
from runvitals.exporters.console import ConsoleSink, plain_line
from runvitals.model import Verdict
from runvitals.model.formatting import ASCII, UNICODE, sparkline

GROUPS = {
    "rollout/ep_rew_mean": "outcome",
    "outcome/success_rate": "outcome",
    "reward/format": "outcome",
    "eval/return_mean": "evaluation",
    "train/learning_rate": "health",
    "train/approx_kl": "health",
    "train/entropy": "health",
    "train/value_loss": "health",
    "rollout/ep_len_mean": "data",
    "time/env_steps_per_s": "speed",
    "System/CPU_Percent": "system",
    "mine": "other",
}


def classify(name):
    return GROUPS.get(name, "other")


@pytest.fixture
def ppo(make_block):
    def make(n=40, names=tuple(GROUPS), **changes):
        up = np.linspace(0, 1, n)
        values = dict.fromkeys(names, up * 0 + 0.5)
        values |= {"rollout/ep_rew_mean": up * 121.4, "train/entropy": 1 - up / 2}
        values |= {"time/env_steps_per_s": up * 0 + 41_230}
        values |= {name: np.full(n, value) for name, value in changes.items()}
        columns = np.stack([values[name] for name in names], axis=1)
        return make_block(names, (np.arange(n) + 1) * 2048, columns)

    return make


def drawn(board, width=100, height=40, color=None):
    console = Console(
        file=io.StringIO(), force_terminal=True, color_system=color, width=width, height=height
    )
    board._began = time.monotonic() - 61
    console.print(_live_table.draw(board, console, UNICODE))
    return console.file.getvalue()


def board_of(info, *blocks, ask=classify):
    board = Board(info, ask)
    board.update(blocks)
    return board


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


class Broken(Terminal):
    def write(self, text):
        raise BrokenPipeError("gone")


def test_table_shows_groups_in_reading_order(info, ppo):
    text = drawn(board_of(info, ppo()))

    order = ["outcome", "evaluation", "health", "data", "speed", "system", "other"]
    places = [text.index(f"{group} ") for group in order]
    assert places == sorted(places)
    assert text.index("entropy") < text.index("learning_rate")
    assert text.index("ep_rew_mean") < text.index("format")
    assert "demo" in text
    assert "ppo-hopper" in text


def test_table_shows_value_curve_trend_and_span(info, ppo):
    [line] = [x for x in drawn(board_of(info, ppo())).splitlines() if "ep_rew_mean" in x]

    assert "121.4" in line
    assert "▁" in line
    assert "█" in line
    assert "▲" in line
    assert "0 – 121" in line


def test_table_shows_progress_when_the_total_is_known(info, ppo):
    info.progress = {"total_steps": 163_840}

    text = drawn(board_of(info, ppo(), ppo()))

    assert "/ 163,840" in text
    assert "50%" in text
    assert "1:01" in text


def test_total_may_be_logged(info, make_block):
    board = board_of(info, make_block(["a", "progress/total_steps"], [10], [[1, 1000]]))

    assert board.total == 1000
    assert "total_steps" not in drawn(board)


def test_pace_and_time_left(info, make_block):
    info.progress = {"total_steps": 1000}
    board = board_of(info, make_block(["a"], [0], times=[100]))
    board.update([make_block(["a"], [200], times=[110])])

    assert board.steps_per_second == 20
    assert board.seconds_left == 40


def test_nan_is_red(info, ppo):
    text = drawn(board_of(info, ppo(**{"train/approx_kl": nan})), color="standard")

    assert re.search(r"\x1b\[1;31m *nan", text)


def test_what_does_not_fit_is_counted(info, make_block):
    names = [f"other/{i}" for i in range(30)] + ["train/entropy", "rollout/ep_rew_mean"]

    text = drawn(board_of(info, make_block(names, range(5))))

    assert "+8 more" in text
    assert "entropy" in text
    assert "ep_rew_mean" in text


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 200])
@pytest.mark.parametrize("height", [5, 24, 60])
def test_table_fits_the_terminal(info, ppo, width, height):
    info.progress = {"total_steps": 100_000}

    text = drawn(board_of(info, ppo()), width, height)

    assert {len(line) for line in text.splitlines()} == {width}
    assert len(text.splitlines()) <= max(height, 9)


def test_nothing_logged_yet_is_said(info):
    assert "waiting for the first metrics" in drawn(board_of(info))


def test_ascii_where_unicode_does_not_go(info, ppo):
    console = Console(file=io.TextIOWrapper(io.BytesIO(), "ascii"), width=100, force_terminal=True)
    board = board_of(info, ppo())

    console.print(_live_table.draw(board, console, ASCII))

    assert plain_line(board, ASCII).isascii()


def test_plain_line_reads_well(info, ppo):
    line = plain_line(board_of(info, ppo()), UNICODE)

    assert line == (
        "step 81,920  outcome ep_rew_mean 121.4 ▲ success_rate 0.5 format 0.5 "
        "| evaluation return_mean 0.5 "
        "| health entropy 0.5 approx_kl 0.5 value_loss 0.5 learning_rate 0.5 "
        "| data ep_len_mean 0.5 | speed env_steps_per_s 41,230 | other mine 0.5"
    )


def test_a_plain_line_is_broken_between_metrics_in_a_narrow_terminal(info, ppo):
    lines = plain_line(board_of(info, ppo()), UNICODE, 60).splitlines()

    assert lines == [
        "step 81,920  outcome ep_rew_mean 121.4 ▲ success_rate 0.5",
        "  format 0.5 | evaluation return_mean 0.5",
        "  health entropy 0.5 approx_kl 0.5 value_loss 0.5",
        "  learning_rate 0.5 | data ep_len_mean 0.5",
        "  speed env_steps_per_s 41,230 | other mine 0.5",
    ]


def test_what_never_moved_yields_its_place_in_a_plain_line(info, make_block):
    names = ("entropy", "approx_kl", "clip_frac", "value_loss", "policy_loss", "grad_norm")
    rows = np.tile([0.1, 0.0, 0.0, 0.2, 0.3, 0.4], (9, 1)) + np.outer(
        np.arange(9), [1, 0, 0, 1, 1, 1]
    )
    block = make_block(names, np.arange(9), rows)

    line = plain_line(board_of(info, block, ask=lambda _: "health"), UNICODE)

    shown = "entropy 8.1 value_loss 8.2 policy_loss 8.3 grad_norm 8.4 approx_kl 0"
    assert line == f"step 8  health {shown}"


def test_plain_lines_keep_their_distance(info, ppo, monkeypatch):
    stream = io.StringIO()
    sink = ConsoleSink(classify, stream)
    sink.open(info)
    for _ in range(10):
        sink.write([ppo()], [])

    assert stream.getvalue().count("\n") == 1
    sink.close("finished")
    assert "demo / ppo-hopper finished after" in stream.getvalue()
    assert "ep_rew_mean 121.4" in stream.getvalue()
    assert str(info.folder) in stream.getvalue()


def test_the_interval_can_be_set(info, ppo, monkeypatch):
    monkeypatch.setenv("RUNVITALS_CONSOLE_INTERVAL", "0")
    stream = io.StringIO()
    sink = ConsoleSink(classify, stream)
    sink.open(info)
    for i in range(10):
        sink.write([ppo(mine=i)], [])
    sink.write([], [])

    assert stream.getvalue().count("\n") == 10
    sink.close("finished")


@pytest.mark.parametrize("live", [True, False])
def test_a_broken_stream_is_left_alone(info, ppo, live):
    for stream in (Broken(), closed_stream()):
        sink = ConsoleSink(classify, stream, live=live)
        sink.open(info)
        sink.write([ppo()], [])
        sink.write([ppo()], [])
        sink.close("crashed")

    assert "ppo-hopper crashed" in (info.folder / "training.log").read_text()


def closed_stream():
    stream = Terminal()
    stream.close()
    return stream


def test_a_live_run_in_a_terminal(info, ppo, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    stream = Terminal()
    monkeypatch.setattr(sys, "stdout", Terminal())
    before = sys.stdout
    sink = ConsoleSink(classify, stream, refresh_hz=1000)
    sink.open(info)
    sink.write([ppo()], [])
    print("hello from the training loop")
    print("\r 10%|#         |", end="", flush=True)
    print("\r100%|##########|")
    sink.write([ppo()], [])
    sink.close("finished")

    text = stream.getvalue()
    assert "hello from the training loop" in text
    assert "100%|##########|" in text
    assert " 10%|" not in text
    assert "ep_rew_mean" in text
    assert sys.stdout is before


def test_a_line_whose_values_are_those_of_the_last_one_is_not_printed(
    info, make_block, monkeypatch
):
    monkeypatch.setenv("RUNVITALS_CONSOLE_INTERVAL", "0")
    stream = io.StringIO()
    sink = ConsoleSink(classify, stream)
    sink.open(info)
    for step in range(5):
        sink.write([make_block(["mine"], [step], [[0.5]])], [])
        sink.write([make_block(["System/CPU_Percent"], [step], [[step]])], [])
    monkeypatch.setattr(console, "UNCHANGED_SECONDS", 0.0)
    sink.write([make_block(["mine"], [5], [[0.5]])], [])

    assert stream.getvalue().splitlines() == ["step 0  other mine 0.5", "step 5  other mine 0.5"]


def test_what_the_verdict_rests_on_comes_first(info, ppo):
    stream = io.StringIO()
    sink = ConsoleSink(classify, stream)
    sink.open(info)
    for hear in info.verdict_listeners:
        hear(Verdict("learning", "it rises", "train/value_loss"))
    sink.write([ppo()], [])
    sink.close("finished")

    first, *_, summary, _, _ = stream.getvalue().splitlines()
    assert first.startswith("step 81,920  health value_loss 0.5 ")
    assert summary.split()[:2] == ["outcome", "value_loss"]


def test_the_table_begins_with_what_the_verdict_rests_on(info, ppo):
    board = board_of(info, ppo())
    board.outcome = "eval/return_mean"

    text = drawn(board)

    assert text.index("evaluation ") < text.index("outcome ")


def test_what_is_logged_now_and_then_yields_its_place_to_what_is_logged_at_every_step(
    info, make_block
):
    mine = make_block(["train/loss"], range(100), np.linspace(2, 1, 100)[:, None])
    added = make_block([f"grad_norm/{i}" for i in range(8)], [0, 50])

    line = plain_line(board_of(info, added, mine, ask=lambda _: "health"), UNICODE)

    assert line.startswith("step 99  health train/loss 1 ")


def test_the_program_s_own_names_are_shown_whatever_the_catalog_makes_of_them(info, make_block):
    block = make_block(["train/entropy", "a", "b", "c"], [0], [[1, 2, 3, 4]])

    assert plain_line(board_of(info, block), UNICODE).endswith("| other a 2 b 3 c 4")


@pytest.mark.parametrize("live", [True, False])
def test_announced_lines_are_shown_and_logged(info, ppo, live):
    stream = io.StringIO()
    sink = ConsoleSink(classify, stream, live=live)
    sink.open(info)
    sink.announce("KL001 [warning] early")
    sink.write([ppo()], [])
    sink.announce("KL001 over")
    sink.close("finished")

    log = (info.folder / "training.log").read_text()

    for text in (stream.getvalue(), log):
        assert text.count("KL001 [warning] early") == 1
        assert text.count("KL001 over") == 1


def test_higher_ranks_are_silent_and_write_a_log_only_when_asked(info, ppo):
    info.rank = 1
    stream = io.StringIO()
    for log_all_ranks in (False, True):
        sink = ConsoleSink(classify, stream, log_all_ranks=log_all_ranks)
        sink.open(info)
        sink.write([ppo()], [])
        sink.close("finished")
        files = sorted(p.name for p in info.folder.iterdir()) if info.folder.exists() else []
        assert files == (["training.rank1.log"] if log_all_ranks else [])

    assert stream.getvalue() == ""


def test_classify_is_asked_once_per_name_and_may_fail(info, ppo):
    asked = []

    def ask(name):
        asked.append(name)
        raise RuntimeError("cannot say")

    board = board_of(info, ppo(), ppo(), ask=ask)
    board.readings()

    assert sorted(asked) == sorted(GROUPS)
    assert len(board.readings()["other"]) == len(GROUPS)


def test_the_log_has_a_block_per_update(info, ppo):
    log(info, ppo(n=1))

    _, block = (info.folder / "training.log").read_text().split("step 2,048\n")
    assert block.splitlines() == [
        "  outcome     ep_rew_mean 0  success_rate 0.5",
        "  rewards     format 0.5",
        "  evaluation  return_mean 0.5",
        "  losses      value_loss 0.5",
        "  kl/entropy  approx_kl 0.5  entropy 1",
        "  health      learning_rate 0.5",
        "  rollout     ep_len_mean 0.5",
        "  speed       env_steps_per_s 41,230",
        "  system      CPU_Percent 0.5",
        "  other       mine 0.5",
    ]


def log(info, *blocks):
    writer = training_log.TrainingLog(info.folder / "training.log", classify)
    writer.write(blocks)
    writer.close()
    return (info.folder / "training.log").read_text()


def test_the_log_puts_the_parts_of_a_step_together(info, make_block):
    text = log(
        info,
        make_block(["train/entropy"], [1, 2], times=[10, 20]),
        make_block(["rollout/ep_rew_mean"], [1, 2], times=[11, 21]),
        make_block(["System/CPU_Percent"], [0, 1, 2], times=[9, 10, 11]),
    )

    assert text.count("step ") == 2
    assert "CPU" not in text


def test_the_log_says_what_it_leaves_out(info, ppo):
    text = log(info, ppo(n=2000))

    assert text.count("step ") == training_log.BLOCKS_PER_SECOND
    assert "step 4,096,000  (99 updates before it not shown)" in text


def test_the_log_stops_when_it_is_full(info, ppo, monkeypatch):
    monkeypatch.setattr(training_log, "MAX_BYTES", 3000)
    writer = training_log.TrainingLog(info.folder / "training.log", classify)
    for _ in range(20):
        writer.write([ppo(n=10)])
    writer.close()

    text = (info.folder / "training.log").read_text()
    assert text.endswith("this log stops here, at 0 MB; the run continues\n")
    assert len(text) < 12_000


def test_odd_rows_do_no_harm(info, make_block):
    sink = ConsoleSink(classify, io.StringIO())
    sink.write([make_block(["a"], [1])], [])  # before open
    sink.open(info)
    names = ["", "a\nb", "\ud800", "x" * 10_000, "/", "//"]
    for values in (nan, inf, -inf, 1e308, -1e308, 5e-324):
        block = make_block(names, [-(2**63), 2**63 - 1], [[values] * 6] * 2, times=[nan, inf])
        sink.write([block, make_block([], [1]), make_block(["a"], [])], [])
        drawn(sink._board)
    sink.close("stopped")
    sink.close("stopped")


def test_history_spans_the_whole_run_in_bounded_memory():
    rng = np.random.default_rng(0)
    values = np.arange(10_000.0)[:, None] * [1.0, -1.0]
    history = History(2)
    start = 0
    while start < len(values):
        size = int(rng.integers(1, 400))
        history.add(values[start : start + size])
        start += size

    curve = history.curve(0)
    assert BINS // 2 <= len(curve) <= BINS
    assert (np.diff(curve) > 0).all()
    assert curve[0] < 200
    assert curve[-1] > 9_800
    assert (history.last[0], history.low[1], history.high[0]) == (9_999, -9_999, 9_999)


def test_history_ignores_what_is_not_finite():
    history = History(1)
    history.add(np.array([[1.0], [nan], [inf], [3.0]]))

    np.testing.assert_array_equal(history.curve(0), [1, nan, nan, 3])
    assert sparkline(history.curve(0), 8) == "▁  █"


def test_groups_are_those_of_the_catalog_in_its_order():
    titles = [catalog.group_title(group) for group in catalog.GROUPS]

    assert [title for title in titles if title != "progress"] == list(_board.GROUPS)
