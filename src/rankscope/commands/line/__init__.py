"""The command line: one click command a question, its options, and what it prints."""
