"""From pictures to vectors, from vectors to exact ranks, and which descriptor finds best."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rankscope.core.caching import need_extras
from rankscope.core.display import ShownByName
from rankscope.core.errors import SettingError
from rankscope.core.keywords import strict_keywords
from rankscope.core.names import RANKS_SUFFIX, one_line
from rankscope.core.wording import setting_usage
from rankscope.version import __version__

if TYPE_CHECKING:
    from rankscope.core.parts import Runner
    from rankscope.engines.nearest.metrics import Metric
    from rankscope.inputs.features import Features, LabelledItems
    from rankscope.ranks.relevant_ranks import RelevantRanks
    from rankscope.reports.standings import Standings


@strict_keywords
def rank(
    features: Any,
    labels: Any = None,
    *,
    metric: Metric | None = None,
    output: str | Path | None = None,
    separator: str | None = None,
    label_column: str | None = None,
    id_column: str | None = None,
    queries: str | Path | Iterable[Any] | None = None,
    junk: Any = None,
    junk_labels: Sequence[Any] = (),
    query_item: Literal["removed", "kept", "kept_ignored"] = "removed",
    distractors: str | None = None,
    memory: str | int | None = None,
    threads: int | None = None,
    keep_scores: bool = True,
    device: Literal["cpu", "cuda"] = "cpu",
    system: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    on: str | Runner | None = None,
    work: str | Path | None = None,
) -> RelevantRanks:
    """Vectors with labels to the exact ranks of all relevant items: every labelled item is a query in turn.

    `features` is a file, several of them (a list, a folder or a pattern), an array with one row per item, or
    `Features`; `labels` a file or the label of each item. `output` saves the ranks as NAME.ranks.parquet, and
    interrupted work continues. `on` ranks in parts elsewhere, as "processes:4" or "dask://HOST:PORT", which changes no
    number; `work` is a folder that all workers reach, by default next to the output. `distractors` ranks each class
    among so many others alone: "nearest(500)", those of least mean distance to its members (a narrow domain), or
    "random(500)" (a wide one).
    >>> rank([[0.0, 1.0], [0.0, 2.0], [1.0, 0.0]], labels=["a", "a", "b"]).ranks.tolist()
    [1, 1]
    """
    from rankscope.core.machine import memory_of
    from rankscope.engines.nearest.metrics import metric_named

    asked = None if metric is None else metric_named(metric)  # before a large file is read
    how = {
        "labels": labels,
        "separator": separator,
        "label_column": label_column,
        "id_column": id_column,
        "queries": queries,
        "junk_labels": junk_labels,
    }
    name = one_line(system or (os.path.basename(output).removesuffix(RANKS_SUFFIX) if output else "nearest"))
    choices = {
        "query_item": query_item,
        "keep_scores": keep_scores,
        "memory": memory_of(memory),
        "distractors": distractors_text(distractors),
    }
    free = {"threads": threads, "device": device, "progress": progress}
    ranking = Ranking(metric=asked, junk=junk, system=name, output=output, choices=choices, free=free)
    return ranking.of(features, how, on, work)[0]


def distractors_text(distractors: str | None) -> str | None:
    """A choice of distractors as it is written, checked before a large file is read.

    >>> distractors_text("Nearest( 500 )")
    'nearest(500)'
    """
    from rankscope.engines.nearest.domains import parse_distractors

    return None if distractors is None else str(parse_distractors(distractors))


@dataclass(frozen=True)
class Ranking:
    """What is to be done with features, whatever holds them; only `choices` change numbers."""

    metric: Any  # None: the one that the features name, else cosine
    junk: Any
    system: str
    output: str | Path | None
    choices: dict[str, Any]
    free: dict[str, Any]

    def of(
        self,
        features: Any,
        how: dict[str, Any],
        on: str | Runner | None = None,
        work: str | Path | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> tuple[RelevantRanks, LabelledItems, int]:
        """The ranks, the items, and how many parts were there from before."""
        from rankscope.inputs.feature_files import are_parts

        if on in (None, "home") and not are_parts(features):
            return self.whole(items_of(features, **how))
        from rankscope.commands.rank_in_parts import ranked_in_parts

        return ranked_in_parts(self, features, how, on or "home", work, say)

    def metric_of(self, items: LabelledItems) -> Any:
        """The metric asked for, else the one that goes with the features."""
        from rankscope.engines.nearest.metrics import metric_named

        return self.metric or metric_named(items.metric or "cosine")

    def whole(self, items: Features) -> tuple[RelevantRanks, LabelledItems, int]:
        """All at once; blocks of ranks that are finished wait next to the output for the rest."""
        from rankscope.engines.nearest import nearest_ranks
        from rankscope.engines.nearest.blocks import BlocksFolder
        from rankscope.engines.nearest.metrics import metric_name
        from rankscope.inputs.qrels import read_junk
        from rankscope.inputs.reading import Reading
        from rankscope.ranks.storage import save_ranks

        metric, junk = self.metric_of(items), read_junk(self.junk, Reading()) if self.junk is not None else []
        how = {"metric": metric, "junk": junk, "system": self.system, **self.choices, **self.free}
        if self.output is None:
            return nearest_ranks(items, **how), items, 0
        if not str(self.output).endswith(RANKS_SUFFIX):
            raise SettingError(f"the result must be called NAME{RANKS_SUFFIX}, got '{self.output}'")
        made_by = {"version": __version__, "features": items.digest, "metric": metric_name(metric), "junk": junk}
        work = BlocksFolder(str(self.output), {**made_by, **self.choices})
        with work.open():
            ranks = nearest_ranks(items, kept=work.block, **how)
            save_ranks(ranks, self.output)
        return ranks, items, work.reused


def items_of(
    features: Any,
    *,
    labels: Any = None,
    separator: str | None = None,
    label_column: str | None = None,
    id_column: str | None = None,
    queries: str | Path | Iterable[Any] | None = None,
    junk_labels: Sequence[Any] = (),
) -> Features:
    """Features from a file, from an array, or as they are."""
    from rankscope.inputs.feature_files import read_features
    from rankscope.inputs.features import Features

    if isinstance(features, Features):
        return features
    if isinstance(features, str | Path):
        return read_features(
            features,
            labels=labels,
            separator=separator,
            label_column=label_column,
            id_column=id_column,
            queries=queries,
            junk_labels=junk_labels,
        )
    if isinstance(labels, str | Path):
        from rankscope.inputs.feature_files import read_labels

        labels = read_labels(labels, None, label_column, id_column).labels
    if labels is None:
        raise SettingError("an array of features needs labels=...: the label of each item")
    if isinstance(queries, str | Path):
        queries = Path(queries).read_text(encoding="utf-8").split()
    return Features.of(features, labels, separator=separator, queries=queries, junk_labels=junk_labels)


@strict_keywords
def describe(
    folder: str | Path,
    descriptors: str | Sequence[str] = (),
    *,
    labels: str | Path = "folders",
    size: int | None = None,
    max_pixels: int = 64_000_000,
    model: str | Path | None = None,
    side: int | None = None,
    mean: Sequence[float] | None = None,
    std: Sequence[float] | None = None,
    fit: Literal["crop", "stretch"] = "crop",
    threads: int | None = None,
    lsi: int | None = None,
    field: str | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> ShownByName[Features]:
    """Pictures to vectors with class labels, which `rank` turns into exact ranks: by descriptor, one `Features` each.

    Pictures are all those in the folder and below. `labels` is a CSV file with a file and a class column, or
    "folders": the sub-folder a picture lies in. `model` is your own network, an ONNX file or a scripted torch model.
    `lsi` is for the folder of a text index: vectors of so many numbers from the words in a `field`; `labels` are then
    judgements, and the queries that a document is relevant to are its labels.
    """
    if lsi is not None:
        refuse_pictures(descriptors, model)
        return _texts_described(folder, None if labels == "folders" else labels, lsi, field, seed)
    from rankscope.engines.images.describing import describe as described
    from rankscope.engines.images.picture_folders import pictures_in
    from rankscope.inputs.features import Features

    asked = descriptors_of(descriptors, model, side=side, mean=mean, std=std, fit=fit)
    pictures, _ = pictures_in(folder, labels)
    found = described(
        [each.path for each in pictures], asked, size=size, max_pixels=max_pixels, threads=threads, progress=progress
    )
    kept = [pictures[row] for row in found.kept.tolist()]
    classes, ids = [each.label for each in kept], [each.id for each in kept]
    return ShownByName(
        {
            str(each.descriptor): replace(Features.of(each.features, classes, ids), metric=each.metric)
            for each in found.described
        }
    )


def refuse_pictures(descriptors: str | Sequence[str], model: str | Path | None) -> None:
    """Refuse what describes pictures next to what describes texts."""
    if descriptors or model is not None:
        ours, theirs = setting_usage("lsi"), f"{setting_usage('descriptors')} and {setting_usage('model')}"
        raise SettingError(f"{ours} is for texts, {theirs} are for pictures: give one of them")


def _texts_described(folder: str | Path, qrels: Any, lsi: int, field: str | None, seed: int) -> ShownByName[Features]:
    """The documents of an index as vectors."""
    from rankscope.engines.text.lsi import labels_of, lsi_vectors
    from rankscope.engines.text.text_index import Index
    from rankscope.inputs.features import Features

    index = Index.open(folder)
    vectors = lsi_vectors(index.reader, field or index.default_field, lsi, seed)
    ids = index.reader.live_ids.to_list()
    labels = labels_of(ids, {} if qrels is None else qrels)
    features = Features(matrix=vectors, several=tuple(labels), ids=tuple(ids), metric="cosine")
    return ShownByName({f"lsi({lsi})": features})


def descriptors_of(
    descriptors: str | Sequence[str],
    model: str | Path | None = None,
    *,
    side: int | None = None,
    mean: Sequence[float] | None = None,
    std: Sequence[float] | None = None,
    fit: str = "crop",
) -> list[Any]:
    """Descriptors by name, then the user's model."""
    from rankscope.engines.images.descriptors import DESCRIPTORS

    asked: list[Any] = [*DESCRIPTORS.parse_list(descriptors)]
    options = {"side": side, "mean": mean, "std": std}
    if model is not None:
        asked.append(_network(model, options, fit))
    elif given := [name for name, value in options.items() if value is not None]:
        needed = setting_usage("model", "FILE")
        raise SettingError(f"{setting_usage(given[0])} belongs to a model: give {needed} too")
    if not asked:
        ways = f"{setting_usage('descriptors', 'NAME')} or {setting_usage('model', 'FILE')}"
        raise SettingError(f"nothing to describe with: give {ways}")
    return list(dict.fromkeys(asked))


def _network(model: str | Path, options: dict[str, Any], fit: str) -> Any:
    from rankscope.engines.images.networks import TORCH_SUFFIXES, NetworkDescriptor

    need_extras("PIL", "torch" if Path(model).suffix.lower() in TORCH_SUFFIXES else "onnxruntime")
    given: dict[str, Any] = {
        name: value if name == "side" else tuple(value) for name, value in options.items() if value is not None
    }
    network = NetworkDescriptor(str(model), fit=fit, **given)
    _ = network.size  # an unusable model is found out before any picture is read
    return network


@strict_keywords
def benchmark(
    collection: str | Path,
    output: str | Path,
    *,
    descriptors: str | Sequence[str] = "all",
    data: str | Path | None = None,
    queries: str = "all",
    show: int = 12,
    first: int = 10,
    seed: int = 0,
    max_pixels: int = 64_000_000,
    threads: int | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Standings:
    """Which descriptor finds best on a collection of pictures, and what does it cost?

    `collection` is a name, as "corel1k", or a folder of class folders. Vectors, ranks, tables, graphs and the page go
    into the folder `output`; interrupted work continues.
    """
    from rankscope.engines.images.benchmark import benchmark as tried
    from rankscope.engines.images.contenders import contenders
    from rankscope.engines.images.picture_folders import found_collection, need_packages
    from rankscope.reports.page.benchmark_page import write_benchmark
    from rankscope.reports.standings import standings_of

    asked = contenders(descriptors if isinstance(descriptors, str) else ",".join(descriptors))
    need_packages(str(collection), [module for each in asked for module in each.needs])
    pictures = found_collection(str(collection), data)
    trials = tried(pictures, asked, output, queries=queries, max_pixels=max_pixels, threads=threads, progress=progress)
    standings = standings_of(trials, seed)
    write_benchmark(standings, Path(output), shown=show, first=first, seed=seed)
    return standings
