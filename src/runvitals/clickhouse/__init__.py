"""A ClickHouse server, or chdb, the same engine inside this process: how it is reached and read."""
