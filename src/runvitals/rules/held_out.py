"""Held-out scores of what a model writes: they overrule a training reward that looks good."""

from __future__ import annotations

SCORES = (
    "eval/success_rate",
    "eval/mean_at_n",
    "eval/pass_at_k",
    "eval/win_rate",
    "eval/score_mean",
    "eval/lm/sequence_accuracy",
)
