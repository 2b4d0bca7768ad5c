"""The dashboard in a real browser: how soon, how live, how large, and its pictures."""
