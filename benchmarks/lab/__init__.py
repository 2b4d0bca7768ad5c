"""The labelled runs of the lab: made, tested for harm, and shown in docs/lab."""
