"""The real Lucene, where it is installed: Debian's liblucene8-java, driven through JPype."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from tests.engines.text.golden_index import Ranking
from tests.needs import needed_module, skip_for_want_of

PARTS = ("core", "analyzers-common", "queryparser", "queries", "sandbox")
ADVICE = "apt-get install liblucene8-java, or name the folder of its jars in RANKSCOPE_LUCENE"


def jars() -> list[str]:
    folder = Path(os.environ.get("RANKSCOPE_LUCENE", "/usr/share/java"))
    found = [next(iter(sorted(folder.rglob(f"lucene-{part}-8*.jar"))), None) for part in PARTS]
    if None in found:
        skip_for_want_of("liblucene8-java", ADVICE)
    return [str(path) for path in found]


@cache
def java() -> Any:
    """JPype with a running machine that knows Lucene."""
    paths = jars()
    jpype = needed_module("jpype", "dev")
    if not jpype.isJVMStarted():
        jpype.startJVM("-Xmx512m", "-Xrs", classpath=paths)
    return jpype


def _class(name: str) -> Any:
    return java().JClass(f"org.apache.lucene.{name}")


ANALYSERS = {
    "whitespace": "analysis.core.WhitespaceAnalyzer",
    "standard": "analysis.standard.StandardAnalyzer",
    "english": "analysis.en.EnglishAnalyzer",
    "german": "analysis.de.GermanAnalyzer",
}
SIMILARITIES = {"bm25": "search.similarities.BM25Similarity", "classic": "search.similarities.ClassicSimilarity"}


class Lucene:
    """An index of documents in Lucene, all fields with one analyser."""

    def __init__(self, documents: list[dict[str, str]], analyser: str) -> None:
        self.analyser = _class(ANALYSERS[analyser])()
        folder = _class("store.ByteBuffersDirectory")()
        writer = _class("index.IndexWriter")(folder, _class("index.IndexWriterConfig")(self.analyser))
        for each in documents:
            writer.addDocument(self._document(each))
        writer.forceMerge(1)
        writer.close()
        self.searcher = _class("search.IndexSearcher")(_class("index.DirectoryReader").open(folder))

    def _document(self, texts: dict[str, str]) -> Any:
        kept, no = _class("document.Field$Store").YES, _class("document.Field$Store").NO
        document = _class("document.Document")()
        for name, text in texts.items():
            kind = _class("document.StringField" if name == "id" else "document.TextField")
            document.add(kind(name, text, kept if name == "id" else no))
        return document

    def parse(self, text: str, operator: str = "OR", leading: bool = False) -> Any:
        """What the classic parser reads; None where it refuses."""
        parser = _class("queryparser.classic.QueryParser")("body", self.analyser)
        parser.setAllowLeadingWildcard(leading)
        if operator == "AND":
            parser.setDefaultOperator(parser.AND_OPERATOR)
        try:
            return parser.parse(text)
        except java().JException:
            return None

    def search(self, query: Any, similarity: str) -> Ranking:
        """All documents that match, with their scores."""
        self.searcher.setSimilarity(_class(SIMILARITIES[similarity])())
        found = self.searcher.search(query, 10_000).scoreDocs
        return [str(self.searcher.doc(hit.doc).get("id")) for hit in found], [float(hit.score) for hit in found]

    def tokens(self, text: str) -> list[tuple[str, int]]:
        """Terms and positions of a text."""
        stream = self.analyser.tokenStream("body", text)
        term = stream.addAttribute(_class("analysis.tokenattributes.CharTermAttribute").class_)
        step = stream.addAttribute(_class("analysis.tokenattributes.PositionIncrementAttribute").class_)
        found, position = [], -1
        stream.reset()
        while stream.incrementToken():
            position += int(step.getPositionIncrement())
            found.append((str(term.toString()), position))
        stream.end()
        stream.close()
        return found
