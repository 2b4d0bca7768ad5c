"""Diagnoses for people and machines: text, JSON, SARIF, JUnit, GitHub, Markdown, HTML for notebooks."""
