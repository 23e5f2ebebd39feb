"""One module a format, each with `name`, `suffixes`, `recognises`, `read_run`, `read_qrels`, `write_run`, `write_qrels`.

Which format a file has is told from its first bytes; its name decides only between formats that look alike.
"""

from __future__ import annotations

from types import ModuleType

from rankscope.catalogue import additions, did_you_mean
from rankscope.errors import InputError, SettingError
from rankscope.inputs.formats import trec
from rankscope.inputs.qrels import Qrels
from rankscope.inputs.reading import Reading
from rankscope.inputs.run import Run
from rankscope.inputs.sources import COMPRESSED_SUFFIXES, Source

ALL: tuple[ModuleType, ...] = (trec,)


def formats() -> tuple[ModuleType, ...]:
    """All formats, those that other packages add first."""
    return (*additions("rankscope.formats"), *ALL)


def by_name(wanted: str) -> ModuleType:
    """A format by its name."""
    for each in formats():
        if each.name == wanted:
            return each
    names = [each.name for each in formats()]
    raise SettingError(f"no file format '{wanted}'{did_you_mean(wanted, names)} There are: {', '.join(names)}")


def of_file(source: Source) -> ModuleType:
    """The format of a file, by its first bytes."""
    head = source.head()
    for each in formats():
        if each.recognises(head):
            return each
    raise InputError.of(source.name, ["is in no format known here (binary rubbish?)"])


def of_path(path: str) -> ModuleType:
    """The format to write, by the path's suffix; TREC text where nothing else fits."""
    plain = path
    for suffix in COMPRESSED_SUFFIXES:
        plain = plain.removesuffix(suffix)
    fitting = [each for each in formats() if plain.lower().endswith(tuple(each.suffixes))]
    return fitting[0] if fitting else trec


def read_run(source: Source, reading: Reading) -> Run:
    """A run in any format."""
    run: Run = _chosen(source, reading).read_run(source, reading)
    return run


def read_qrels(source: Source, reading: Reading) -> Qrels:
    """Judgements in any format."""
    qrels: Qrels = _chosen(source, reading).read_qrels(source, reading)
    return qrels


def _chosen(source: Source, reading: Reading) -> ModuleType:
    return by_name(reading.format) if reading.format else of_file(source)
