"""Readers and writers of foreign game formats, one module per format."""
