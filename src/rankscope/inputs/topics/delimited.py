"""TSV, as `id TAB text` or with a header, and CSV with a header."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rankscope.column_names import plain_name
from rankscope.inputs.checks import Problems
from rankscope.inputs.documents import delimited
from rankscope.inputs.reading import Reading
from rankscope.inputs.sources import Source
from rankscope.inputs.topics.format import ID, Topic, topic_of


@dataclass(frozen=True)
class DelimitedTopics:
    """One of the two formats."""

    name: str
    about: str
    table: delimited.DelimitedDocuments
    word: str = "line"

    def recognises(self, head: bytes) -> bool:
        """A header that names an id; for TSV also a tab in the first line."""
        first = head.lstrip(b"\r\n").split(b"\n", 1)[0].decode(errors="ignore")
        names = [plain_name(each.strip('"')) for each in first.split(self.table.separator)]
        return len(names) > 1 and (self.table.separator == "\t" or bool(set(names) & set(ID)))

    def read(self, source: Source, reading: Reading, problems: Problems) -> Iterator[Topic]:
        """A topic from each row."""
        for line, row in self.table.rows(source, reading, problems, ID):
            topic = topic_of(line, row, problems)
            if topic is not None:
                yield topic


CSV = DelimitedTopics("csv", "CSV with a header: an id and texts", delimited.CSV)
TSV = DelimitedTopics("tsv", "TSV: an id, a tab and the text; or with a header", delimited.TSV)
