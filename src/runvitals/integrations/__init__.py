"""Record from a framework with one line: one adapter a file, and nothing imported until it is used."""
