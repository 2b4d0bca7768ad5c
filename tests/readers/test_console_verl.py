# ruff: noqa: E501 - lines of real logs are long


import pytest

from runvitals.model import ReadError
from runvitals.readers.console import verl_console
from runvitals.readers.raw.source import head

RAY = "\x1b[36m(TaskRunner pid=657041, ip=10.0.0.2)\x1b[0m "


def write(folder, text, name="train.log"):
    path = folder / name
    path.write_bytes(text.encode())
    return path


def series(log, name):
    steps, _, values = log.points.column(name)
    return list(zip(steps.tolist(), values.tolist(), strict=True))


def test_values_come_out_of_colours_prefixes_and_wrappers(tmp_path):
    text = (
        f"{RAY}step:0 - val-core/gsm8k/acc/mean@1:0.25\n"
        f"{RAY}step:1 - actor/pg_loss:np.float64(-0.5) - actor/lr:1e-06 - a:tensor(2.0, device='cuda:0')\n"
        f"\x1b[36m(WorkerDict pid=7)\x1b[0m WARNING 12-17 08:53:34 step: nothing - here:1\n"
        f"{RAY}\rTraining Progress:  10%|█ | 1/2 [00:01<00:01]\r\n"
        f"{RAY}step:2 - actor/pg_loss:nan - actor/lr:inf - data - set/score:0.5 - text:abc\n"
    )

    [log] = verl_console.READER.read(write(tmp_path, text))

    assert series(log, "val-core/gsm8k/acc/mean@1") == [(0, 0.25)]
    assert series(log, "actor/pg_loss")[0] == (1, -0.5)
    assert series(log, "actor/lr") == [(1, 1e-06), (2, float("inf"))]
    assert series(log, "a") == [(1, 2.0)]
    assert series(log, "data - set/score") == [(2, 0.5)]
    assert "text" not in log.points.names()
    assert log.framework == "verl"


def test_the_printed_config_is_kept_flat(tmp_path):
    text = (
        f"{RAY}{{'actor_rollout_ref': {{'actor': {{'clip_ratio': 0.2,\n"
        "\x1b[36m(Other pid=1)\x1b[0m between\n"
        f"{RAY}                                  'optim': {{'lr': 1e-06}}}}}},\n"
        f"{RAY} 'trainer': {{'total_epochs': 3}}}}\n"
        f"{RAY}step:1 - actor/pg_loss:1.0\n"
    )

    [log] = verl_console.READER.read(write(tmp_path, text))

    assert log.config == {
        "actor_rollout_ref.actor.clip_ratio": 0.2,
        "actor_rollout_ref.actor.optim.lr": 1e-06,
        "trainer.total_epochs": 3,
    }


def test_overrides_on_the_command_line_are_settings(tmp_path):
    text = (
        "+ python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=8\n"
        "step:1 - actor/pg_loss:1.0\n"
    )

    [log] = verl_console.READER.read(write(tmp_path, text))

    assert log.config == {"algorithm.adv_estimator": "grpo", "data.train_batch_size": 8}


def test_values_rounded_to_three_decimals_are_pointed_out(tmp_path):
    line = "step:{} - actor/lr:0.000 - actor/ppo_kl:0.000 - critic/score/mean:0.123\n"
    path = write(tmp_path, "".join(line.format(n) for n in range(100)))

    [log] = verl_console.READER.read(path)

    assert any("three decimals" in w for w in log.warnings)


def test_a_resume_keeps_the_later_life_and_copies_count_once(tmp_path):
    steps = [*range(1, 40), *range(30, 60)]
    path = write(tmp_path, "".join(f"step:{n} - actor/x:{n}.5\n" * 2 for n in steps))

    [log] = verl_console.READER.read(path)

    assert series(log, "actor/x") == [(n, n + 0.5) for n in range(1, 60)]


def test_a_step_line_makes_it_certain_and_a_full_bar_ends_it(tmp_path):
    path = write(
        tmp_path,
        f"{RAY}step:1 - actor/pg_loss:1.0\n{RAY}step:2 - actor/pg_loss:0.5\n"
        f"{RAY}Training Progress: 100%|██████████| 2/2 [00:02<00:00]\n",
    )

    [log] = verl_console.READER.read(path)

    assert verl_console.sniff(path, head(path)) == 95
    assert log.status == "finished"


def test_a_run_that_died_before_its_first_step_is_refused_with_the_reason(tmp_path):
    path = write(
        tmp_path,
        f"{RAY}loading the model\n(raylet) /tmp/ray is over 95% full, available space: 1 GB\n{RAY}bye\n",
    )

    assert 0 < verl_console.sniff(path, head(path)) < 20
    with pytest.raises(ReadError, match="no metrics were logged") as caught:
        verl_console.READER.read(path)
    assert "95% full" in str(caught.value.hint)
