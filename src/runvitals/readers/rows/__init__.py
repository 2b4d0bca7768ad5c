"""Rows and columns, whatever file they came from: what counts the steps, where a run was restarted."""
