"""Points for charts: a series over an axis, thinned into buckets, and packed to be sent."""
