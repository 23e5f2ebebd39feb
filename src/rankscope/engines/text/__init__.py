"""Text: analysis, an index on disk, Lucene's query language, and rankings under many similarities."""
