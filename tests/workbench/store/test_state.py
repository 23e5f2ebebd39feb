"""Any interleaving of marks, undos, repeated requests and restarts gives what a plain dictionary gives."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from rankscope.workbench.store.events import ANSWERS, MarkEvent, Refused
from tests.workbench.store.journals import open_writer

ASSESSORS = st.integers(1, 3)
PAIRS = st.tuples(st.sampled_from(["q1", "q2"]), st.sampled_from("ab"))
KINDS = st.sampled_from(["grade", "unsure", "skip", "comment"])


class Journals(RuleBasedStateMachine):
    """A writer on a file next to lists and a dictionary."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.stack = ExitStack()
        self.open()
        self.log: list[dict[str, Any]] = []  # everything that was done and is not undone, in order
        self.sent: list[tuple[MarkEvent, int]] = []
        self.count = 0

    def open(self) -> None:
        self.writer = self.stack.enter_context(open_writer(self.folder / "j.db"))

    def teardown(self) -> None:
        self.stack.close()
        shutil.rmtree(self.folder)

    def save(self, mark: MarkEvent) -> int:
        number = self.writer.save(mark).event.id
        self.count += 1
        assert number == self.count
        self.sent.append((mark, number))
        return number

    @rule(assessor=ASSESSORS, pair=PAIRS, kind=KINDS, grade=st.integers(0, 2), repeat=st.booleans())
    def mark(self, assessor: int, pair: tuple[str, str], kind: Any, grade: int, repeat: bool) -> None:
        flags = {"repeat": True} if repeat and kind in ANSWERS else {"text": "why"} if kind == "comment" else None
        mark = MarkEvent(
            assessor=assessor,
            key=f"k{self.count}",
            kind=kind,
            query=pair[0],
            item=pair[1],
            grade=grade if kind == "grade" else None,
            detail=flags,
        )
        number = self.save(mark)
        self.log.append({"id": number, "who": assessor, "pair": pair, "kind": kind, "repeat": bool(flags and repeat)})

    @rule(assessor=ASSESSORS)
    def undo_the_last(self, assessor: int) -> None:
        own = [each for each in self.log if each["who"] == assessor]
        mark = MarkEvent(assessor=assessor, key=f"k{self.count}", kind="undo")
        if not own:
            with pytest.raises(Refused):
                self.writer.save(mark)
        else:
            self.save(mark)
            self.log.remove(own[-1])

    @rule(assessor=ASSESSORS, of=st.integers(1, 60))
    def undo_a_named_one(self, assessor: int, of: int) -> None:
        own = [each for each in self.log if each["who"] == assessor and each["id"] == of]
        mark = MarkEvent(assessor=assessor, key=f"k{self.count}", kind="undo", of=of)
        if not own:
            with pytest.raises(Refused):
                self.writer.save(mark)
        else:
            self.save(mark)
            self.log.remove(own[0])

    @rule(which=st.integers(0, 60))
    def send_again(self, which: int) -> None:
        if self.sent:
            mark, number = self.sent[which % len(self.sent)]
            again = self.writer.save(mark)
            assert (again.event.id, again.again) == (number, True)

    @rule()
    def restart(self) -> None:
        self.stack.close()
        self.open()

    @invariant()
    def the_state_is_that_of_the_dictionary(self) -> None:
        state = self.writer.state
        assert state.last == self.count
        for table, repeat in ((state.answers, False), (state.repeats, True)):
            wanted: dict[Any, Any] = {}
            for each in self.log:
                if each["kind"] in ANSWERS and each["repeat"] == repeat:
                    wanted.setdefault(each["pair"], {})[each["who"]] = each["id"]
            found = {pair: {who: event.id for who, event in said.items()} for pair, said in table.items() if said}
            assert found == wanted
        comments = {pair: [event.id for event in some] for pair, some in state.comments.items() if some}
        told = [each for each in self.log if each["kind"] == "comment"]
        assert comments == {
            pair: [each["id"] for each in told if each["pair"] == pair] for pair in {e["pair"] for e in told}
        }
        for assessor in (1, 2, 3):
            own = [each["id"] for each in self.log if each["who"] == assessor]
            assert [event.id for event in state.history(assessor)] == own[::-1]


TestJournals = Journals.TestCase
TestJournals.settings = settings(max_examples=25, stateful_step_count=30)
