"""What the API answers. These models are the contract with `web/`, which makes its types from them.

Numbers that are NaN or infinite arrive as null. Steps are whole numbers, times are Unix seconds.
Characters in names and texts that nobody would see are written as codes (`json_safe.py`); a request may
name a thing by what it was told.
"""
