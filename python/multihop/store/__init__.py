"""The store: a folder of content-addressed records."""
