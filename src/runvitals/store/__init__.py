"""Our run folder: the append-only writer, and its reader."""
