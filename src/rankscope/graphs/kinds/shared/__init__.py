"""What several kinds of graph are made with: systems and groups of queries, bands, words for legends and subtitles."""
