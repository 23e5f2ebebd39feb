"""A shape of input as its reader declares it: the reference page and a test are made from these."""

from __future__ import annotations

from dataclasses import dataclass

HOLDS_RUN, HOLDS_JUDGEMENTS, HOLDS_EITHER = "a run", "judgements", "a run or judgements"


@dataclass(frozen=True)
class Example:
    """A small file: its name, its text, whether it is read as a run or as judgements, and the columns it needs named.

    A folder is written as several files, the name of each before its text.
    """

    file: str
    text: str
    holds: str = HOLDS_RUN
    columns: str = ""


@dataclass(frozen=True)
class InputShape:
    """What a shape is called, what it holds, a sentence or two about it, and examples that are read in the tests."""

    name: str
    holds: str
    about: str
    examples: tuple[Example, ...]
    format: str = "json"  # the name for --input-format

    @property
    def anchor(self) -> str:
        """Its name as a word, for file names.

        >>> InputShape("Solr response", HOLDS_RUN, "", ()).anchor
        'solr-response'
        """
        kept = "".join(each if each.isalnum() else " " for each in self.name.lower())
        return "-".join(kept.split())
