"""Items where they lie: the file of a picture, the fields of a document, a row of a feature file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.catalogue import unknown_name
from rankscope.errors import InputError, SettingError
from rankscope.inputs.checks import Problems
from rankscope.names import name_of
from rankscope.workbench.sources import Sources
from rankscope.workbench.store.rows import Item

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Vectors:
    """One row of features for each item, in the order of the project, and the metric that goes with them."""

    name: str
    matrix: NDArray[Any]
    metric: str


@dataclass(frozen=True, eq=False)
class ItemAccess:
    """The sources of a project, read when they are first asked for; what has gone since is told by its name."""

    sources: Sources
    items: Sequence[Item]
    _read: dict[str, Vectors] = field(default_factory=dict)

    def picture(self, item: str) -> Path:
        """The file of a picture; an `InputError` where it has gone."""
        found = self._pictures.get(item)
        if found is None or not found.is_file():
            raise InputError.of(str(self.sources.images), [f"has no picture '{item}' any more"])
        return found

    def document(self, item: str) -> dict[str, str]:
        """The fields of a document by their names."""
        found = self._documents.get(item)
        if found is None:
            raise InputError.of(str(self.sources.texts), [f"has no document '{item}' any more"])
        return found

    @property
    def feature_names(self) -> list[str]:
        """The feature files by the names of their files."""
        return [name_of(path) for path in self.sources.features]

    def vectors(self, name: str | None = None) -> Vectors:
        """The features of all items from one of the feature files, the first unless one is named."""
        if not self.sources.features:
            raise SettingError("the project names no features: add them to its project.toml")
        chosen = self.feature_names[0] if name is None else name
        if chosen not in self.feature_names:
            raise SettingError(unknown_name("features", chosen, self.feature_names))
        if chosen not in self._read:
            self._read[chosen] = self._vectors(self.sources.features[self.feature_names.index(chosen)])
        return self._read[chosen]

    def _vectors(self, path: Path) -> Vectors:
        from rankscope.inputs.feature_files import read_contents

        found = read_contents(path)
        if found.ids is None:
            if len(found.matrix) != len(self.items):
                what = f"has {len(found.matrix):,} rows without names, and there are {len(self.items):,} items"
                raise InputError.of(name_of(path), [what])
            return Vectors(name_of(path), np.asarray(found.matrix), found.metric)
        place = {str(each): row for row, each in enumerate(found.ids)}
        missing = [each.id for each in self.items if each.id not in place]
        if missing:
            raise InputError.of(name_of(path), [f"has no vector of '{each}'" for each in missing])
        rows = np.array([place[each.id] for each in self.items], dtype=np.int64)
        return Vectors(name_of(path), np.asarray(found.matrix)[rows], found.metric)

    @cached_property
    def _pictures(self) -> dict[str, Path]:
        from rankscope.engines.images.labelled_folder import pictures_in

        if self.sources.images is None:
            raise SettingError("this is a project of texts: it has no pictures")
        return {each.id: each.path for each in pictures_in(self.sources.images)[0]}

    @cached_property
    def _documents(self) -> dict[str, dict[str, str]]:
        from rankscope.inputs.documents.reading import read_documents

        if self.sources.texts is None:
            raise SettingError("this is a project of pictures: it has no texts")
        files = read_documents([self.sources.texts]).files
        return {record.id: record.fields for each in files for record in each.read(Problems(each.name))}
