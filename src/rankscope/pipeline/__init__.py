"""A pipeline stage by stage: where the relevant items of a search are lost, and how much each stage costs."""
