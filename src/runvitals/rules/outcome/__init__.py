"""One reading of what a run is for: which series say it, how each went, and what that amounts to."""
