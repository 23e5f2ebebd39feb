"""Random queries of Lucene's language: every kind of node, groups in groups to a depth of 3."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

DEPTH = 3
SIGNS = ("", "", "", "", "+", "-", "NOT ", "!")
JOINTS = (" ", " ", " ", " AND ", " OR ", " && ", " || ")
FIELDS = ("", "", "", "", "title:", "body:", "date:")


class QueryMaker:
    """Makes queries of words; half of the words are those of documents, some with letters changed."""

    def __init__(self, words: Sequence[str], phrases: Sequence[str], seed: int) -> None:
        self.rng, self.words, self.phrases = np.random.default_rng(seed), words, phrases
        self.kinds: tuple[Callable[[], str], ...] = (
            self.word,
            self.word,
            self.several,
            self.phrase,
            self.sloppy,
            self.prefix,
            self.wildcard,
            self.regex,
            self.fuzzy,
            self.fuzzy,
            self.range,
            self.everything,
        )

    def query(self, depth: int = DEPTH) -> str:
        clauses = [self.clause(depth) for _ in range(self.rng.integers(1, 5))]
        joints = [self.pick(JOINTS) for _ in clauses[1:]]
        return clauses[0] + "".join(joint + clause for joint, clause in zip(joints, clauses[1:], strict=True))

    def clause(self, depth: int) -> str:
        if depth > 1 and self.rng.random() < 0.2:
            inner = f"{self.pick(FIELDS)}({self.query(depth - 1)})"
        else:
            inner = self.pick(FIELDS) + self.kinds[int(self.rng.integers(len(self.kinds)))]()
        return (
            self.pick(SIGNS) + inner + (f"^{self.pick(('2', '0.5', '3.25', '0'))}" if self.rng.random() < 0.15 else "")
        )

    def pick(self, some: Sequence[str]) -> str:
        return some[int(self.rng.integers(len(some)))]

    def word(self) -> str:
        return self.escaped(self.pick(self.words))

    def several(self) -> str:
        return " ".join(self.word() for _ in range(self.rng.integers(2, 5)))

    def phrase(self) -> str:
        words = self.pick(self.phrases).replace("\\", " ").replace('"', " ").split()
        start = int(self.rng.integers(max(1, len(words) - 3)))
        return f'"{" ".join(words[start : start + int(self.rng.integers(1, 5))])}"'

    def sloppy(self) -> str:
        words = self.phrase().strip('"').split() + ([self.pick(self.words)] if self.rng.random() < 0.3 else [])
        self.rng.shuffle(words)
        kept = " ".join(words).replace("\\", " ").replace('"', " ")
        return f'"{kept}"~{self.rng.integers(0, 12)}'

    def prefix(self) -> str:
        return self.escaped(self.pick(self.words)[: int(self.rng.integers(1, 5))]) + "*"

    def wildcard(self) -> str:
        word = self.pick(self.words)
        place = int(self.rng.integers(1, len(word) + 1))
        return self.escaped(word[:place]) + self.pick(("?", "*", "?*", "*?")) + self.escaped(word[place + 1 :])

    def regex(self) -> str:
        word = "".join(sign for sign in self.pick(self.words) if sign.isalnum()) or "a"
        place = int(self.rng.integers(len(word)))
        part = self.pick((".", ".*", "[a-m]", "(a|e|o)+", ".{0,2}", "[^x]?", "@", "<1-20>", '"e"'))
        return f"/{word[:place]}{part}{word[place + 1 :]}/"

    def fuzzy(self) -> str:
        return self.escaped(self.misspelt(self.pick(self.words))) + self.pick(("~", "~1", "~2", "~0.7", "~0"))

    def range(self) -> str:
        first, second = sorted((self.bound(), self.bound()))
        return f"{self.pick('[{')}{first} TO {second}{self.pick(']}')}"

    def bound(self) -> str:
        return "*" if self.rng.random() < 0.1 else "".join(self.pick(self.words)[:4].split()).strip(']}\\"*') or "m"

    def everything(self) -> str:
        return "*:*" if self.rng.random() < 0.6 else self.pick(("the", "of", "and", "a the"))

    def misspelt(self, word: str) -> str:
        place = int(self.rng.integers(len(word)))
        changes = (
            word[:place] + word[place + 1 :],
            word[:place] + "e" + word[place:],
            word[:place] + "o" + word[place + 1 :],
        )
        return self.pick([word, *changes]) or "e"

    def escaped(self, word: str) -> str:
        return "".join(f"\\{sign}" if sign in '+-!():^[]"{}~*?\\/&|' else sign for sign in word)
