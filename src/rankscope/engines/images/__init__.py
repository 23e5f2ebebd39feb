"""From pictures to vectors: decoding, descriptors, and whole folders described."""
