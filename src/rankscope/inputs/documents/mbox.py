"""Mailboxes: messages one behind the other, each after a line that begins with From."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage

from rankscope.inputs.checks import Problems
from rankscope.inputs.documents.format import DocumentReader
from rankscope.inputs.documents.record import Record
from rankscope.inputs.page_texts import html_texts, html_tree
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from rankscope.inputs.text_streams import TextPart, records, text_blocks

BEGIN = re.compile(r"^From (?=.*\d{4}[ \t]*$)", re.MULTILINE)
SAMPLE = re.compile(rb"\s*From .*\d{4}[ \t]*\r?\n[\w-]+:")
QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)


def recognises(head: bytes) -> bool:
    """A line From ... and a header begin it."""
    return SAMPLE.match(head) is not None


def read(source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[Record]:
    """A document from each message; one without a Message-ID is called by the file and its line."""
    bytes_as_signs = "latin-1"  # each message says itself in which encodings its parts are
    for part in records(text_blocks(source, bytes_as_signs, problems), BEGIN):
        if not BEGIN.match(part.text):
            if part.text.strip():
                problems.add(f"line {part.line}", "must be a line From ...", order=part.line)
            continue
        try:
            yield _record(part, name)
        except Exception as error:  # whatever Python's reader of mail does with a damaged message
            problems.add(f"line {part.line}", f"cannot be read as a message: {error}", order=part.line)


def _record(part: TextPart, name: str) -> Record:
    raw = QUOTED.sub(rb"\1", part.text.partition("\n")[2].encode("latin-1", "replace"))
    message = message_from_bytes(raw, policy=policy.default)
    assert isinstance(message, EmailMessage)
    headers = {"title": "subject", "from": "from", "date": "date"}
    fields = {field: _header(message, header) for field, header in headers.items()} | {"text": _text(message)}
    number = _header(message, "message-id").strip().strip("<>")
    return Record(part.line, number or f"{name}:{part.line}", {key: text for key, text in fields.items() if text})


def _header(message: EmailMessage, name: str) -> str:
    return _clean(" ".join(str(message.get(name, "")).split()))


def _text(message: EmailMessage) -> str:
    body = message.get_body(("plain", "html"))
    if body is None:
        return ""
    content = str(body.get_content())
    if body.get_content_type() == "text/html":
        content = html_texts(html_tree(content)).get("text", "")
    return _clean(content).strip()


def _clean(text: str) -> str:
    """Bytes that are of no encoding come as halves of surrogate pairs."""
    return text.encode(errors="replace").decode()


MAILBOX = DocumentReader(
    name="mbox",
    about="mailboxes: a message is a document, its Message-ID the id",
    suffixes=(".mbox", ".mbx"),
    read=read,
    recognises=recognises,
)
