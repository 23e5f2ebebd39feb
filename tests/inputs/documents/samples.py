"""Files of documents, one of each format: name, bytes, and the ids and fields that are in them."""

from __future__ import annotations

import io

import polars as pl


def parquet() -> bytes:
    file = io.BytesIO()
    pl.DataFrame({"docno": [7, 8], "title": ["A fox", None], "body": ["in a den", "dogs"]}).write_parquet(file)
    return file.getvalue()


def pdf(text: str = "A fox in a den") -> bytes:
    """The smallest file with a page and a line of text on it."""
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    body, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return body + b"xref\n0 5\n0000000000 65535 f \n%strailer\n<< /Root 1 0 R /Size 5 >>\nstartxref\n%d\n%%%%EOF\n" % (
        table,
        len(body),
    )


Fields = dict[str, dict[str, str]]
TEXTS: dict[str, tuple[str, str, Fields]] = {
    "jsonl": (
        "docs.jsonl",
        '{"_id": "a", "title": "A fox", "text": "in a den", "metadata": {"x": 1}}\n\n'
        '{"id": 2, "body": "dogs", "year": 1999}\n',
        {"a": {"title": "A fox", "text": "in a den"}, "2": {"body": "dogs", "year": "1999"}},
    ),
    "csv": (
        "docs.csv",
        'docno,title,text\na,"A ""red"" fox","in a\nden"\nb,,dogs\n',
        {"a": {"title": 'A "red" fox', "text": "in a\nden"}, "b": {"text": "dogs"}},
    ),
    "tsv": ("docs.tsv", 'a\t"so" it "goes"\nb\tdogs\n', {"a": {"text": '"so" it "goes"'}, "b": {"text": "dogs"}}),
    "trec": (
        "docs",
        "<DOC>\n<DOCNO> FT-1 </DOCNO>\n<HEADLINE>\nA fox\n</HEADLINE>\n<TEXT>\n<P>R&amp;D</P>\n</TEXT>\n</DOC>\n"
        "<doc><docno>FT-2</docno>dogs <b>bark</b></doc>\n",
        {"FT-1": {"title": "A fox", "text": "R&D"}, "FT-2": {"text": "dogs  bark"}},
    ),
    "smart": (
        "cran.all",
        ".I 1\n.T\nA fox\n.A\nReynard\n.W\nin a\nden\n.X\n1 2 3\n.I 2\n.W\ndogs\n",
        {"1": {"title": "A fox", "author": "Reynard", "text": "in a\nden"}, "2": {"text": "dogs"}},
    ),
    "xml": (
        "wiki.xml",
        '<?xml version="1.0"?>\n<!DOCTYPE article SYSTEM "wiki.dtd">\n<article><name id="77">A fox</name>\n'
        "<body><p>H<sub>2</sub>O &mdash; caf&eacute;</p><p>two</p></body></article>",
        {"77": {"title": "A fox", "text": "H2O — café\ntwo"}},
    ),
    "mbox": (
        "mail.mbox",
        "From a@b Mon Jan  1 00:00:00 2020\nFrom: Ann <a@b>\nMessage-ID: <1@x>\nSubject: =?utf-8?q?caf=C3=A9?=\n\n"
        "in a den\n>From here\n\nFrom c@d Mon Jan  1 00:00:00 2021\nSubject: two\n\ndogs\n",
        {
            "1@x": {"title": "café", "from": "Ann <a@b>", "text": "in a den\nFrom here"},
            "mail.mbox:9": {"title": "two", "text": "dogs"},
        },
    ),
    "html": (
        "page.html",
        "<!doctype html><html><head><title>A fox</title><script>x()</script></head><body><nav>menu</nav>"
        "<main><h1>Den</h1><p>one</p><p>two <b>bo</b>ld</p></main><footer>foot</footer></body></html>",
        {"page.html": {"title": "A fox", "text": "Den\none\ntwo bold"}},
    ),
    "md": (
        "note.md",
        "---\nkey: value\n---\n# A fox\n\nSee [its den](https://example.org), **now**.\n\n- `one`\n",
        {"note.md": {"title": "A fox", "text": "See its den, now.\n\none"}},
    ),
    "txt": ("note.txt", "A fox\r\nin a den\n", {"note.txt": {"text": "A fox\nin a den"}}),
}
SAMPLES: dict[str, tuple[str, bytes, Fields]] = {
    **{format: (name, text.encode(), fields) for format, (name, text, fields) in TEXTS.items()},
    "parquet": ("docs.parquet", parquet(), {"7": {"title": "A fox", "body": "in a den"}, "8": {"body": "dogs"}}),
    "pdf": ("paper.pdf", pdf(), {"paper.pdf": {"text": "A fox in a den"}}),
}
