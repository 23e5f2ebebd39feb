from .searching import Hits as Hits
from .text_index import Index as Index
