"""PPO in the manner of CleanRL: options, a `SummaryWriter`, and no word of runvitals."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.made.cleanrl import PPO, make
from benchmarks.made.programs import Program
from benchmarks.made.worlds import CARTPOLE

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--learning-rate", type=float, default=PPO["learning_rate"])
    parser.add_argument("--total-timesteps", type=int, default=25_000)
    args = parser.parse_args()
    settings = {"steps": args.total_timesteps, "learning_rate": args.learning_rate}
    make(Program("cleanrl", "PPO", CARTPOLE, "script", settings=settings), 1, Path("log"))
