"""Record from a framework: adapters of one line, hooks of none; nothing is imported until used."""
