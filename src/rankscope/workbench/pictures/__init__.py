"""Pictures that come from anybody, decoded where they can do no harm."""
