"""runvitals' own names: every canonical id is its own alias, so only shorthands stand here."""

from runvitals.model import Framework

FRAMEWORK = Framework(
    id="runvitals", title="runvitals", version="0.1", kind="general", names=("rv",), aliases=()
)
