"""What a question in SQL may be, and what it may take.

The engine decides: its parser says what a text is, its read-only mode and grants say what may be read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from runvitals.model import ConfigError

_ANSWERED = (
    "Select",
    "Show",
    "Describe",
    "Explain",
    "Exists",
)  # beginnings of the parser's own names


@dataclass(frozen=True)
class Limits:
    """What one question may take; the engine ends those that want more."""

    seconds: float = 300.0
    memory: int = 4 << 30  # bytes
    answer: int = 1 << 30  # bytes
    spill: int = 8 << 30  # bytes of temporary files, for sorting and grouping

    def settings(self) -> dict[str, str | int | float]:
        """For the engine. With `readonly` at 1 a question can change none of them."""
        return {
            "readonly": 1,
            "max_execution_time": self.seconds,
            "max_memory_usage": self.memory,
            "max_result_bytes": self.answer,
            "max_temporary_data_on_disk_size_for_query": self.spill,
            "output_format_arrow_low_cardinality_as_dictionary": 0,
            "output_format_arrow_string_as_string": 1,
        }


def one_question(sql: str, first_cell: Callable[[str], str]) -> str:
    """The question in the engine's own spelling; raises if it is not one, or would write a file.

    `first_cell` asks the engine something, and gives the first value of its answer. None of what it is
    asked here runs the question.
    """
    spelled = first_cell(f"SELECT formatQuerySingleLine({_quoted(sql)})")
    refused = ConfigError(
        "a query must be one statement that reads, without FORMAT or INTO OUTFILE",
        hint='for example: runvitals query "SELECT run, verdict FROM fleet"',
    )
    # the parser takes only one INTO OUTFILE, and none after FORMAT: so the question has neither
    test = f"SELECT isNull(formatQuerySingleLineOrNull({_quoted(spelled + _TO_FILE)}))"
    if first_cell(test) != "0":
        raise refused
    if not first_cell(f"EXPLAIN AST {spelled}").startswith(_ANSWERED):
        raise refused
    return spelled


_TO_FILE = " INTO OUTFILE 'x'"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\0", "\\0")
    return f"'{escaped}'"
