"""What five documents on training metrics ask for, item by item, and what here serves it.

`python -m runvitals.requirements` writes docs/requirements.md.
"""

from __future__ import annotations

from runvitals.requirements import glossary, monitoring, reference, rl_table, telemetry
from runvitals.requirements.item import Document, Item

__all__ = ["DOCUMENTS", "Document", "Item"]

DOCUMENTS: tuple[Document, ...] = (
    telemetry.DOCUMENT,
    rl_table.DOCUMENT,
    monitoring.DOCUMENT,
    glossary.DOCUMENT,
    reference.DOCUMENT,
)
