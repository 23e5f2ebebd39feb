from . import collections as collections
from . import documents as documents
from . import formats as formats

__all__: list[str]
