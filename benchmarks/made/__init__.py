"""Labelled runs of real frameworks: Stable-Baselines3, TRL, the plain Trainer, scripts and loops.

    python -m benchmarks.made                 all that is missing, below .scoreboard/made (two hours)
    python -m benchmarks.made --only sb3 --minutes 20

Needs the environment with the large frameworks (`make test-frameworks` builds it); nothing is
downloaded: models are tiny and random, data and most environments are made here. `programs.py` says
what a program is and how a run gets its label, `keeping.py` what is kept where. One file per trainer.
"""
