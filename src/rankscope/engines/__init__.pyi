from . import crawler as crawler
from . import images as images
from . import live as live
from . import nearest as nearest
from . import shards as shards
from . import text as text

__all__: list[str]
