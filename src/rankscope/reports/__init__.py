"""Results for people and programs: formats of output, texts in words, and pages; each is loaded when it is used."""
