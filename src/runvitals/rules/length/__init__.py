"""Rules about lengths of prompts, responses and episodes."""
