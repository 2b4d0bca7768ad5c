"""The log of build-nanoGPT: a step, a part of the data, a number."""

import runvitals as rv
from runvitals.readers.console.build_nanogpt import READER


def lines(rows: int) -> str:
    found = []
    for step in range(rows):
        if step % 5 == 0:
            found += [f"{step} val {11 - 0.1 * step:.4f}", f"{step} hella {0.25:.4f}"]
        found.append(f"{step} train {11 - 0.12 * step:.6f}")
    return "\n".join(found) + "\n"


def test_each_part_of_the_data_is_a_series_over_the_steps(tmp_path):
    (tmp_path / "log.txt").write_text(lines(40))

    run = rv.open_run(tmp_path)

    assert run.framework == "build-nanogpt"
    assert run.bindings["train"].metric == "lm/loss"
    assert run.bindings["val"].metric == "eval/lm/loss"
    assert len(run["lm/loss"]) == 40
    assert run["eval/lm/loss"].steps.tolist() == list(range(0, 40, 5))


def test_prose_with_numbers_is_not_such_a_log(tmp_path):
    prose = b"2 train stations\n3 val thorens\n10 train 4 hours\n" * 5
    path = tmp_path / "notes.txt"
    path.write_bytes(prose)

    assert READER.sniff(path, prose) == 0
