"""All points of one run in memory: gathered, merged, put aside when there are too many."""
