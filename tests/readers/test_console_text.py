from pathlib import Path

import pytest

from runvitals.model import ReadError
from runvitals.readers.formats import key_value_text
from runvitals.readers.source import head

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of real logs is not here")


def write(folder, text, name="output.log"):
    path = folder / name
    path.write_bytes(text.encode())
    return path


def series(log, name):
    steps, _, values = log.points.column(name)
    return list(zip(steps.tolist(), values.tolist(), strict=True))


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("step={} loss=0.5 lr=1e-4", "loss", 0.5),
        ("step: {}, loss: 0.5, reward: -1", "reward", -1.0),
        ("global_step={}, episodic_return=[12.]", "episodic_return", 12.0),
        ("global step={}, episodic return=11.0", "episodic return", 11.0),
        ("2024-01-01 10:00:00,123 INFO train: Epoch {}/99 | loss: 0.25 | acc: 91.5%", "acc", 91.5),
        ("[Iteration {}] mean reward: nan, kl = 1,234.5", "kl", 1234.5),
        ("Step: {}, LR: 1e-05, Loss: np.float64(0.5), TPS: 123.4", "Loss", 0.5),
        ("Episode {}\tReward: 3.5 (avg)\tSteps: 20", "Reward", 3.5),
    ],
)
def test_pairs_are_read_in_many_spellings(tmp_path, line, name, value):
    path = write(tmp_path, "".join(line.format(n) + "\n" for n in (1, 2, 3, 4)))

    [log] = key_value_text.read(path)

    assert key_value_text.sniff(path, head(path)) > 0
    assert series(log, name) == [(n, value) for n in (1, 2, 3, 4)]


def test_lines_that_count_differently_are_not_mixed(tmp_path):
    text = ""
    for n in range(1, 6):
        text += f"Iteration {n}: loss=0.{n}\n"
        text += f"Episode: {n * 100}, return: {n}\n"

    [log] = key_value_text.read(write(tmp_path, text))

    assert series(log, "loss") == [(n, n / 10) for n in range(1, 6)]
    assert series(log, "return") == [(n * 100, float(n)) for n in range(1, 6)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("notes.txt", "Meeting at 10:30: step 1 is to call Bob.\nTotal: 12\n"),
        ("config.yaml", "step: 1\nloss: 2\n" * 5),
        ("code.py", "step = 1; loss = 2\nstep = 2; loss = 3\nstep = 3; loss = 4\n"),
        ("args.txt", "epochs: 10\nlr: 0.1\nbatch: 32\n"),
        ("a.log", '{"step": 1, "loss": 2}\n' * 5),
        ("b.log", "step=5 loss=1\n" * 50),
        ("c.log", ""),
        ("d.log", "\0\1\2step=1 loss=2\n" * 9),
    ],
)
def test_what_is_no_log_is_not_taken(tmp_path, name, text):
    path = write(tmp_path, text, name)

    assert key_value_text.sniff(path, head(path)) == 0


def test_text_without_rows_is_refused(tmp_path):
    with pytest.raises(ReadError, match="no metrics were logged"):
        key_value_text.read(write(tmp_path, "hello: world\n"))


@needs_corpus
def test_wandb_output_log():
    path = CORPUS / "public" / "cacla-wandb-offline-flat" / "output.log"
    expected = [
        (int(line.split(",")[0].split(":")[1]), float(line.rsplit(":", 1)[1]))
        for line in path.read_text().splitlines()
        if line.startswith("Episode:")
    ]

    [log] = key_value_text.read(path)

    assert key_value_text.sniff(path, head(path)) > 0
    assert series(log, "Total Reward") == expected
    assert len(expected) == 555


@needs_corpus
def test_no_readme_of_the_corpus_is_taken_for_a_log():
    for path in CORPUS.rglob("*.md"):
        assert key_value_text.sniff(path, head(path)) == 0, path
