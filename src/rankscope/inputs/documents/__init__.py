"""Documents and topics, in the forms in which they lie in files."""
