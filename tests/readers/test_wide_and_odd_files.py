"""Files whose shape is not that of their name."""

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
