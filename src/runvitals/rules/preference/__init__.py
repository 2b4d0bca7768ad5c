"""Rules about learning from preferences (DPO, KTO and similar methods)."""
