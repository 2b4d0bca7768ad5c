"""Opens runs that lie on disk, whatever wrote them."""
