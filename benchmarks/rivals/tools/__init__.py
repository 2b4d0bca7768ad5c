"""The rivals, one file each.

A file has the `PACKAGE` with its version, the `SCOPE` that its own pages claim, `in_scope(log)`, the
metrics of which it `NEEDS` one, the `NAMES` that it documents with the metrics that fit, and
`ask(log)`, which gives the names of the warnings and errors it raises with its defaults.
"""

from __future__ import annotations

ALL = (
    "rldoctor",
    "trainproof",
    "zen_rl",
    "rlwatch",
    "runmedic",
    "training_doctor",
    "ftdoctor",
    "rlprobe",
    "runwise",
)
