"""One run: its line in the list, its page, its charts, what happened in it and what it printed."""
