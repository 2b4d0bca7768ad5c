"""The judge beside a run that is being recorded: the same rules, on a bounded view, within a budget."""
