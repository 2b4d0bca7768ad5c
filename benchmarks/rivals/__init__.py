"""Other tools that judge training logs, asked about the same runs with their defaults.

Each tool lives in an environment of its own below `.scoreboard/rivals/` and is asked in one go about
all runs. A file in `tools/` says what it reads, under which names, and what counts as an alarm. Those
files, `log.py` and `inside.py` run in the tool's environment, so they import nothing but the standard
library and, inside a function, the tool.
"""
