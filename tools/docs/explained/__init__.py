"""Pages that explain one idea with one picture each; every number in them is computed when the page is made."""
