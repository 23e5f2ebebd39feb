"""One function for each question, as each has its command: what `import rankscope` offers by the names of the verbs."""
