"""The page on shared tracks: each of its commands and pieces of code is run on tiny files of the formats it names."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rankscope.commands.line.main import cli
from tests.test_claims_pages import commands, parts

PAGE = "shared-tracks"
TREC_TOPIC = "<top>\n<num> Number: 301\n<title> foxes in winter\n<desc> Description:\nFind foxes.\n</top>\n"
CLEF_TOPIC = "<top><num> 25 </num><EN-title> boats in a harbour </EN-title><EN-desc> Boats. </EN-desc></top>\n"
CLEF_IDS = ("stand03_118/stand03_20631", "stand03_668/stand03_20633", "stand03_268/stand03_12121")
SHAPES = "PSB 1\n3 5\n\nanimal 0 0\n\ndog animal 2\n86\n87\n\nboat 0 3\n103\n104\n105\n"
SHOTS = "".join(f'<item seqNum="{place}" shotId="shot1_{shot}"/>' for place, shot in enumerate((4, 1, 2), 1))
AVS = f'<r><videoAdhocSearchTopicResult tNum="501" elapsedTime="1">{SHOTS}</videoAdhocSearchTopicResult></r>'
TEXTS = {
    "trec.qrels": "301 0 FT1-1 1\n301 0 FT1-2 0\n",
    "trec.run": "301 Q0 FT1-2 1 2.5 mine\n301 Q0 FT1-1 2 1.5 mine\n",
    "deep.qrels": "19335 0 1017759 3\n19335 0 1082489 1\n",
    "deep.run": "19335 Q0 1082489 1 9.1 dense\n19335 Q0 1017759 2 8.8 dense\n",
    "docs.trec": "<DOC><DOCNO> FT1-1 </DOCNO><TEXT>Foxes in winter.</TEXT></DOC>\n"
    "<DOC><DOCNO> FT1-2 </DOCNO><TEXT>Trade.</TEXT></DOC>\n",
    "topics.trec": TREC_TOPIC,
    "trecvid.qrels": "501 0 shot1_1 1\n501 0 shot1_2 0\n501 0 shot1_4 1\n",
    "strata.qrels": "501 0 shot1_1 1 1\n501 0 shot1_2 1 0\n501 0 shot1_3 2 -1\n501 0 shot1_4 2 1\n",
    "trecvid.run": "501 0 shot1_4 1 3 team\n501 0 shot1_2 2 2 team\n501 0 shot1_1 3 1 team\n",
    "avs.xml": AVS,
    "clef.qrels": "".join(f"25 0 {item} {int(item != CLEF_IDS[1])}\n" for item in CLEF_IDS),
    "clef.run": "".join(f"25 1 {item} {rank} {4238 - rank} xyz\n" for rank, item in enumerate(CLEF_IDS)),
    "captions.trec": "".join(f"<DOC><DOCNO>{item}</DOCNO><TEXT>boats, harbour</TEXT></DOC>\n" for item in CLEF_IDS),
    "clef-topics.trec": CLEF_TOPIC,
    "clef.xml": "<articles><article id='a1'><title>Boats</title><text>A harbour</text></article></articles>\n",
    "shapes.cla": SHAPES,
    "oxford.qrels": "all_souls_1 0 a 1\nall_souls_1 0 b 1\n",
    "oxford.junk": "all_souls_1 0 j 0\n",
    "oxford.run": "all_souls_1 Q0 j 1 3 bow\nall_souls_1 Q0 a 2 2 bow\nall_souls_1 Q0 x 3 1 bow\n",
    "holidays/holidays_images.dat": "100000.jpg\n100001.jpg\n100100.jpg\n100101.jpg\n",
    "holidays/result.dat": "100000.jpg 0 100000.jpg 1 100001.jpg\n100100.jpg 0 100001.jpg 1 100101.jpg\n",
    "beir/corpus.jsonl": json.dumps({"_id": "d1", "title": "fox", "text": "A fox."}) + "\n",
    "beir/queries.jsonl": json.dumps({"_id": "q1", "text": "fox"}) + "\n",
    "beir/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    "qrels.dev.small.tsv": "1048585\t0\t7187158\t1\n2\t0\t4339068\t1\n",
    "ranking.tsv": "1048585\t7187157\t1\n1048585\t7187158\t2\n2\t4339068\t1\n",
    "judged.csv": "query,item,grade\nq,a,1\n",
    "ranked.csv": "query,item,score\nq,a,0.5\n",
}


def write_track_files(folder: Path) -> None:
    """All files that the page speaks of."""
    for name, text in TEXTS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    place = np.array([0.0, 1.0, 5.0, 6.0, 0.5])
    np.savetxt(folder / "shapes.matrix", np.abs(place[:, None] - place))


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What every command of the page prints, and its pieces of code."""
    folder = tmp_path_factory.mktemp("tracks")
    write_track_files(folder)
    printed: dict[str, str] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for kind, block in parts(PAGE):
            if kind == "python":
                done = subprocess.run([sys.executable, "-c", block], check=False, capture_output=True, text=True)
                assert done.returncode == 0, done.stderr
                printed[block] = done.stdout
            for line in commands(block) if kind == "console" else ():
                result = CliRunner().invoke(cli, shlex.split(line)[1:])
                assert result.exit_code == 0, (line, result.output, result.exception)
                printed[line] = result.output
    return printed


def row_of(outputs: dict[str, str], command: str) -> list[float]:
    """The numbers of the only system in the table of a command."""
    (text,) = (text for line, text in outputs.items() if line.startswith(command))
    return [float(each) for each in text.splitlines()[2].split()[1:]]


@pytest.mark.thorough
def test_every_command_of_the_page_runs_on_files_of_these_formats(outputs: dict[str, str]) -> None:
    assert len(outputs) >= 20


@pytest.mark.parametrize(
    ("command", "values"),
    [
        ("rankscope evaluate trec.qrels", [0.5, 0.1, 0.6309]),
        ("rankscope evaluate deep.qrels", [0.7967, 0.5, 0.5]),
        ("rankscope evaluate trecvid.qrels trecvid.run", [0.8333]),
        ("rankscope evaluate trecvid.qrels avs.run", [1.0]),
        ("rankscope evaluate clef.qrels", [0.8333, 0.1]),
        ("rankscope evaluate oxford.qrels", [0.5]),
        ("rankscope evaluate beir", [1.0, 1.0]),
        ("rankscope evaluate qrels.dev.small.tsv", [0.75]),
        ("rankscope evaluate judged.csv", [1.0]),
    ],
)
def test_numbers_are_those_computed_by_hand(outputs: dict[str, str], command: str, values: list[float]) -> None:
    assert row_of(outputs, command) == values


def test_shapes_are_ranked_by_their_matrix_and_named_by_their_class(outputs: dict[str, str]) -> None:
    """Models 86 and 87 are dogs, 103 to 105 boats, at 0, 1, 5, 6 and .5: 105 lies among the dogs."""
    first, tier, second, *_ = row_of(outputs, "rankscope evaluate shapes.ranks.parquet")
    assert first == pytest.approx(2 / 5)  # 103 and 104 find each other first
    assert tier == pytest.approx((0 + 0 + 1 / 2 + 1 / 2 + 0) / 5)
    assert second == pytest.approx((1 / 2 + 1 / 2 + 1 / 2 + 1 / 2 + 1 / 2) / 5)
