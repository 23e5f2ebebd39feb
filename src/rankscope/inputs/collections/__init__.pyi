from .collection import COLLECTIONS as COLLECTIONS
from .collection import Collection as Collection
from .collection import CollectionKind as CollectionKind
from .collection import Truth as Truth
from .collection import load as load
from .sample import LabelledImages as LabelledImages
from .sample import icons as icons
