"""A run held against runs like it: seeds of the same settings, or all settings alike but one."""
