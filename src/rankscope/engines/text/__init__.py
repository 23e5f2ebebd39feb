"""Text: analysis, an index on disk, Lucene's query language, and rankings under many similarities.

>>> from rankscope.engines.text import Index
>>> index = Index.build([{"id": "a", "body": "The quick fox"}, {"id": "b", "body": "Quick foxes and a dog"}])
>>> index.search('"quick fox" -dog').ids.to_list()
['a']
"""

from rankscope.core.stubs import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
