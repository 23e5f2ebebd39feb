from . import graphs as graphs
from . import page as page
from . import texts as texts

__all__: list[str]
