"""Named test collections with the rule by which each is judged; `icons` ships inside the package.

>>> from rankscope.inputs.collections import load
>>> load("icons").queries[0]
'material-symbols-light:lock-open-rounded'
"""

from rankscope.core.stubs import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
