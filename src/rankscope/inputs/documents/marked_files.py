"""Text files whose records begin at a sign: TREC's SGML and TREC's topics, SMART's collections and queries, mailboxes.

TREC's SGML is no XML: <DOC>, <DOCNO>, a headline and texts are found by patterns as everybody does; CLEF's
newspapers and topics are written so too.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage

from rankscope.inputs.documents.registry import DocumentReader, DocumentRecord, TopicReader, TopicRecord
from rankscope.inputs.documents.single_files import html_texts, html_tree
from rankscope.inputs.problems import Problems
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from rankscope.inputs.texts import TextPart, text_blocks, text_records

DOC_BEGIN = re.compile(r"<doc(?:\s[^<>]*)?>", re.IGNORECASE)
DOC_END = re.compile(r"</doc\s*>", re.IGNORECASE)
DOCNO = re.compile(r"<(docno|docid)\s*>(.*?)</\1\s*>", re.IGNORECASE | re.DOTALL)
DOC_TITLE = re.compile(
    r"<(title(?:-\w\w)?|headline|hl|ttl|ti|head|h3)(?:\s[^<>]*)?>(.*?)</\1\s*>", re.IGNORECASE | re.DOTALL
)
DOC_TEXT = re.compile(
    r"<(text|leadpara|lp|lead|body|abstract(?:-\w\w)?)(?:\s[^<>]*)?>(.*?)</\1\s*>", re.IGNORECASE | re.DOTALL
)
ANY_TAG = re.compile(r"<!--.*?-->|</?[A-Za-z!?][^<>]*>", re.DOTALL)
BLANKS = re.compile(r"[ \t]*\n[ \t\n]*")
DOC_SAMPLE = re.compile(
    rb"\s*(?:<\?xml[^>]*\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*|<\w+>\s*)?<doc(?:\s[^<>]*)?>", re.I | re.S
)


def is_trec_sgml(head: bytes) -> bool:
    """<DOC> begins it, perhaps inside one more element, and <DOCNO> follows."""
    return DOC_SAMPLE.match(head) is not None and re.search(rb"<docno|<docid", head, re.IGNORECASE) is not None


def read_trec_documents(source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[DocumentRecord]:
    """A document from each <DOC>."""
    none = True
    for line, text in text_records(text_blocks(source, reading.encoding, problems), DOC_BEGIN):
        if not DOC_BEGIN.match(text):
            continue
        none = False
        record = _trec_document(line, text, problems)
        if record is not None:
            yield record
    if none:
        problems.add("", "holds no <DOC>")


def _trec_document(line: int, text: str, problems: Problems) -> DocumentRecord | None:
    place = f"line {line}"
    ending = DOC_END.search(text)
    if ending is None:
        problems.add(place, "<DOC> has no end", "Was the file cut off?", line)
        return None
    inside = text[DOC_BEGIN.match(text).end() : ending.start()]  # type: ignore[union-attr]
    number = DOCNO.search(inside)
    if number is None or not unmarked_text(number[2]):
        problems.add(place, "<DOC> has no <DOCNO>", order=line)
        return None
    inside = inside[: number.start()] + inside[number.end() :]
    title = DOC_TITLE.search(inside)
    if title is not None:
        inside = inside[: title.start()] + "\n" + inside[title.end() :]
    texts = [found[2] for found in DOC_TEXT.finditer(inside)]
    fields = {
        "title": unmarked_text(title[2]) if title else "",
        "text": unmarked_text("\n".join(texts) if texts else inside),
    }
    return DocumentRecord(line, unmarked_text(number[2]), {name: each for name, each in fields.items() if each})


def unmarked_text(marked: str) -> str:
    """Text without tags, with the signs that entities stand for.

    >>> unmarked_text(" <P>R&amp;D,\\n   x &lt; y</P> ")
    'R&D,\\nx < y'
    """
    return BLANKS.sub("\n", html.unescape(ANY_TAG.sub(" ", marked))).strip()


TREC_DOCUMENTS = DocumentReader(
    name="trec",
    about="TREC's SGML: <DOC> with <DOCNO>, a headline and <TEXT>; CLEF's newspapers too",
    suffixes=(".sgml", ".sgm", ".trec"),
    read=read_trec_documents,
    recognises=is_trec_sgml,
)


# TREC's topics, and those of CLEF that are written alike: <top>, <num>, <title>, <desc>, <narr>.

TOP_BEGIN = re.compile(r"<top(?:\s[^<>]*)?>", re.IGNORECASE)
TOP_TAG = re.compile(r"<((?:[a-z]{2}-)?(?:num|dom|title|desc|narr|smry|con|fac|def))(?:\s[^<>]*)?>", re.IGNORECASE)
TOP_LABEL = re.compile(
    r"\s*(?:Number|Topic|Domain|Description|Narrative|Summary|Concept\(s\)|Factor\(s\)|Definition\(s\))\s*:", re.I
)
LEADING_ZEROS = re.compile(r"\A0+(?=\d+$)")
TOP_SAMPLE = re.compile(rb"<top(?:\s[^<>]*)?>\s*(?:<!--.*?-->\s*)?<(?:head|num)", re.IGNORECASE | re.DOTALL)


def read_trec_topics(source: Source, reading: Reading, problems: Problems) -> Iterator[TopicRecord]:
    """A topic from each <top>; numbers lose their zeros in front, which judgements do not have."""
    for line, text in text_records(text_blocks(source, reading.encoding, problems), TOP_BEGIN):
        if not TOP_BEGIN.match(text):
            continue
        _, *rest = TOP_TAG.split(text)
        parts = {}
        for tag, inside in zip(rest[::2], rest[1::2], strict=True):
            parts[tag.lower()] = " ".join(unmarked_text(TOP_LABEL.sub("", inside, count=1)).split())
        number = LEADING_ZEROS.sub("", parts.pop("num", ""))
        if number:
            yield TopicRecord(line, number, _in_one_language(parts))
        else:
            problems.add(f"line {line}", "<top> has no <num>", order=line)


def _in_one_language(parts: dict[str, str]) -> dict[str, str]:
    """Names without the language in front, where there is one language only.

    >>> _in_one_language({"en-title": "foxes", "en-desc": "Find foxes."})
    {'title': 'foxes', 'desc': 'Find foxes.'}
    """
    if len({name[:2] for name in parts if name[2:3] == "-"}) != 1:
        return parts
    return {name[3:] if name[2:3] == "-" else name: text for name, text in parts.items()}


TREC_TOPICS = TopicReader(
    name="trec",
    about="TREC and CLEF: <top> with <num>, <title>, <desc>, <narr>, or <EN-title> and so on",
    read=read_trec_topics,
    recognises=lambda head: TOP_SAMPLE.search(head) is not None,  # <top> and <num> stand in its beginning
)


# SMART's files, in which the classic collections came: .I number, then .T title, .A author, .B source, .W text.

SMART_FIELDS = {"T": "title", "A": "author", "B": "source", "K": "keywords", "W": "text"}
SMART_BEGIN = re.compile(r"^\.I(?=[ \t\n]|$)", re.MULTILINE)
SMART_SECTION = re.compile(r"^\.([A-Z])[ \t]*$", re.MULTILINE)
SMART_SAMPLE = re.compile(rb"\s*\.I[ \t]+\S+[ \t]*\r?\n\.[A-Z][ \t]*\r?\n")


def is_smart(head: bytes) -> bool:
    """A number and a section begin it."""
    return SMART_SAMPLE.match(head) is not None


def read_smart_documents(source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[DocumentRecord]:
    """A document from each .I; other sections than those above are lists of numbers and are left out."""
    for line, number, fields in _smart_records(source, reading, problems):
        yield DocumentRecord(line, number, {name: text for name, text in fields.items() if text})


def _smart_records(source: Source, reading: Reading, problems: Problems) -> Iterator[tuple[int, str, dict[str, str]]]:
    """Line, number and named sections behind each .I; what stands behind none, or has no number, is a problem."""
    for line, text in text_records(text_blocks(source, reading.encoding, problems), SMART_BEGIN):
        if not SMART_BEGIN.match(text):
            if text.strip():
                problems.add(f"line {line}", "must be .I and a number", order=line)
            continue
        number, sections = split_smart_sections(text)
        if number:
            yield line, number, {SMART_FIELDS[each]: sections[each] for each in sections if each in SMART_FIELDS}
        else:
            problems.add(f"line {line}", ".I has no number behind it", order=line)


def split_smart_sections(text: str) -> tuple[str, dict[str, str]]:
    """The number behind .I, and the text of each section by its letter; one that comes again goes on.

    >>> split_smart_sections(".I 7\\n.T\\nA fox\\n.W\\nin a\\nden\\n.X\\n1 2\\n")
    ('7', {'T': 'A fox', 'W': 'in a\\nden', 'X': '1 2'})
    """
    head, *rest = SMART_SECTION.split(text)
    sections: dict[str, str] = {}
    for letter, inside in zip(rest[::2], rest[1::2], strict=True):
        sections[letter] = "\n".join(filter(None, (sections.get(letter, ""), inside.strip())))
    return head[2:].strip(), sections


SMART_DOCUMENTS = DocumentReader(
    name="smart",
    about="SMART: .I number, .T title, .A author, .W text",
    suffixes=(".all", ".smart"),
    read=read_smart_documents,
    recognises=is_smart,
)


def read_smart_topics(source: Source, reading: Reading, problems: Problems) -> Iterator[TopicRecord]:
    """A topic from each .I."""
    for line, number, fields in _smart_records(source, reading, problems):
        yield TopicRecord(line, number, {name: " ".join(text.split()) for name, text in fields.items()})


SMART_TOPICS = TopicReader(
    name="smart",
    about="SMART: .I number, .W text",
    read=read_smart_topics,
    recognises=is_smart,
)


# Mailboxes: messages one behind the other, each after a line that begins with From.

MESSAGE_BEGIN = re.compile(r"^From (?=.*\d{4}[ \t]*$)", re.MULTILINE)
MESSAGE_SAMPLE = re.compile(rb"\s*From .*\d{4}[ \t]*\r?\n[\w-]+:")
QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)


def read_mailbox(source: Source, name: str, reading: Reading, problems: Problems) -> Iterator[DocumentRecord]:
    """A document from each message; one without a Message-ID is called by the file and its line."""
    bytes_as_signs = "latin-1"  # each message says itself in which encodings its parts are
    for part in text_records(text_blocks(source, bytes_as_signs, problems), MESSAGE_BEGIN):
        if not MESSAGE_BEGIN.match(part.text):
            if part.text.strip():
                problems.add(f"line {part.line}", "must be a line From ...", order=part.line)
            continue
        try:
            yield _message_document(part, name)
        except Exception as error:  # whatever Python's reader of mail does with a damaged message
            problems.add(f"line {part.line}", f"cannot be read as a message: {error}", order=part.line)


def _message_document(part: TextPart, name: str) -> DocumentRecord:
    raw = QUOTED_FROM.sub(rb"\1", part.text.partition("\n")[2].encode("latin-1", "replace"))
    message = message_from_bytes(raw, policy=policy.default)
    assert isinstance(message, EmailMessage)
    headers = {"title": "subject", "from": "from", "date": "date"}
    fields = {field: _message_header(message, header) for field, header in headers.items()} | {
        "text": _message_text(message)
    }
    number = _message_header(message, "message-id").strip().strip("<>")
    return DocumentRecord(
        part.line, number or f"{name}:{part.line}", {key: text for key, text in fields.items() if text}
    )


def _message_header(message: EmailMessage, name: str) -> str:
    return _encodable(" ".join(str(message.get(name, "")).split()))


def _message_text(message: EmailMessage) -> str:
    body = message.get_body(("plain", "html"))
    if body is None:
        return ""
    content = str(body.get_content())
    if body.get_content_type() == "text/html":
        content = html_texts(html_tree(content)).get("text", "")
    return _encodable(content).strip()


def _encodable(text: str) -> str:
    """Bytes that are of no encoding come as halves of surrogate pairs."""
    return text.encode(errors="replace").decode()


MAILBOX = DocumentReader(
    name="mbox",
    about="mailboxes: a message is a document, its Message-ID the id",
    suffixes=(".mbox", ".mbx"),
    read=read_mailbox,
    recognises=lambda head: MESSAGE_SAMPLE.match(head) is not None,  # a line From ... and a header begin it
)
