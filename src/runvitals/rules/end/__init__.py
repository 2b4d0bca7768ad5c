"""How runs end."""
