"""Files whose shape is not that of their name."""

import pytest

import runvitals as rv
from runvitals import open_run


def test_a_table_whose_header_is_longer_than_a_head_is_read(tmp_path):
    names = [f"layer_{i}/a_rather_long_name_of_a_metric" for i in range(3000)]
    rows = [",".join([str(step), *["1.5"] * len(names)]) for step in range(5)]
    path = tmp_path / "metrics.csv"
    path.write_text("\n".join([",".join(["step", *names]), *rows]))

    run = open_run(path)

    assert len(run.names()) == len(names)
    assert list(run[names[-1]].steps) == [0, 1, 2, 3, 4]


def test_sentences_in_a_file_called_csv_are_read(tmp_path):
    lines = [f"Episode {i}, Last State: [ 1. {i}. 3.], Reward: {10 + i}.5" for i in range(40)]
    path = tmp_path / "episode_rewards.csv"
    path.write_text("\n".join(lines) + "\n")

    run = open_run(path)

    assert len(run["Reward"]) == 40
    assert run["Reward"].values[-1] == 49.5


CURVE = [(10 * i, round(1 - 0.9**i, 4), round(2 / (i + 1), 4)) for i in range(40)]
HEADER = "step,reward,loss\n"


def lines(rows):
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def rewards(folder, text, name="training_log.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    run = rv.open_run(path)
    return run, [*zip(run["reward"].steps.tolist(), run["reward"].values.tolist(), strict=True)]


EXPECTED = [(step, reward) for step, reward, _ in CURVE]


@pytest.mark.parametrize(
    "text",
    [
        HEADER + lines((*row, 7) for row in CURVE),
        HEADER.strip() + ",note\n" + lines(CURVE),
        HEADER + lines(CURVE[:20]) + HEADER + lines(CURVE[20:]),
        HEADER + lines(CURVE[:9]) + "step,reward,loss,kl\n" + lines((*r, 0.1) for r in CURVE[9:]),
        HEADER
        + lines(CURVE[:1])
        + "gate_mean,gate_max\n"
        + "".join(f"0.1,0.2\n{lines([row])}" for row in CURVE[1:]),
        b"\xef\xbb\xbf" + (HEADER + lines(CURVE)).encode(),
        (HEADER + lines(CURVE[:9])).encode() + b"\0" * 64 + b"\n" + lines(CURVE[9:]).encode(),
        HEADER + lines(CURVE) + "\nepoch,eval_score\n" + "1,0.5\n2,0.6\n",
    ],
    ids=[
        "one field more than the header",
        "one field fewer",
        "the header again",
        "another header",
        "rows of a second table in between",
        "byte-order mark",
        "zero bytes",
        "a second table behind",
    ],
)
def test_odd_tables_give_the_numbers_that_are_in_them(tmp_path, text):
    _, found = rewards(tmp_path, text)

    assert found == EXPECTED


def test_a_step_that_never_moves_counts_nothing(tmp_path):
    run, found = rewards(tmp_path, HEADER + lines((1000, *row[1:]) for row in CURVE))

    assert found == [(i, reward) for i, (_, reward) in enumerate(EXPECTED)]
    assert "no step column was found" in run.warnings[0]


def test_columns_that_are_named_after_variants_are_runs_of_their_own(tmp_path):
    path = tmp_path / "training_rewards.csv"
    path.write_text("Episode,Baseline,Dueling-DDQN\n" + lines((i, i, 2 * i) for i in range(30)))

    one, two = rv.open_runs(path)

    assert (one.name, two.name) == ("Baseline", "Dueling-DDQN")
    assert two["training_rewards"].values.tolist() == [2.0 * i for i in range(30)]
    assert two.bindings["training_rewards"].metric in ("outcome/return_mean", "reward/mean")


def test_counts_per_iteration_in_no_order_do_not_sort_the_rows(tmp_path):
    counts = [327, 34317, 45526, 43427, 36454, 31014, 28974, 30181]
    path = tmp_path / "progress.csv"
    path.write_text("Timesteps,loss\n" + lines((n, 8 - i) for i, n in enumerate(counts)))

    run = rv.open_run(path)

    assert run["loss"].values.tolist() == [8 - i for i in range(8)]


def test_lists_are_read_as_their_mean_and_announced_bests_apart(tmp_path):
    text = "".join(
        f"step {i}\naccuracy rewards: [0.0, {i}.0, 0.0, 0.0]\n"
        f"reward {i % 5}.5\nsaving new best model with reward {i}.0\n"
        for i in range(1, 30)
    )
    path = tmp_path / "train.log"
    path.write_text(text)

    run = rv.open_run(path)

    assert run["accuracy rewards"].values.tolist() == [i / 4 for i in range(1, 30)]
    assert run["reward"].values.tolist() == [i % 5 + 0.5 for i in range(1, 30)]
    assert run["best reward"].values.tolist() == list(range(1, 30))
