"""Documents from files and folders: formats, each an object as `format.DocumentFormat` describes it.

The format of a file is recognised by how it begins; a new one adds its line here, before those that take any text.
"""

from __future__ import annotations

from rankscope.catalogue import Catalogue, Later
from rankscope.errors import InputError
from rankscope.inputs import texts
from rankscope.inputs.documents.format import DocumentFormat
from rankscope.inputs.sources import COMPRESSED_SUFFIXES, Source, without_suffix

ALL: dict[str, Later] = {  # in the order they are asked: signatures, marked text, tables, then any text
    "parquet": Later("rankscope.inputs.documents.parquet:PARQUET_DOCUMENTS"),
    "pdf": Later("rankscope.inputs.documents.pdf:PDF"),
    "jsonl": Later("rankscope.inputs.documents.json_lines:JSON_DOCUMENTS"),
    "trec": Later("rankscope.inputs.documents.trec_sgml:TREC_DOCUMENTS"),
    "smart": Later("rankscope.inputs.documents.smart:SMART_DOCUMENTS"),
    "mbox": Later("rankscope.inputs.documents.mbox:MAILBOX"),
    "html": Later("rankscope.inputs.documents.html:HTML"),
    "xml": Later("rankscope.inputs.documents.xml:XML_DOCUMENTS"),
    "tsv": Later("rankscope.inputs.documents.delimited:TSV"),
    "csv": Later("rankscope.inputs.documents.delimited:CSV"),
    "md": Later("rankscope.inputs.documents.markdown:MARKDOWN"),
    "txt": Later("rankscope.inputs.documents.plain_text:PLAIN_TEXT"),
}
BINARY = ("parquet", "pdf")
DOCUMENT_FORMATS: Catalogue[DocumentFormat] = Catalogue("document format", ALL, "rankscope.document_formats")


def format_of(source: Source, encoding: str = "utf-8") -> DocumentFormat:
    """The format of a file of documents; an `InputError` where it is none of those known, or the file is empty."""
    found = recognised(source, encoding)
    if found is not None:
        return found
    what = "is in no format of documents known here: it is not text" if source.head(1) else "is empty"
    raise InputError.of(source.name, [what], f"Formats: {', '.join(DOCUMENT_FORMATS.names())}.")


def recognised(source: Source, encoding: str = "utf-8") -> DocumentFormat | None:
    """The format of a file of documents: by how it begins, else by its name; None for what is no text, or nothing.

    A text that is of no other format is one document.
    """
    raw = source.head()
    text = texts.beginning(raw, encoding)
    for each in (*DOCUMENT_FORMATS.own(), *DOCUMENT_FORMATS.added()):
        if each.recognises(raw if each.name in BINARY else text):
            return each
    if not raw or b"\0" in text:
        return None
    plain = without_suffix(source.name.lower(), COMPRESSED_SUFFIXES)
    named = (each for each in DOCUMENT_FORMATS if plain.endswith(each.suffixes))
    return next(named, DOCUMENT_FORMATS.find("txt"))
