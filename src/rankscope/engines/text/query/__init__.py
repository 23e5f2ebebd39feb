"""Lucene's query language: from the text that people type to a tree of nodes."""

from rankscope.engines.text.query.nodes import Node, walk
from rankscope.engines.text.query.parser import Language, parse_query

__all__ = ["Language", "Node", "parse_query", "walk"]
