"""Lucene's query language: from the text that people type to a tree of nodes."""
