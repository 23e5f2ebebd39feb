"""The small files that the commands of the rows speak of: what rankscope ships, and formats written out."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RELEVANT = "d3 d5 d9 d25 d39 d44 d56 d71 d89 d123"
RANKED = "d123 d84 d56 d6 d8 d9 d511 d129 d187 d25 d38 d48 d250 d113 d3"
SETS = (
    ("1", "D2 D14 D25 D76 D84 D98", "D1 D2 D14 D22 D23 D25 D84 D89 D90 D98"),
    ("2", "D10 D14 D60 D63 D77 D95", "D10 D14"),
)
ANSWERS = {  # to the ten statements of the System Usability Scale
    "Ann": (5, 4, 2, 1, 2, 3, 2, 4, 5, 2),
    "Bob": (4, 2, 4, 1, 4, 2, 5, 2, 4, 2),
    "Cleo": (3, 3, 4, 2, 3, 3, 4, 2, 3, 2),
}
CLEF_ARTICLES = "<articles><article id='a1'><title>Bees</title><text>Bees in winter</text></article></articles>\n"
CLEF_TOPICS = "<top><num> C041 </num><EN-title> bees in winter </EN-title><EN-desc> Find reports. </EN-desc></top>\n"


def make_files(folder: Path) -> None:
    """Make the folder and everything in it that is not there yet; what cannot be made twice goes."""
    folder.mkdir(parents=True, exist_ok=True)
    for made in (folder / "judging", folder / "judged", *folder.glob("*.index")):
        shutil.rmtree(made, ignore_errors=True)
    if not (folder / "demo-output").exists():
        command = [sys.executable, "-m", "rankscope", "demo", "-o", "demo-output", "--quiet"]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    write_examples(folder)
    write_notes(folder)
    write_judged(folder)
    write_pictures(folder / "pictures")


def write_examples(folder: Path) -> None:
    """Digits with judgements and runs, the lecture's examples, and files of tracks."""
    from tests.test_claims_pages import prepare
    from tests.test_shared_tracks import write_track_files

    prepare(folder)
    write_track_files(folder)
    write_lists(folder / "lecture", [("q", RANKED, RELEVANT)])
    write_lists(folder / "sets", SETS)
    write_lists(folder / "map", [("1", "D12 D61 D39 D75 D66 D14 D52 D33", "D12 D39 D75 D14 D33")])
    kinds = "".join(f"q{query},{'even' if query % 2 == 0 else 'odd'}\n" for query in range(6))
    (folder / "kinds.csv").write_text(f"query,class\n{kinds}")
    lengths = "".join(f"q{query},{2 + query % 4}\n" for query in range(6))
    (folder / "lengths.csv").write_text(f"query,words\n{lengths}")
    documents = "".join(f'{{"id": "d{number}", "text": "document {number}"}}\n' for number in range(11))
    (folder / "docs.jsonl").write_text(documents)
    (folder / "queries.tsv").write_text("".join(f"q{query}\tdocument {query}\n" for query in range(6)))
    marks = "".join(f"s{item % 4},{item},{1 if item % 3 else -1}\n" for item in range(40))
    (folder / "log.csv").write_text(f"session,item,mark\n{marks}")
    (folder / "clef.xml").write_text(CLEF_ARTICLES)
    (folder / "clef-topics.xml").write_text(CLEF_TOPICS)


def write_lists(name: Path, queries: tuple[tuple[str, str, str], ...] | list[tuple[str, str, str]]) -> None:
    """NAME.qrels and NAME.run from queries with what was found, in order, and what is relevant."""
    judged = [f"{query} 0 {item} 1\n" for query, _, relevant in queries for item in relevant.split()]
    found = [
        f"{query} Q0 {item} {rank} {100 - rank} {name.name}\n"
        for query, ranked, _ in queries
        for rank, item in enumerate(ranked.split(), 1)
    ]
    name.with_suffix(".qrels").write_text("".join(judged))
    name.with_suffix(".run").write_text("".join(found))


def write_notes(folder: Path) -> None:
    """The notes of the tutorial."""
    shutil.copytree(ROOT / "docs" / "tutorials" / "notes", folder / "notes", dirs_exist_ok=True)


def write_judged(folder: Path) -> None:
    """A project that three people have judged in, each at a pace of their own, and said how they found it."""
    from rankscope.workbench.project import Project, new_key
    from rankscope.workbench.usability import survey_mark

    runs = [folder / "a.run", folder / "b.run"]
    texts, topics = folder / "docs.jsonl", folder / "queries.tsv"
    with Project.new(folder / "judged", texts=texts, topics=topics, runs=runs) as project:
        project.make_pool("depth(3)")
        for pace, (name, answers) in enumerate(ANSWERS.items(), 2):
            who = project.invite(name).assessor.id
            for place in range(4):
                for loan in project.next_items(who):
                    project.grade(who, loan.query, loan.item, place % 2, ms=1000 * pace + 300 * place)
            project.save(survey_mark(who, new_key(), "judging", list(answers)))


def write_pictures(folder: Path) -> None:
    """Two classes of five small pictures."""
    from PIL import Image

    from rankscope.inputs.collections.sample import icons

    sample = icons()
    for name in ("alarm", "boat"):
        (folder / name).mkdir(parents=True, exist_ok=True)
        rows = [row for row, each in enumerate(sample.class_of_item) if each == name][:5]
        for row in rows:
            Image.fromarray(sample.images[row]).resize((64, 64)).save(folder / name / f"{row}.png")
