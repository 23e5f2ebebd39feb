"""What chance does to the numbers: intervals, bands, tests, and how many queries they need."""
