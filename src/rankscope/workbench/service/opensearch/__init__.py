"""The read-only part of OpenSearch: searches, counts, documents by their ids, mappings, and what lists indexes."""
