"""Small logs as trainers write them, for tests about folders."""

from __future__ import annotations

import json

import numpy as np

from runvitals.exporters import export_tensorboard
from runvitals.model import RowBlock, RunInfo

SB3 = ("rollout/ep_rew_mean", "rollout/ep_len_mean", "train/loss", "train/approx_kl", "time/fps")
EPOCH = 1_700_000_000.0


def numbers(rows, names=SB3, seed=0):
    """A table of noise that looks like training: rows x names."""
    noise = np.random.default_rng(seed).normal(size=(rows, len(names)))
    return np.round(np.linspace(1.0, 9.0, rows)[:, None] + 0.3 * noise, 6)


def table(path, values, names=SB3, first=1, every=100, step="time/total_timesteps"):
    """A CSV with a column that counts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [",".join([step, *names])]
    lines += [",".join(map(str, [(first + i) * every, *row])) for i, row in enumerate(values)]
    path.write_text("\n".join(lines) + "\n")


def json_lines(path, values, names=SB3, first=1, every=100, step="time/total_timesteps"):
    """The same, an object a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = ({step: (first + i) * every, **dict(zip(names, row, strict=True))}
            for i, row in enumerate(values.tolist()))  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def damaged(whole, times=60, seed=0):
    """Copies of a file's bytes, each with some of them replaced; half of the copies are cut off too."""
    rng = np.random.default_rng(seed)
    for _ in range(times):
        data = bytearray(whole[: int(rng.integers(0, len(whole)))] if rng.random() < 0.5 else whole)
        for place in rng.integers(0, max(len(data), 1), 40).tolist():
            if place < len(data):
                data[place] = int(rng.integers(0, 256))
        yield bytes(data)


def events(folder, values, names=SB3, first=1, every=100, seconds=60.0, begun=EPOCH):
    """The same as an event file, one row every few seconds."""
    steps = (first + np.arange(len(values))) * every
    times = begun + seconds * np.arange(len(values))
    block = RowBlock(tuple(names), steps, times, np.asarray(values, float))
    export_tensorboard([block], [], folder, RunInfo("r", "r", "p", folder, started=begun))


def boxes(path, values, names=SB3, first=1, every=100):
    """The same as the tables that Stable-Baselines3 prints."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rule = "-" * 44
    with path.open("w") as file:
        for i, row in enumerate(values):
            cells = {**dict(zip(names, row, strict=True)), "time/total_timesteps": 0}
            file.write(f"{rule}\n")
            for group in dict.fromkeys(name.partition("/")[0] for name in sorted(cells)):
                file.write(f"| {group + '/':<22} | {'':<13} |\n")
                for name in sorted(n for n in cells if n.startswith(f"{group}/")):
                    step = name.endswith("total_timesteps")
                    value = str((first + i) * every) if step else f"{cells[name]:.3g}"
                    file.write(f"|    {name.partition('/')[2]:<19} | {value:<13} |\n")
            file.write(f"{rule}\n")


def state(path, values, names=("loss", "grad_norm", "learning_rate"), first=1):
    """A trainer_state.json."""
    path.parent.mkdir(parents=True, exist_ok=True)
    history = [{"step": first + i, "epoch": i / 10, **dict(zip(names, row, strict=True))}
               for i, row in enumerate(values.tolist())]  # fmt: skip
    path.write_text(json.dumps({"log_history": history, "global_step": len(history)}))
