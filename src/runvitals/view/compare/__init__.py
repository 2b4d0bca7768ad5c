"""Several runs side by side, and groups of seeds as curves."""
