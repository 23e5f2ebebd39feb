"""LaTeX at work: what it complains of, and how wide it sets a text."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.needs import needed_program

ADVICE = "Debian: apt-get install texlive-latex-recommended"


def typeset(body: str, folder: Path, options: str = "") -> str:
    """The log of an article with this body; a mistake ends the test."""
    program = needed_program("pdflatex", advice=ADVICE)
    head = f"\\documentclass[{options}]{{article}}\\usepackage{{booktabs}}\\usepackage{{dcolumn}}"
    (folder / "paper.tex").write_text(f"{head}\n\\begin{{document}}\n{body}\\end{{document}}\n", encoding="utf-8")
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-3000:]
    return (folder / "paper.log").read_text(encoding="utf-8", errors="replace")


def overfull_boxes(log: str) -> list[str]:
    return re.findall(r"Overfull \\[hv]box.*", log)


def widths_of(texts: Sequence[str], size: int, folder: Path) -> list[float]:
    """How wide LaTeX sets each text, in points."""
    lines = [f"\\settowidth{{\\dimen0}}{{{text}}}\\typeout{{wide \\the\\dimen0}}" for text in texts]
    log = typeset(f"\\fontsize{{{size}}}{{{size}}}\\selectfont\n" + "\n".join(lines), folder)
    return [float(found) for found in re.findall(r"wide ([\d.]+)pt", log)]
