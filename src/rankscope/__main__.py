"""`python -m rankscope`."""

from rankscope.cli.main import main

main()
