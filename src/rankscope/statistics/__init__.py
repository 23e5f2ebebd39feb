"""What chance does to the numbers: intervals of means and of differences over queries."""
