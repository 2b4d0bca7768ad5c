"""How fast logs of other tools are read, and how well their names are understood."""
