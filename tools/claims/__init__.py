"""What five documents claim, and where rankscope shows it: the rows, their page, and a program that runs them all."""
