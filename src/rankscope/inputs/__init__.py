"""Read and check: judgements (Qrels), rankings (Run), vectors (Features), from files and from Python objects."""
