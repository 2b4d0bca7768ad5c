# ruff: noqa: E501 - lines of real logs are long
import pytest

from runvitals.readers.console import rl_consoles
from runvitals.readers.raw.source import head


def write(folder, text, name="run.log"):
    path = folder / name
    path.write_bytes(text.encode())
    return path


def read(tmp_path, text):
    path = write(tmp_path, text)
    assert rl_consoles.sniff(path, head(path)) == 85
    [log] = rl_consoles.READER.read(path)
    return log


def series(log, name):
    steps, _, values = log.points.column(name)
    return list(zip(steps.tolist(), values.tolist(), strict=True))


def test_openrlhf(tmp_path):
    log = read(
        tmp_path,
        "".join(
            f"2025-01-01 10:00:00 INFO ✨ Global step {n}: {{'policy_loss': {n / 10}, 'kl': tensor(0.5)}}\n"
            for n in (1, 2)
        ),
    )

    assert series(log, "policy_loss") == [(1, 0.1), (2, 0.2)]
    assert series(log, "kl") == [(1, 0.5), (2, 0.5)]
    assert log.framework == "openrlhf"


def test_slime_counts_rollouts_and_steps_apart(tmp_path):
    text = ""
    for rollout in range(3):
        text += f"[2025-01-01 10:00:00] rollout.py:90 - rollout {rollout}: {{'rollout/raw_reward': 0.5}}\n"
        for step in range(rollout * 4, rollout * 4 + 4):
            text += f"[2025-01-01 10:00:00] model.py:50 - step {step}: {{'train/loss': {step}.0}}\n"
        text += f"[2025-01-01 10:00:01] x.py:1 - perf {rollout}: {{'perf/rollout_time': 9.0}}\n"

    log = read(tmp_path, text)

    assert series(log, "train/loss") == [(n, float(n)) for n in range(12)]
    assert series(log, "rollout/raw_reward") == [(0, 0.5), (1, 0.5), (2, 0.5)]
    assert series(log, "perf/rollout_time") == [(0, 9.0), (1, 9.0), (2, 9.0)]
    assert log.framework == "slime"
    assert log.warnings == []


def test_skyrl(tmp_path):
    text = "".join(
        f"Step {n}:\n{{'policy/final_loss': {n}.5,\n 'reward/avg_raw_reward': 0.25,\n 'trainer/epoch': 0}}\nnoise {{\n"
        for n in (1, 2)
    )

    log = read(tmp_path, text)

    assert series(log, "policy/final_loss") == [(1, 1.5), (2, 2.5)]
    assert log.framework == "skyrl"


@pytest.mark.parametrize("colon", ["", ":"])
def test_prime_rl(tmp_path, colon):
    line = (
        "10:00:00 SUCCESS Step {} | 34.5s | Loss{c} 0.0123 | Mismatch KL{c} 0.0012 | Grad. Norm{c} 0.5 | "
        "LR{c} 1.00e-06 | Throughput{c} 12345 tokens/s | MFU{c} 23.4% | Peak Mem.{c} 70.1 GiB\n"
    )
    text = "Micro Step 0/4 | Loss: 9.0\n" + line.format(0, c=colon) + line.format(1, c=colon)

    log = read(tmp_path, text)

    assert series(log, "Loss") == [(0, 0.0123), (1, 0.0123)]
    assert series(log, "Throughput")[0] == (0, 12345.0)
    assert series(log, "MFU")[0] == (0, 23.4)
    assert series(log, "Peak Mem.")[0] == (0, 70.1)
    assert series(log, "Time")[0] == (0, 34.5)
    assert log.framework == "prime-rl"


def test_torchtune(tmp_path):
    log = read(
        tmp_path,
        "".join(
            f"Step {n} | loss:{n}.5 lr:2e-05 tokens_per_second_per_gpu:1234 \n" for n in (1, 2)
        ),
    )

    assert series(log, "loss") == [(1, 1.5), (2, 2.5)]
    assert series(log, "lr") == [(1, 2e-05), (2, 2e-05)]
    assert log.framework == "torchtune"


def test_nemo_rl(tmp_path):
    text = "".join(
        f"\n========================= Step {n}/10 =========================\n"
        "▶ Preparing batch...\n"
        "📊 Training Results:\n  • Loss: 0.0123\n  • Avg Reward: 0.5000\n  • Mean Generation Length: 812.5\n"
        "\n⏱️  Timing:\n  • Total step time: 12.50s\n  • policy_training: 3.25s (26.0%)\n"
        for n in (1, 2)
    )

    log = read(tmp_path, text)

    assert series(log, "Loss") == [(1, 0.0123), (2, 0.0123)]
    assert series(log, "Mean Generation Length")[1] == (2, 812.5)
    assert series(log, "timing/Total step time")[0] == (1, 12.5)
    assert series(log, "timing/policy_training")[0] == (1, 3.25)
    assert log.framework == "nemo-rl"


def test_torchforge(tmp_path):
    text = "".join(
        f"=== [GlobalReduce] - METRICS STEP {n} ===\n  rl_trainer/avg_loss: 0.5\n  buffer/x: nan\n====\n"
        for n in (1, 2)
    )

    log = read(tmp_path, text)

    assert series(log, "rl_trainer/avg_loss") == [(1, 0.5), (2, 0.5)]
    assert log.framework == "torchforge"


def test_rsl_rl(tmp_path):
    text = "".join(
        "#"
        * 80
        + f"\n                       \x1b[1m Learning iteration {n}/1500 \x1b[0m                       \n\n"
        "                       Computation: 45,678 steps/s (collection: 1.2s, learning 0.3s)\n"
        "             Mean action noise std: 0.99\n"
        "                       Mean reward: -1.25\n"
        "               Mean episode length: 22.5\n"
        "Mean episode rew_tracking_lin_vel: 0.125\n"
        + "-"
        * 80
        + "\n                   Total timesteps: 98304\n                    Iteration time: 2.10s\n"
        "                               ETA: 3150.0s\n\n"
        for n in (0, 1)
    )

    log = read(tmp_path, text)

    assert series(log, "Mean reward") == [(0, -1.25), (1, -1.25)]
    assert series(log, "Computation") == [(0, 45678.0), (1, 45678.0)]
    assert series(log, "Mean episode rew_tracking_lin_vel")[0] == (0, 0.125)
    assert log.framework == "rsl_rl"


def test_areal(tmp_path):
    text = "".join(
        f"20250101-10:00:00.000 StatsLogger INFO: Epoch 1/10 Step {n}/100 Train step {n}/1000 done.\n"
        "20250101-10:00:00.000 StatsLogger INFO: Stats (1/1):\n"
        "20250101-10:00:00.000 StatsLogger INFO: \n"
        "╒══════════════════╤════════════╤═══════════════╤════════════╕\n"
        "│ ppo_actor/loss   │ 1.2500e-03 │ timeperf/step │ 2.5000e+00 │\n"
        "├──────────────────┼────────────┼───────────────┼────────────┤\n"
        "│ ppo_actor/kl/avg │ 4.0000e-04 │               │            │\n"
        "╘══════════════════╧════════════╧═══════════════╧════════════╛\n"
        for n in (1, 2)
    )

    log = read(tmp_path, text)

    assert series(log, "ppo_actor/loss") == [(1, 0.00125), (2, 0.00125)]
    assert series(log, "timeperf/step") == [(1, 2.5), (2, 2.5)]
    assert series(log, "ppo_actor/kl/avg") == [(1, 0.0004), (2, 0.0004)]
    assert log.framework == "areal"


@pytest.mark.parametrize(
    "text",
    ["Step 1: download the data\nStep 2: train\n", "eval 3: ok\n", "=== Step 1 ===\nhello\n"],
)
def test_prose_is_not_taken(tmp_path, text):
    path = write(tmp_path, text)

    assert rl_consoles.sniff(path, head(path)) == 0
