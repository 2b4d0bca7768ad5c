"""One foreign format a file; found by themselves."""
