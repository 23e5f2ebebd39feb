"""Many descriptors on one collection: what is made, what is kept, and what is made only once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pillow

from rankscope.commands.line.describe import benchmark_command
from rankscope.core.errors import InputError, SettingError
from rankscope.core.settings import Settings
from rankscope.engines.images import contenders as kinds
from rankscope.engines.images.benchmark import Benchmark, benchmark
from rankscope.engines.images.contenders import ByVectors, Contender, contenders
from rankscope.engines.images.describing import describe
from rankscope.engines.images.descriptors import DESCRIPTORS
from rankscope.engines.images.image import read_image
from rankscope.engines.images.local_features import SiftMatching
from rankscope.engines.images.picture_folders import found_collection
from rankscope.engines.images.picture_set import PictureSet, open_pictures
from rankscope.engines.nearest import nearest_ranks
from rankscope.inputs import collections
from rankscope.inputs.collections.collection import Collection
from rankscope.measures.evaluation.evaluate import evaluate_ranks
from tests.data import data_folder
from tests.engines.images.pictures_folder import written

NAMES = "rgb-histogram(bins=4),thumbnail(side=8),colour-layout"


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    return written(tmp_path / "photos")


def tried(folder: Path, out: Path, names: str = NAMES, **options: Any) -> Benchmark:
    return benchmark(found_collection(str(folder)), contenders(names), out, **options)


def means(made: Benchmark) -> dict[str, list[float]]:
    scores = evaluate_ranks(made.ranks, ["AP", "P@10", "ER", "NMRR", "Rprec"], Settings())
    return {system.name: [column.summary for column in system.columns] for system in scores.systems}


def test_ranks_are_those_of_describe_and_rank(photos: Path, tmp_path: Path) -> None:
    result = tried(photos, tmp_path / "out")
    collection = found_collection(str(photos))
    assert collection.paths is not None
    for trial in result.trials:
        found = describe(list(collection.paths), [DESCRIPTORS.parse(trial.name)]).described[0]
        ranks = nearest_ranks(found.features, collection.labels, found.metric, collection.ids)
        assert trial.ranks.judged.lists("rank") == ranks.judged.lists("rank")
        assert trial.values == found.features.shape[1]
        assert trial.describe_ms > 0
        assert trial.query_ms > 0


def test_the_first_results_are_those_whose_ranks_are_counted(photos: Path, tmp_path: Path) -> None:
    result = tried(photos, tmp_path / "out", f"{NAMES},height-matching,bag-of-words(words=4),sift-matching")
    for trial in result.trials:
        rows = result.rows(trial.ranks.queries)
        first = trial.first(rows, count=7)
        labels = np.array(result.pictures.labels, dtype=object)
        right = labels[first.items] == labels[rows][:, None]
        hits = [(np.flatnonzero(row) + 1).tolist() for row in right]
        assert hits == [[rank for rank in ranks if rank <= 7] for ranks in trial.ranks.judged.lists("rank")], trial.name
        assert (np.diff(first.distances, axis=1) >= 0).all()
        assert not (first.items == rows[:, None]).any()


class Counted(ByVectors):
    """Counts how often it describes, and can be stopped."""

    described = 0
    stopped = False

    def vectors(self, *given: Any, **more: Any) -> Any:
        if Counted.stopped and "colour" in str(self):
            raise KeyboardInterrupt
        Counted.described += 1
        return super().vectors(*given, **more)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Sequence[Contender]:
    monkeypatch.setattr(Counted, "described", 0)
    monkeypatch.setattr(Counted, "stopped", False)
    return [Counted(each.descriptor) for each in contenders(NAMES) if isinstance(each, ByVectors)]


def test_a_second_run_describes_and_ranks_nothing(
    photos: Path, tmp_path: Path, counted: Sequence[Contender], monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = found_collection(str(photos))
    first = benchmark(collection, counted, tmp_path / "out")
    monkeypatch.setattr(kinds, "nearest_ranks", None)
    again = benchmark(collection, counted, tmp_path / "out")
    assert Counted.described == 3
    assert again.reused == 3
    assert means(again) == means(first)
    assert [trial.describe_ms for trial in again.trials] == [trial.describe_ms for trial in first.trials]
    assert [trial.query_ms for trial in again.trials] == [trial.query_ms for trial in first.trials]


def test_a_stopped_benchmark_goes_on_and_ends_as_one_that_was_not(
    photos: Path, tmp_path: Path, counted: Sequence[Contender]
) -> None:
    collection = found_collection(str(photos))
    whole = means(benchmark(collection, counted, tmp_path / "whole"))
    Counted.described, Counted.stopped = 0, True
    with pytest.raises(KeyboardInterrupt):
        benchmark(collection, counted, tmp_path / "out")
    assert Counted.described == 2
    Counted.stopped = False
    assert means(benchmark(collection, counted, tmp_path / "out")) == whole
    assert Counted.described == 3
    assert not list((tmp_path / "out").rglob("*.part"))


def test_changed_pictures_are_described_again(photos: Path, tmp_path: Path, counted: Sequence[Contender]) -> None:
    benchmark(found_collection(str(photos)), counted[:1], tmp_path / "out")
    (photos / "red" / "0.png").write_bytes((photos / "blue" / "0.png").read_bytes())
    benchmark(found_collection(str(photos)), counted[:1], tmp_path / "out")
    assert Counted.described == 2


def test_broken_pictures_are_left_out_and_named_every_time(photos: Path, tmp_path: Path) -> None:
    (photos / "red" / "broken.jpg").write_bytes(b"oops")
    for _ in range(2):
        result = tried(photos, tmp_path / "out")
        assert result.problems == (("red/broken.jpg", "is no picture that can be read: its format is not known"),)
        assert len(result.pictures) == 16
        assert means(result)["rgb-histogram(bins=4)"][0] > 0.9


def test_where_memory_is_short_pictures_stay_files(photos: Path) -> None:
    pictures = PictureSet.of(found_collection(str(photos)))
    found = open_pictures(pictures, room=3 * 24 * 24 * 2)
    kinds_of = [type(each).__name__ for each in found.sources]
    assert kinds_of[:2] == ["Image", "Image"]
    assert not any(kind == "Image" for kind in kinds_of[2:])


def test_queries_may_be_thinned_or_named(photos: Path, tmp_path: Path) -> None:
    pictures = PictureSet.of(found_collection(str(photos)))
    everyone = pictures.queries("all")
    assert everyone.size == 15
    assert pictures.queries("every 4").tolist() == everyone[::4].tolist()
    (tmp_path / "some.txt").write_text("red/1.png\nblue/0.png\n\n")
    named = pictures.queries(str(tmp_path / "some.txt"))
    assert [pictures.ids[row] for row in named] == ["blue/0.png", "red/1.png"]
    result = tried(photos, tmp_path / "out", queries="every 4")
    assert [len(ranks) for ranks in result.ranks] == [4, 4, 4]
    assert len(tried(photos, tmp_path / "out").ranks[0]) == 15  # other queries are ranked again


@pytest.mark.parametrize(
    ("queries", "words"),
    [("every 0", "whole number"), ("every x", "whole number"), ("nowhere.txt", "there is no such file")],
)
def test_wrong_queries_are_told(photos: Path, queries: str, words: str) -> None:
    with pytest.raises(SettingError, match=words):
        PictureSet.of(found_collection(str(photos))).queries(queries)


def test_queries_that_are_no_pictures_are_told(photos: Path, tmp_path: Path) -> None:
    (tmp_path / "some.txt").write_text("red/77.png\n")
    with pytest.raises(InputError, match=r"'red/77.png' is no picture"):
        PictureSet.of(found_collection(str(photos))).queries(str(tmp_path / "some.txt"))
    (tmp_path / "some.txt").write_text("alone.png\n")
    with pytest.raises(InputError, match="another of its class"):
        PictureSet.of(found_collection(str(photos))).queries(str(tmp_path / "some.txt"))


def test_all_are_all_descriptors_and_rankers_go_by_name() -> None:
    assert [str(each) for each in contenders("all")] == [*DESCRIPTORS.own_names()]
    assert [str(each) for each in contenders("lbp, all")][:2] == ["lbp", DESCRIPTORS.own_names()[0]]
    assert str(contenders("height-matching(points=64,runs=16)")[0]) == "height-matching(points=64,runs=16)"
    with pytest.raises(SettingError, match="height-matching, bag-of-words, sift-matching"):
        contenders("no-such")
    with pytest.raises(SettingError, match="nothing to compare"):
        contenders(" ,")


def test_sift_matching_ranks_as_on_its_own(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    for kind in "ab":
        (tmp_path / "views" / kind).mkdir(parents=True)
        scene = rng.integers(0, 256, (30, 40), dtype=np.uint8).repeat(6, axis=0).repeat(6, axis=1)
        for view in range(3):
            shown = np.roll(scene, 17 * view, axis=1) // (view + 1)
            Pillow.fromarray(shown).save(tmp_path / "views" / kind / f"{view}.png")
    (trial,) = tried(tmp_path / "views", tmp_path / "out", "sift-matching(features=80)").trials
    matching = SiftMatching(features=80)
    collection = found_collection(str(tmp_path / "views"))
    assert collection.paths is not None
    items = [matching.of(read_image(path)) for path in collection.paths]
    assert min(map(len, items)) > 0
    alone = matching.ranks(items, collection.labels, ids=collection.ids)
    assert trial.ranks.judged.lists("rank") == alone.judged.lists("rank") == [[1, 2]] * 6
    assert trial.metric == "inliers"
    assert trial.ranks.system == "sift-matching(features=80)"


def test_the_help_of_benchmark_names_every_ranker() -> None:
    text = next(str(getattr(each, "help", "")) for each in benchmark_command.params if each.name == "texts")
    assert all(each.name in text for each in kinds.RANKERS)


def test_saved_vectors_and_ranks_are_those_of_the_other_commands(photos: Path, tmp_path: Path) -> None:
    tried(photos, tmp_path / "out")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == [
        "colour-layout.ranks.parquet",
        "features",
        "rgb-histogram-bins-4.ranks.parquet",
        "thumbnail-side-8.ranks.parquet",
    ]
    path = next((tmp_path / "out" / "features").glob("colour-layout-*.npz"))
    with np.load(path) as file:
        assert str(file["metric"]).startswith("l2[0:6]")
        assert file["ids"].tolist()[0] == "alone.png"
        assert json.loads(str(file["about"]))["settings"]["collection"] == "photos"


def test_a_named_collection_is_found_below_the_data_folder(
    photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RANKSCOPE_DATA", raising=False)
    with pytest.raises(SettingError, match=r"set RANKSCOPE_DATA\. It should hold labels.csv"):
        found_collection("corel1k")
    with pytest.raises(InputError, match=r"It should hold silhouettes called CLASS-NUMBER"):
        found_collection("mpeg7", photos)
    photos.rename(tmp_path / "corel1k-small")
    assert found_collection("corel1k", tmp_path).name == "corel1k"
    monkeypatch.setenv("RANKSCOPE_DATA", str(tmp_path))
    assert len(found_collection("corel1k").classes) == 3
    assert found_collection(str(tmp_path / "corel1k-small")).name == "corel1k"
    with pytest.raises(SettingError, match="did you mean"):
        found_collection("corel2k")
    with pytest.raises(SettingError, match="no folder"):
        found_collection("no/such/folder")


def test_one_class_is_no_benchmark(photos: Path) -> None:
    with pytest.raises(InputError, match=r"one folder for each class"):
        found_collection(str(photos / "red"))


def test_collections_without_classes_or_pictures_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="no pictures"):
        PictureSet.of(Collection("letters", ("a", "b"), ("x", "x")))
    with pytest.raises(SettingError, match="truth of its own"):
        PictureSet.of(Collection("views", ("a", "b")))


def test_icons_that_ship_are_pictures_too(tmp_path: Path) -> None:
    whole = PictureSet.of(collections.load("icons"))
    few = whole.take(np.arange(300))
    result = benchmark(few, contenders("hog(side=32,cell=8),thumbnail"), tmp_path)
    hog, thumbnail = means(result).values()
    assert hog[0] > thumbnail[0]


@pytest.mark.thorough
def test_a_thousand_photos_give_the_reference_line(tmp_path: Path) -> None:
    photos = found_collection("corel1k", data_folder("corel1k").parent)
    result = benchmark(photos, contenders("rgb-histogram"), tmp_path)
    assert [round(value, 4) for value in means(result)["rgb-histogram"][:4]] == [0.4912, 0.7114, 0.202, 0.4204]


@pytest.mark.thorough
def test_silhouettes_give_their_bulls_eye(tmp_path: Path) -> None:
    from rankscope.reports.standings import scores_of

    shapes = found_collection("mpeg7", data_folder("mpeg7-shapes").parent)
    result = benchmark(shapes, contenders("fourier-complex"), tmp_path)
    scores = scores_of(result)
    assert scores["Bullseye"] == pytest.approx(0.7297, abs=0.005)
    assert scores["AP"] == pytest.approx(0.6529, abs=0.003)
