"""What `gate --sequential` and `compare --sequential` write: text, JSON, Markdown, or a picture of all looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankscope.statistics.sequential.sequential_result import SequentialResult

WIDTH_MM = 130
PICTURES = {".svg": "text", ".png": "text", ".pdf": "text"}  # next to the picture, the text is printed


def is_picture(output: str | None) -> bool:
    """Whether a picture is asked for.

    >>> is_picture("looks.SVG"), is_picture("looks.json"), is_picture(None)
    (True, False, False)
    """
    return output is not None and output.lower().endswith(tuple(PICTURES))


def write_look(result: SequentialResult, state: str, format: str, output: str | None) -> None:
    """The whole result on standard output or in a file; where it goes into a file, its sentence is printed."""
    from rankscope.cli.output import print_result
    from rankscope.files import atomic
    from rankscope.reports.texts.sequential import render

    if is_picture(output):
        draw_looks(state, str(output))
    elif output is not None and output != "-":
        with atomic(output) as file:
            file.write(render(result, format))
        print_result(f"{result.sentence}\n")
        return
    print_result(render(result, format))


def draw_looks(state: str, output: str) -> None:
    """All looks so far as a picture."""
    from rankscope.graphs.looks_graph import looks_graph
    from rankscope.statistics.sequential.state import read_state

    found = read_state(state)
    assert found is not None, "the look was written"
    looks_graph(found).save(output, width=WIDTH_MM)
