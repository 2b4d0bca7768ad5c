"""A run as one HTML file that needs nothing else: no server, no network, no runvitals."""
