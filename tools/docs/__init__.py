"""Pages made from the code, one module each."""
