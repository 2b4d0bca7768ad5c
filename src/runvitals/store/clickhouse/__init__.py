"""How ClickHouse or its embedded twin is reached, for runs whose points lie there."""
