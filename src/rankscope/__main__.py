"""`python -m rankscope`."""

from rankscope.commands.line.main import main

main()
