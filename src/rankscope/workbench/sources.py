"""What a project judges: items, queries and rankings, read where they are and never changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rankscope.errors import InputError, Problem, ProblemReport, RankscopeError, SettingError
from rankscope.names import distinct_names, name_of
from rankscope.workbench.project_file import ProjectFile
from rankscope.workbench.store.events import is_storable
from rankscope.workbench.store.rows import Item, Query

if TYPE_CHECKING:
    import polars as pl

    from rankscope.inputs.topics.query_set import QuerySet

T = TypeVar("T")
SHOWN = 5
NARRATIVE = ("narr", "narrative", "desc", "description")


@dataclass(frozen=True, eq=False)
class Sources:
    """The files of a project, and how messages call them."""

    images: Path | None = None
    texts: Path | None = None
    features: tuple[Path, ...] = ()
    runs: tuple[Path, ...] = ()
    topics: Path | None = None
    index: Path | None = None

    @classmethod
    def of(cls, file: ProjectFile, folder: Path) -> Sources:
        """Where the files that project.toml names are."""

        def place(written: str | None) -> Path | None:
            return None if written is None else file.path(folder, written)

        return cls(
            images=place(file.images),
            texts=place(file.texts),
            features=tuple(file.path(folder, each) for each in file.features),
            runs=tuple(file.path(folder, each) for each in file.runs),
            topics=place(file.topics),
            index=place(file.index),
        )

    def read(self) -> Contents:
        """Everything once, with all problems of all files in one `InputError`."""
        reports: list[ProblemReport] = []
        items = _attempt(reports, self._items) or []
        topics = _attempt(reports, self._topics)
        rankings = [_attempt(reports, read_ranking, path) for path in self.runs]
        for path in self.features if items else ():
            _attempt(reports, _check_features, path, items)
        _attempt(reports, self._check_index)
        known = {each.id for each in items}
        names = run_names(self.runs)
        queries = _queries(topics, rankings, known, {each.id: each.class_ for each in items})
        if not reports:
            reports += _foreign_items(names, rankings, known)
            reports += _foreign_queries(names, rankings, {each.id for each in queries})
        if reports:
            raise InputError(reports)
        return Contents(items, queries)

    def _items(self) -> list[Item]:
        if (self.images is None) == (self.texts is None):
            raise SettingError("a project judges pictures or texts: give images or texts, one of them")
        found = _pictures(self.images) if self.images is not None else _documents(self.texts or Path())
        if wrong := [name for name, _ in found if not is_storable(name)]:
            raise InputError.of(str(self.images or self.texts), [f"{name!r} is no text" for name in wrong])
        return [Item(place, name, label) for place, (name, label) in enumerate(found)]

    def _topics(self) -> QuerySet | None:
        from rankscope.inputs.topics.reading import read_topics

        return None if self.topics is None else read_topics(self.topics)

    def _check_index(self) -> None:
        if self.index is not None:
            from rankscope.engines.text.text_index import Index

            Index.open(self.index)


@dataclass(frozen=True, eq=False)
class Contents:
    """What stays as it was when the project was made."""

    items: list[Item]
    queries: list[Query]


def run_names(paths: Sequence[Path]) -> list[str]:
    """What the runs are called: as their files, and all different."""
    return distinct_names([_stem(path) for path in paths], list(paths))


def read_ranking(path: Path) -> pl.DataFrame:
    """The ranking of a run (query, item, rank): by falling score, equal scores by falling id, as trec_eval has them."""
    import polars as pl

    from rankscope.inputs.run import Run

    table = Run.of(path).table().sort(["query", "score", "item"], descending=[False, True, True], maintain_order=True)
    twice = table.select("query", "item").is_duplicated()
    if twice.any():
        rows = table.filter(twice).select("query", "item").unique(maintain_order=True).rows()
        problems = [Problem(f"query {query}", f"item '{item}' is ranked twice") for query, item in rows[:100]]
        raise InputError.of(name_of(path), problems, total=len(rows))
    return table.select("query", "item", pl.int_range(1, pl.len() + 1).over("query").alias("rank"))


def _stem(path: Path) -> str:
    name = name_of(path)
    for ending in (
        ".gz",
        ".zst",
        ".bz2",
        ".xz",
        ".txt",
        ".run",
        ".trec",
        ".tsv",
        ".csv",
        ".parquet",
        ".json",
        ".jsonl",
    ):
        name = name.removesuffix(ending)
    return name or name_of(path)


def _pictures(folder: Path) -> list[tuple[str, str]]:
    from rankscope.engines.images.labelled_folder import pictures_in

    found, _ = pictures_in(folder)
    return [(each.id, each.label) for each in found]


def _documents(path: Path) -> list[tuple[str, str]]:
    from rankscope.inputs.documents.reading import read_documents

    return [(str(name), "") for table in read_documents([path]) for name in table.get_column("id")]


def _check_features(path: Path, items: Sequence[Item]) -> None:
    """Vectors for every item, by name or, where the file has no names, one for each in order."""
    from rankscope.inputs.feature_files import read_contents

    found = read_contents(path)
    rows = len(found.matrix)
    if found.ids is None:
        if rows != len(items):
            raise InputError.of(name_of(path), [f"has {rows:,} rows without names, and there are {len(items):,} items"])
        return
    there = {str(each) for each in found.ids}
    missing = [each.id for each in items if each.id not in there]
    if missing:
        raise InputError.of(name_of(path), [f"has no vector of {_few(missing)}"])


def _queries(
    topics: QuerySet | None, rankings: Iterable[pl.DataFrame | None], items: set[str], classes: dict[str, str]
) -> list[Query]:
    """The topics; without any, what the runs ask, where the id of an item is a query by example."""
    if topics is not None:
        texts = topics.texts()
        parts = topics.parts
        return [
            Query(
                place,
                name,
                texts[name],
                next((str(parts[name][each]) for each in NARRATIVE if each in parts[name]), ""),
                None,
                "",
            )
            for place, name in enumerate(topics)
        ]
    asked = dict.fromkeys(
        name for each in rankings if each is not None for name in each.get_column("query").unique(maintain_order=True)
    )
    return [
        Query(place, name, "" if name in items else name, "", name if name in items else None, classes.get(name, ""))
        for place, name in enumerate(asked)
    ]


def _foreign_items(
    names: Sequence[str], rankings: Sequence[pl.DataFrame | None], known: set[str]
) -> list[ProblemReport]:
    reports = []
    for name, each in zip(names, rankings, strict=True):
        foreign = (
            []
            if each is None
            else [item for item in each.get_column("item").unique(maintain_order=True) if item not in known]
        )
        if foreign:
            what = f"ranks items that are not in the collection: {_few(foreign)}"
            reports.append(ProblemReport(name, [Problem("", what)]))
    return reports


def _foreign_queries(
    names: Sequence[str], rankings: Sequence[pl.DataFrame | None], known: set[str]
) -> list[ProblemReport]:
    """A run may ask more than the topics, but not something else altogether."""
    reports = []
    for name, each in zip(names, rankings, strict=True):
        if each is not None and not known & set(each.get_column("query").unique()):
            reports.append(ProblemReport(name, [Problem("", "answers none of the topics")]))
    return reports


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _attempt(reports: list[ProblemReport], call: Callable[..., T], *given: Any) -> T | None:
    """What a call gives; its errors are kept until all calls have been made."""
    try:
        return call(*given)
    except InputError as error:
        reports.extend(error.reports)
    except RankscopeError as error:
        reports.append(ProblemReport("project", [Problem("", str(error))]))
    return None
