"""One file a question: what Python calls, and in `line` what the command line offers.

In come files and objects of other libraries; out come results, pages and exit codes. Begin with `evaluate.py` and
`line/main.py`.
"""

from rankscope.core.stubs import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
