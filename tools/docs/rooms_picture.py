"""The rooms of the code as boxes in the order of the flow, with arrows as wide as there are imports; plain SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

BOX, HEIGHT, GAP, TOP, LEFT = 640, 46, 16, 64, 24
PER_IMPORT, THINNEST, THICKEST = 0.13, 0.8, 14.0
INK, SOFT, PAPER = "#1f2933", "#66727f", "#ffffff"
COLOURS = {  # what rooms are about, in a few colours
    "core": "#66727f",
    "inputs": "#0b6e99",
    "ranks": "#0b6e99",
    "measures": "#2f7d32",
    "analysis": "#8e3b8a",
    "engines": "#8a5a00",
    "feedback": "#8a5a00",
    "reports": "#c0392b",
    "workbench": "#c0392b",
    "commands": "#1f2933",
}
ABOUT = (
    ("foundations", "core"),
    ("reading", "inputs"),
    ("measuring", "measures"),
    ("chance", "analysis"),
    ("laboratory", "engines"),
    ("for people", "reports"),
    ("questions", "commands"),
)

Counts = Mapping[tuple[str, str], int]


def draw(folders: Sequence[str], rooms: Mapping[str, Sequence[str]], sizes: Mapping[str, int], imports: Counts) -> str:
    """The picture; equal imports give equal text."""
    place = {folder: number for number, folder in enumerate(folders)}
    farthest = max((place[b] - place[a] for a, b in imports), default=1)
    width, height = LEFT + BOX + reach(farthest) + 24, TOP + len(folders) * (HEIGHT + GAP) + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
        f'height="{height}" font-family="Helvetica, Arial, sans-serif">',
        "<title>The rooms of rankscope in the order of the flow, and their imports</title>",
        f'<rect width="100%" height="100%" fill="{PAPER}"/>',
        *legend(),
        *arrows(place, imports),
        *(line for folder in folders for line in box(folder, place[folder], rooms[folder], sizes[folder])),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def legend() -> list[str]:
    """What colours and widths mean."""
    lines = [
        text(
            LEFT,
            26,
            "Data flows down: each room uses only those above it; all use core, so its arrows are left out",
            16,
            INK,
            weight="bold",
        )
    ]
    x = float(LEFT)
    for name, folder in ABOUT:
        lines.append(f'<rect x="{x:.0f}" y="39" width="11" height="11" rx="2" fill="{COLOURS[folder]}"/>')
        lines.append(text(x + 16, 49, name, 12, SOFT))
        x += 36 + 6.6 * len(name)
    for number in (10, 50):
        thick = thickness(number)
        lines.append(line(x, 45, x + 26, 45, SOFT, thick, 0.6))
        lines.append(text(x + 32, 49, f"{number} imports", 12, SOFT))
        x += 112
    return lines


def box(folder: str, number: int, rooms: Sequence[str], files: int) -> list[str]:
    """A folder with its rooms."""
    y, colour = TOP + number * (HEIGHT + GAP), COLOURS[folder]
    lines = [
        f'<rect x="{LEFT}" y="{y}" width="{BOX}" height="{HEIGHT}" rx="6" fill="{PAPER}" stroke="{colour}" '
        'stroke-width="1.4"/>',
        f'<rect x="{LEFT}" y="{y}" width="7" height="{HEIGHT}" rx="3" fill="{colour}"/>',
        text(LEFT + 18, y + (20 if rooms else 28), folder, 15, INK, weight="bold"),
        text(LEFT + BOX - 10, y + (20 if rooms else 28), f"{files} files", 11, SOFT, anchor="end"),
    ]
    x = LEFT + 18.0
    for room in rooms:
        wide = 12 + 6.0 * len(room)
        lines.append(
            f'<rect x="{x:.1f}" y="{y + 26}" width="{wide:.1f}" height="15" rx="4" fill="{colour}" '
            'fill-opacity="0.12"/>'
        )
        lines.append(text(x + wide / 2, y + 37, room, 10.5, INK, anchor="middle"))
        x += wide + 5
    return lines


def arrows(place: Mapping[str, int], imports: Counts) -> list[str]:
    """One for each pair of folders; the widest lie lowest, and long ones reach farther out."""
    starts, ends = ports(place, imports)
    order = sorted(imports, key=lambda pair: (-imports[pair], place[pair[0]], place[pair[1]]))
    return [arrow(pair, imports[pair], starts[pair], ends[pair], place[pair[1]] - place[pair[0]]) for pair in order]


def ports(
    place: Mapping[str, int], imports: Counts
) -> tuple[dict[tuple[str, str], float], dict[tuple[str, str], float]]:
    """Where arrows arrive and leave on the right side of boxes: those from above first, near ones before far ones."""
    starts: dict[tuple[str, str], float] = {}
    ends: dict[tuple[str, str], float] = {}
    for folder, number in place.items():
        y = TOP + number * (HEIGHT + GAP)
        coming = sorted((pair for pair in imports if pair[1] == folder), key=lambda pair: -place[pair[0]])
        going = sorted((pair for pair in imports if pair[0] == folder), key=lambda pair: -place[pair[1]])
        every = [*((ends, pair) for pair in coming), *((starts, pair) for pair in going)]
        step = (HEIGHT - 8) / max(1, len(every))
        for rank, (where, pair) in enumerate(every):
            where[pair] = y + 4 + step * (rank + 0.5)
    return starts, ends


def arrow(pair: tuple[str, str], count: int, start: float, end: float, distance: int) -> str:
    """A curve from what is imported to what imports it, with a head and the number in its title."""
    colour, thick = COLOURS.get(pair[0], INK), thickness(count)
    x, out, head = LEFT + BOX, LEFT + BOX + reach(distance) * 1.34, 5 + thick * 0.9
    opacity = 0.35 if count < 5 else 0.5 if count < 30 else 0.6
    path = f"M{x:.1f} {start:.1f} C{out:.1f} {start:.1f} {out:.1f} {end:.1f} {x + head:.1f} {end:.1f}"
    tip = f"M{x + 1:.1f} {end:.1f} l{head:.1f} {-head / 2:.1f} v{head:.1f} z"
    words = f"{pair[1]} imports {count} times from {pair[0]}"
    return (
        f'<g opacity="{opacity}"><title>{escape(words)}</title>'
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{thick:.2f}"/>'
        f'<path d="{tip}" fill="{colour}"/></g>'
    )


def reach(distance: int) -> float:
    """How far to the right a curve over so many folders goes."""
    return 26 + 27 * distance**0.92


def thickness(count: int) -> float:
    """The width of an arrow: so much for each import, seen even for one."""
    return min(THICKEST, max(THINNEST, PER_IMPORT * count))


def line(x: float, y: float, to_x: float, to_y: float, colour: str, thick: float, opacity: float) -> str:
    """A straight line."""
    return (
        f'<line x1="{x:.0f}" y1="{y:.0f}" x2="{to_x:.0f}" y2="{to_y:.0f}" stroke="{colour}" '
        f'stroke-width="{thick:.2f}" stroke-opacity="{opacity}"/>'
    )


def text(
    x: float, y: float, words: str, size: float, colour: str, *, anchor: str = "start", weight: str = "normal"
) -> str:
    """Words at a place."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{escape(words)}</text>'
    )
