from . import adapters as adapters
from . import line as line

__all__: list[str]
