"""Rules about learning from preferences (DPO, KTO and their kin)."""
