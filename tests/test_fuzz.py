"""Twenty thousand hostile cases: an answer that a plain reader confirms or a clear error. Far more in make bench."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.fuzz import SEED
from benchmarks.fuzzing.cases import ANSWER, BY_COMMAND, CLEAR, FORMATS, MEANINGS, SHARE, SHARES, WHOLE, trial_of
from benchmarks.fuzzing.driver import PART, by_command, in_process

PARTS = 20
PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "faults.md"


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(PARTS))
def test_a_hostile_case_gives_a_confirmed_answer_or_a_clear_error(part: int) -> None:
    tally = in_process(PART, seed=1000, first=part * PART)
    assert not tally.failures, "\n\n".join(tally.failures[:5])
    assert tally.total == PART
    assert set(tally.came) <= {f"{format}: {word}" for format in FORMATS for word in (ANSWER, CLEAR)}
    for format in BY_COMMAND:  # cases of only one kind would show little; of the other formats there are too few here
        assert tally.came[f"{format}: {ANSWER}"] > 0
        assert tally.came[f"{format}: {CLEAR}"] > 0


@pytest.mark.thorough
def test_the_command_ends_as_the_library_does() -> None:
    tally = by_command(len(BY_COMMAND), seed=2000)
    assert not tally.failures, "\n\n".join(tally.failures[:5])
    assert tally.total == len(BY_COMMAND)


def test_a_case_is_always_the_same() -> None:
    for format in FORMATS:
        seen: Counter[str] = Counter()
        for _ in range(2):
            with tempfile.TemporaryDirectory() as folder:
                trial_of(format, 3, 14, Path(folder))
                files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
                seen[str([(path.name, path.read_bytes()) for path in files])] += 1
        assert max(seen.values()) == 2, format


def test_an_abort_and_a_hang_have_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that ends early is named by its case; the cases around it are still tried."""
    from benchmarks.fuzzing import driver

    calls: list[tuple[int, int]] = []

    def child(seed: int, first: int, count: int) -> driver.Tally:
        calls.append((first, count))
        return driver.Tally(Counter({"trec: answer": count}))

    monkeypatch.setattr(driver, "_child", child)
    tally = driver._after_end(1, 100, 50, "npz 1 120\n", "ended with -6")
    assert tally.failures == ["npz 1 120 ended with -6"]
    assert calls == [(100, 20), (121, 29)]
    assert tally.total == 50


def test_the_page_shows_a_whole_run_of_every_kind() -> None:
    page = PAGE.read_text(encoding="utf-8")
    numbers = {
        what: [int(each.replace(",", "")) for each in rest.split(" | ")]
        for what, rest in re.findall(r"^\| (.+?) \| ([\d,]+ \| [\d,]+ \| [\d,]+) \|$", page, re.MULTILINE)
    }
    assert list(numbers) == [MEANINGS[name] for name in SHARES]
    for name, share in SHARES.items():
        cases, answers, refused = numbers[MEANINGS[name]]
        assert cases == answers + refused == share * SHARE, name
    assert f"Seed {SEED}: {WHOLE:,} cases in child processes" in " ".join(page.split())
