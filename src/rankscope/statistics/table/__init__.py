"""What every test reads: values by query and system, their cells, and which units chance draws."""
