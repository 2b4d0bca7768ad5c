"""What a model wrote: prompts, completions and rewards, measured and turned into series."""
