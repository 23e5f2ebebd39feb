"""Documents of every format: what is in them, what is wrong with them, and that no memory is needed for long files."""

from __future__ import annotations

import gzip
import json
import random
import tracemalloc
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest

from rankscope.core.errors import InputError, MissingExtra, RankscopeError, SettingError
from rankscope.inputs.documents.registry import DOCUMENT_ENTRIES, DOCUMENT_FORMATS, document_format_of
from rankscope.inputs.documents.stream import FieldChoice, read_documents
from rankscope.inputs.problems import Problems
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from tests.inputs.documents.samples import SAMPLES, pdf
from tests.needs import needed_module


def written(folder: Path, format: str) -> Path:
    name, data, _ = SAMPLES[format]
    (folder / name).write_bytes(data)
    return folder / name


def need(format: str) -> None:
    if format == "html":
        needed_module("selectolax", "documents")
    if format == "pdf":
        needed_module("pypdf", "documents")


def rows(*paths: Path | str, fields: str | None = None, **how: str) -> dict[str, dict[str, str]]:
    tables = list(read_documents(paths, Reading(**how), fields))  # type: ignore[arg-type]
    found = pl.concat(tables, how="diagonal") if tables else pl.DataFrame({"id": []})
    return {
        row["id"]: {key: text for key, text in row.items() if key != "id" and text is not None}
        for row in found.iter_rows(named=True)
    }


def test_every_format_has_a_sample() -> None:
    assert set(SAMPLES) == set(DOCUMENT_ENTRIES)


@pytest.mark.parametrize("format", SAMPLES)
def test_a_format_is_recognised_and_read(format: str, tmp_path: Path) -> None:
    need(format)
    path, expected = written(tmp_path, format), SAMPLES[format][2]
    found = document_format_of(Source(str(path)))
    assert found.name == format
    problems = Problems(path.name)
    records = list(found.read(Source(str(path)), path.name, Reading(), problems))
    assert not problems.any
    assert {each.id: each.fields for each in records} == expected


@pytest.mark.parametrize("format", SAMPLES)
def test_a_packed_file_reads_the_same(format: str, tmp_path: Path) -> None:
    need(format)
    path = written(tmp_path, format)
    packed = tmp_path / f"{path.name}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    single = DOCUMENT_FORMATS.find(format).single or format == "mbox"
    mine, theirs = rows(path), rows(packed)
    assert list(theirs.values()) == list(mine.values())
    assert single or list(theirs) == list(mine)


def test_a_folder_gives_all_its_files_and_says_what_it_left_out(tmp_path: Path) -> None:
    (tmp_path / "below" / ".hidden").mkdir(parents=True)
    (tmp_path / "b.txt").write_text("dogs")
    (tmp_path / "below" / "a.md").write_text("# A fox\n\nin a den")
    (tmp_path / "below" / ".hidden" / "no.txt").write_text("unseen")
    (tmp_path / "more.jsonl").write_text('{"id": "j", "text": "cats"}\n')
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "out.txt").symlink_to("/etc/hostname")
    stream = read_documents([tmp_path])
    assert {name for table in stream for name in table["id"]} == {"b.txt", "below/a.md", "j"}
    assert list(stream.left_out) == ["empty.txt", "picture.png"]


def test_a_folder_of_beir_gives_its_corpus(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d1", "title": "A fox", "text": "in a den"}\n')
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "foxes"}\n')
    assert rows(tmp_path) == {"d1": {"contents": "A fox\nin a den", "title": "A fox"}}


def test_all_bad_records_of_all_files_are_told_with_both_places_of_an_id(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "x", "text": "one"}\n{"id": "y"\n{"text": "no id"}\n[1]\n')
    (tmp_path / "b.csv").write_text("id,text\nx,again\nz,more,fields\nz,fine\n")
    (tmp_path / "c.sgml").write_text("<DOC><DOCNO>q</DOCNO>text</DOC>\n<DOC>none</DOC>\n<DOC><DOCNO>r</DOCNO>cut off")
    with pytest.raises(InputError) as caught:
        list(read_documents(sorted(tmp_path.iterdir())))
    told = str(caught.value)
    assert caught.value.reports[0].count == 7
    for words in (
        "a.jsonl, line 2: is not JSON",
        "a.jsonl, line 3: has no id",
        "a.jsonl, line 4: must be an object",
        "b.csv, line 2: id 'x' stands in a.jsonl, line 1 already",
        "b.csv, line 3: has 3 fields, but 2 are expected",
        "c.sgml, line 2: <DOC> has no <DOCNO>",
        "c.sgml, line 3: <DOC> has no end",
    ):
        assert words in told


def test_nothing_is_given_after_the_first_bad_record(tmp_path: Path) -> None:
    lines = [json.dumps({"id": str(number), "text": "a fox"}) for number in range(12_000)]
    lines[6_000] = "{"
    (tmp_path / "docs.jsonl").write_text("\n".join(lines))
    tables = iter(read_documents([tmp_path / "docs.jsonl"]))
    assert len(next(tables)) == 5_000
    with pytest.raises(InputError, match="line 6001"):
        next(tables)


def test_ids_of_the_same_hash_are_no_repetition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    path = tmp_path / "docs.jsonl"
    path.write_text("".join(json.dumps({"id": str(number), "text": "x"}) + "\n" for number in range(10)))
    monkeypatch.setattr(pl.Series, "hash", lambda self, *_: pl.Series(np.zeros(len(self), dtype=np.uint64)))
    assert len(rows(path)) == 10
    path.write_text(path.read_text() + '{"id": "3"}\n')
    with pytest.raises(InputError, match="line 11: id '3' stands in line 4 already"):
        rows(path)


def test_fields_are_chosen_and_joined(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text('{"id": "a", "title": "A fox", "text": "in a den", "year": 1999}\n')
    assert rows(path)["a"] == {"contents": "A fox\nin a den", "title": "A fox", "year": "1999"}
    assert rows(path, fields="text")["a"] == {"text": "in a den"}
    assert rows(path, fields="all=text+title,year")["a"] == {"all": "in a den\nA fox", "year": "1999"}
    with pytest.raises(InputError, match="no document has a field 'abstract'; there are: text, title, year"):
        rows(path, fields="abstract")
    for wrong in ("a+b", "=a", "a=", "", "a b", "a,a"):
        with pytest.raises(SettingError):
            FieldChoice.parse(wrong)


def test_a_format_is_forced_and_a_wrong_one_tells_problems(tmp_path: Path) -> None:
    path = tmp_path / "docs.txt"
    path.write_text('{"id": "a", "text": "x"}\n')
    assert rows(path) == {"a": {"contents": "x"}}
    assert rows(path, format="txt") == {"docs.txt": {"contents": '{"id": "a", "text": "x"}'}}
    with pytest.raises(InputError, match=r"must be \.I"):
        rows(path, format="smart")
    with pytest.raises(SettingError, match="did you mean 'jsonl'"):
        rows(path, format="json-l")


def test_another_encoding_is_read_as_it_is_named(tmp_path: Path) -> None:
    text = '{"id": "a", "text": "Füchse"}\n'
    for encoding in ("latin-1", "utf-16", "utf-8"):
        (tmp_path / "docs.jsonl").write_bytes(text.encode(encoding))
        assert rows(tmp_path / "docs.jsonl", encoding=encoding, format="jsonl")["a"]["contents"] == "Füchse"
    (tmp_path / "docs.jsonl").write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match="line 1: byte 23 is not UTF-8"):
        rows(tmp_path / "docs.jsonl")


def test_entity_bombs_and_files_outside_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xml"
    inner = "".join(f'<!ENTITY e{n} "{"".join([f"&e{n - 1};"] * 10)}">' for n in range(1, 9))
    for declared in (f'<!ENTITY e0 "ha">{inner}', '<!ENTITY e8 SYSTEM "/etc/passwd">', f'<!ENTITY e8 "{"x" * 99}">'):
        path.write_text(f'<?xml version="1.0"?><!DOCTYPE doc [{declared}]><doc id="1">&e8;</doc>')
        with pytest.raises(InputError, match=r"declares the entity 'e\d', which is not taken"):
            rows(path)
    path.write_text('<?xml version="1.0"?><!DOCTYPE doc [<!ENTITY fox "a fox">]><doc id="1">&fox;</doc>')
    assert rows(path) == {"1": {"contents": "a fox"}}


def test_articles_without_an_id_are_called_by_their_file_if_they_are_alone_there(tmp_path: Path) -> None:
    (tmp_path / "an" / "1995").mkdir(parents=True)
    (tmp_path / "an" / "1995" / "a1004.xml").write_text("<article><fm><atl>A fox</atl></fm><bdy>den</bdy></article>")
    assert rows(tmp_path) == {"an/1995/a1004": {"contents": "A fox\nden", "title": "A fox"}}
    two = tmp_path / "two.xml"
    two.write_text("<?xml version='1.0'?><all><doc>x</doc>\n<doc>y</doc></all>")
    with pytest.raises(InputError, match="2 problems"):
        rows(two)


def test_a_page_in_an_encoding_of_its_own_is_read(tmp_path: Path) -> None:
    needed_module("selectolax", "documents")
    path = tmp_path / "page.html"
    path.write_bytes(
        '<html><head><meta charset="iso-8859-1"><title>Café</title></head><p>où</p></html>'.encode("latin-1")
    )
    assert rows(path) == {"page.html": {"contents": "Café\noù", "title": "Café"}}
    path.write_bytes("<html><p>où</p>".encode("cp1252"))
    assert rows(path) == {"page.html": {"contents": "où"}}


def test_a_message_of_html_alone_is_read(tmp_path: Path) -> None:
    needed_module("selectolax", "documents")
    path = tmp_path / "mail.mbox"
    head = "From a@b Mon Jan  1 00:00:00 2020\nMessage-ID: <1@x>\nContent-Type: text/html; charset=utf-8\n\n"
    path.write_text(f"{head}<p>one</p><p>two</p>\n")
    assert rows(path) == {"1@x": {"contents": "one\ntwo"}}


def test_a_damaged_or_locked_pdf_is_a_problem(tmp_path: Path) -> None:
    needed_module("pypdf", "documents")
    (tmp_path / "good.pdf").write_bytes(pdf())
    (tmp_path / "cut.pdf").write_bytes(b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog")
    with pytest.raises(InputError, match=r"cut\.pdf: cannot be read as PDF"):
        rows(tmp_path)


def test_what_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "selectolax.lexbor", None)
    with pytest.raises(MissingExtra, match=r"rankscope\[documents\]"):
        rows(written(tmp_path, "html"))


def test_missing_empty_and_binary_files_are_told_together(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "binary").write_bytes(b"\0\1\2")
    with pytest.raises(InputError) as caught:
        read_documents([tmp_path / "none", tmp_path / "empty.jsonl", tmp_path / "binary"])
    assert len(caught.value.reports) == 3
    (tmp_path / "nothing").mkdir()
    with pytest.raises(SettingError, match="no file of documents found"):
        read_documents([tmp_path / "nothing"])


@pytest.mark.thorough
def test_memory_stays_flat_however_long_a_file_is(tmp_path: Path) -> None:
    peaks = []
    for size in (20_000, 80_000):
        path = tmp_path / f"{size}.jsonl"
        with path.open("w") as file:
            file.writelines(json.dumps({"id": f"d{number}", "text": "fox " * 60}) + "\n" for number in range(size))
        tracemalloc.start()
        assert sum(len(table) for table in read_documents([path])) == size
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]


def mangled(data: bytes, random: random.Random) -> bytes:
    """The bytes with something cut out, doubled, overwritten or put in."""
    start = random.randrange(len(data))
    stop = min(len(data), start + random.choice([1, 2, 5, 40]))
    junk = random.choice([b"", b"\0", b"<", b"&", b'"', b"\n", b"\xff\xfe", b"{", b"]]>", b".I", random.randbytes(6)])
    return random.choice([data[:start], data[:start] + junk + data[stop:], data[:stop] + data[start:], junk + data])


@pytest.mark.sampled(4)
@pytest.mark.parametrize("format", SAMPLES)
def test_a_mangled_file_is_read_or_refused(format: str, tmp_path: Path) -> None:
    need(format)
    name, data, _ = SAMPLES[format]
    path, dice = tmp_path / name, random.Random(15)
    for _ in range(200):
        changed = data
        for _ in range(dice.choice([1, 1, 2, 4])):
            changed = mangled(changed or b"x", dice)
        path.write_bytes(changed)
        with suppress(RankscopeError):
            rows(path)
        with suppress(RankscopeError):
            rows(path, format=format)
