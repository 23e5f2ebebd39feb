"""Why a request gets no answer: one kind of error, with a status, a sentence, and headers."""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.exceptions import HTTPException

from rankscope.errors import InputError, MissingExtra, RankscopeError, RunnerError

READ_ONLY = "this service is read-only: index documents with rankscope index, then start it again"
FOLDERS = re.compile(r"(?<![\w:/\\.])(?:[A-Za-z]:[\\/]|/)(?:[^/\\\n:'\",;]+[/\\])*(?=[^/\\\s])")
FAULT = "this is a fault of rankscope, not of the request; the terminal of the service says more"
BROKEN = (InputError, MissingExtra, RunnerError)  # what whoever asks can do nothing about


@dataclass(eq=False)
class Refusal(Exception):  # noqa: N818  (it says what happens)
    """A request that is refused: the status, a sentence for the person who asked, and what kind of problem it is.

    `kind` is a word for programs, such as `index_not_found_exception`; each way in has its own usual ones.
    """

    status: int
    message: str
    kind: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, object] = field(default_factory=dict)  # more that an answer says next to the sentence

    def __str__(self) -> str:
        return self.message


def refusal_of(error: Exception, path: str = "", method: str = "") -> Refusal:
    """What an error means for whoever asked; a fault of ours is printed, and nothing of it is sent."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, HTTPException):
        return _of_router(error, path, method)
    if isinstance(error, RankscopeError):
        broken = isinstance(error, BROKEN)  # other errors speak of the request, which may hold slashes
        return Refusal(500, without_folders(str(error))) if broken else Refusal(400, str(error))
    traceback.print_exception(error, file=sys.stderr)
    return Refusal(500, FAULT)


def without_folders(text: str) -> str:
    """A text with the names of files and without where they lie, which is nothing for whoever asks over a network.

    >>> without_folders("/home/ann/my data/docs.index/a.bin: 1 problem, see C:/data/b.run")
    'a.bin: 1 problem, see b.run'
    """
    return FOLDERS.sub("", text)


def _of_router(error: HTTPException, path: str, method: str) -> Refusal:
    headers = dict(error.headers or {})
    if error.status_code == 404:
        return Refusal(404, f"there is nothing at {path[:200]}", headers=headers)
    if error.status_code == 405:
        return Refusal(405, f"{method} is not possible here: {READ_ONLY}", headers=headers)
    return Refusal(error.status_code, str(error.detail), headers=headers)
