from pathlib import Path

import runvitals as rv
from runvitals.readers.registry import reader_for

LINE = (
    "Episods done: {0}, win rate: {1}%, average loss: {2}, estimated time until completion: "
    "0 days, 0 hours, {3} minutes\n"
)


def log(folder: Path, lines: int) -> Path:
    path = folder / "out.log"
    path.write_text(
        "".join(LINE.format(50 * i, 20 + i, 1 / i, lines - i) for i in range(1, lines + 1))
    )
    return path


def test_lines_that_repeat_are_read_whatever_their_grammar_is(tmp_path: Path) -> None:
    path = log(tmp_path, 30)

    run = rv.open_run(path)

    reader = reader_for(path)
    assert reader is not None
    assert reader.id == "repeated-lines"
    assert run["win rate"].values.tolist() == [(20 + i) / 100 for i in range(1, 31)]
    assert run["average loss"].steps.tolist() == [50 * i for i in range(1, 31)]


def test_a_few_such_lines_are_no_log(tmp_path: Path) -> None:
    assert reader_for(log(tmp_path, 5)) is None


def test_sentences_that_speak_of_nothing_learned_are_no_log(tmp_path: Path) -> None:
    path = tmp_path / "mail.txt"
    path.write_text("".join(f"message {i} was sent to {i % 7} people\n" for i in range(50)))

    assert reader_for(path) is None
