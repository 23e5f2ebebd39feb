from . import graphs as graphs
from . import page as page

__all__: list[str]
