"""The shapes of TREC text, apart: a run in text is read without what pages say of it."""

from __future__ import annotations

from rankscope.inputs.shapes.shape import HOLDS_JUDGEMENTS, HOLDS_RUN, Example, InputShape

SHAPES = (
    InputShape(
        name="TREC run",
        holds=HOLDS_RUN,
        about="`query Q0 item rank score tag`, with blanks or tabs: as trec_eval reads it and Pyserini, Anserini, "
        "PyTerrier (`.res.gz`), ranx, Lucene and Terrier write it. Any text that begins like nothing else is read "
        "so. The tag may be missing.",
        examples=(
            Example("bm25.run", "q1 Q0 a 1 2.5 bm25\nq1 Q0 b 2 1.0 bm25\n"),
            Example("untagged.run", "q1 Q0 a 1 2.5\nq1 Q0 b 2 1.0\n"),
        ),
        format="trec",
    ),
    InputShape(
        name="TREC judgements",
        holds=HOLDS_JUDGEMENTS,
        about="`query iteration item grade`, with blanks or tabs: qrels of TREC and of MS MARCO, Quepid's TREC export.",
        examples=(
            Example("qrels.txt", "q1 0 a 2\nq1 0 b 0\n", HOLDS_JUDGEMENTS),
            Example("qrels.dev.tsv", "174249\t0\t8788\t1\n300674\t0\t7067032\t1\n", HOLDS_JUDGEMENTS),
        ),
        format="trec",
    ),
)
