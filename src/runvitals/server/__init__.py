"""The dashboard's server: runs as JSON over HTTP, and the built single-page app."""
