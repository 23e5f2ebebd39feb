"""Named collections: what each file layout gives, and the rule by which each is judged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankscope
from rankscope.core.errors import InputError, SettingError
from rankscope.engines.nearest import nearest_ranks
from rankscope.engines.pairwise import put_query_back
from rankscope.inputs.collections.collection import (
    COLLECTIONS,
    Collection,
    CollectionKind,
    Truth,
    label_table,
    load,
)
from rankscope.inputs.collections.pictures import COREL1K_CLASSES
from rankscope.measures import AP
from rankscope.measures.image_retrieval import four_score
from tests.data import data_folder


def empty_files(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


def test_kinds_have_names_of_their_own_and_say_what_they_are() -> None:
    assert COLLECTIONS.own_names() == tuple(kind.name for kind in COLLECTIONS.own())
    assert all(kind.about and kind.source for kind in COLLECTIONS.own() if kind.name != "folder")


def test_a_kind_is_found_by_name_or_the_names_are_told() -> None:
    assert COLLECTIONS.find("letter") in COLLECTIONS.own()
    with pytest.raises(SettingError, match="did you mean 'holidays'") as error:
        load("holiday", ".")
    assert "There are: icons, folder, corel1k" in str(error.value)


@pytest.mark.parametrize("kind", [kind for kind in COLLECTIONS.own() if kind.layout], ids=lambda kind: kind.name)
def test_a_missing_collection_says_what_its_folder_should_hold(kind: CollectionKind, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(InputError, match="It should hold") as error:
            kind.load(folder)
        assert str(folder) in str(error.value)
    with pytest.raises(SettingError, match="name the folder"):
        kind.load()


def test_a_folder_of_class_folders_is_a_collection(tmp_path: Path) -> None:
    empty_files(tmp_path, "cat/2.JPG", "cat/1.png", "dog/1.jpg", "dog/notes.txt", "lone.gif", ".hidden/x.png")
    collection = load("folder", tmp_path)
    assert collection.ids == ("lone.gif", "cat/1.png", "cat/2.JPG", "dog/1.jpg")
    assert collection.labels == ("", "cat", "cat", "dog")
    assert collection.queries == ("cat/1.png", "cat/2.JPG")
    assert collection.paths is not None
    assert collection.paths[0] == tmp_path / "lone.gif"


def test_the_query_leaves_its_own_ranking_or_counts_as_the_collection_says() -> None:
    labels = ("x", "", "x", "y", "x")
    removed = Collection("small", tuple("abcde"), labels)
    assert removed.qrels.to_dict() == {"a": {"c": 1, "e": 1}, "c": {"a": 1, "e": 1}, "e": {"a": 1, "c": 1}}
    assert removed.junk == {"a": ("a",), "c": ("c",), "e": ("e",)}
    kept = Collection("small", tuple("abcde"), labels, query_item="kept")
    assert kept.qrels.to_dict()["c"] == {"a": 1, "c": 1, "e": 1}
    assert kept.junk == {}
    asked = Collection("asked", tuple("abc"), truth=(Truth("q", "a", {"b": 1}, junk=("c",)), Truth("r", "b", {"a": 1})))
    assert asked.junk == {"q": ("c", "a"), "r": ("b",)}
    assert asked.queries == ("q", "r")


def test_judgements_and_labels_give_the_same_numbers() -> None:
    whole = load("digits")
    assert whole.features is not None
    rows = np.arange(0, 1797, 9)
    part = Collection(
        "part",
        tuple(whole.ids[row] for row in rows),
        tuple(whole.labels[row] for row in rows),
        features=whole.features[rows],
    )
    assert part.features is not None
    ranks = nearest_ranks(part.features, part.labels, "l2", part.ids)
    distance = ((part.features[:, None] - part.features) ** 2).sum(axis=2)
    run = {
        query: dict(zip(part.ids, (-row).tolist(), strict=True)) for query, row in zip(part.ids, distance, strict=True)
    }
    order = {query: sorted(items, key=lambda item: (-items[item], item)) for query, items in run.items()}
    scores = rankscope.evaluate(part.qrels, order, ["AP"], junk=part.junk, collection_size=part.collection_size)
    assert scores["AP"] == pytest.approx(AP().of(ranks).mean(), abs=1e-12)


def test_corel_photos_may_be_numbered_in_class_folders_or_in_a_table(tmp_path: Path) -> None:
    numbered = load("corel1k", empty_files(tmp_path / "a", "100.jpg", "99.jpg", "999.jpg", "1000.jpg"))
    assert numbered.ids == ("99", "100", "999")
    assert numbered.labels == ("africa", "beaches", "food")
    assert numbered.notes == ("3 of 1000 photos",)
    folders = load("corel1k", empty_files(tmp_path / "b", "Bus/300.jpg", "Bus/301.jpg"))
    assert folders.labels == ("Bus", "Bus")
    table = empty_files(tmp_path / "c", "images/x.jpg")
    (table / "labels.csv").write_text("file,class\nx.jpg,buses\n")
    assert load("corel1k", table).labels == ("buses",)
    (table / "labels.csv").write_text("file,class\nx.jpg,buses\ny.jpg,buses\n")
    with pytest.raises(InputError, match=r"lacks images/y.jpg"):
        load("corel1k", table)
    (table / "labels.csv").write_text("name,kind\n")
    with pytest.raises(InputError, match="without the columns file and class"):
        load("corel1k", table)


def test_corel_has_ten_classes_of_a_hundred() -> None:
    collection = load("corel1k", data_folder("corel1k"))
    assert len(collection) == 1000
    assert collection.classes == tuple(sorted(COREL1K_CLASSES))
    assert {collection.labels.count(name) for name in collection.classes} == {100}
    assert collection.notes == ()
    assert collection.paths is not None
    assert all(path.is_file() for path in collection.paths)


def test_shapes_have_seventy_classes_of_twenty_as_their_table_says() -> None:
    folder = data_folder("mpeg7-shapes")
    collection = load("mpeg7", folder)
    assert len(collection) == 1400
    assert {collection.labels.count(name) for name in collection.classes} == {20}
    assert dict(zip(collection.ids, collection.labels, strict=True)) == {
        file.removesuffix(".png"): label for file, label in label_table(folder / "partB_labels.csv")
    }
    assert collection.query_item == "kept"


def test_a_class_of_shapes_may_have_a_dash_in_its_name(tmp_path: Path) -> None:
    collection = load("mpeg7", empty_files(tmp_path, "device-0-1.gif", "device-0-2.gif", "bat-1.gif"))
    assert collection.labels == ("bat", "device-0", "device-0")


def test_four_photos_in_a_row_show_one_object_of_ukbench(tmp_path: Path) -> None:
    collection = load("ukbench", empty_files(tmp_path, *(f"full/ukbench{number:05}.jpg" for number in range(8))))
    assert collection.labels == ("0",) * 4 + ("1",) * 4
    assert collection.qrels.to_dict()["ukbench00005"] == {f"ukbench0000{number}": 1 for number in (4, 5, 6, 7)}
    # 0..3 on a line lie together, 4..7 with a stranger between: counted by hand
    place = np.array([[0.0], [1], [2], [3], [10], [11], [3.5], [30]])
    kept = put_query_back(nearest_ranks(place, collection.labels, "l1", collection.ids))
    run = {
        query: dict(zip(collection.ids, (-np.abs(place[:, 0] - at)).tolist(), strict=True))
        for query, at in zip(collection.ids, place[:, 0], strict=True)
    }
    hits = rankscope.evaluate(collection.qrels, run, ["P@4"], junk=collection.junk)["P@4"] * 4
    assert four_score(kept) == pytest.approx(hits)


def test_the_shipped_icons_and_the_digits_need_no_folder() -> None:
    icons, digits = load("icons"), load("digits")
    assert icons.images is not None
    assert icons.images.shape == (5346, 32, 32)
    assert len(icons.queries) == 3979
    assert digits.features is not None
    assert digits.features.shape == (1797, 64)
    assert digits.features.max() == 16
    assert digits.classes == tuple("0123456789")


def test_the_large_icons_have_the_counts_of_their_page() -> None:
    collection = load("icons20k", data_folder("icons20k"))
    assert (len(collection), len(collection.classes), collection.labels.count("")) == (20000, 1858, 5194)
    assert len(collection.queries) == 14806


def test_letters_have_the_counts_of_their_page(tmp_path: Path) -> None:
    collection = load("letter", data_folder("letter"))
    assert collection.features is not None
    assert collection.features.shape == (20000, 16)
    assert (collection.labels.count("H"), collection.labels.count("U"), len(collection.classes)) == (734, 813, 26)
    (tmp_path / "letter-recognition.data").write_text("A,1,2\n")
    with pytest.raises(InputError, match="line 1 of letter-recognition"):
        load("letter", tmp_path)
