"""Query by query in a browser: order, words, what is chosen, another measure."""

from __future__ import annotations

import pytest

from tests.browser.opened import Opened

DATA = """async id => {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent.trim()), sign => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}"""


def test_queries_stand_by_wins_losses_or_number_and_words_filter_them(opened: Opened) -> None:
    data = opened.page.evaluate(DATA, "data-queries")
    gains = [one - other for one, other in zip(data["values"][1][0], data["values"][0][0], strict=True)]
    wins = opened.queries()
    order = sorted(range(len(gains)), key=lambda row: (-gains[row], row))
    assert wins == [data["queries"][row] for row in order]
    opened.page.locator("#query-tools select").nth(2).select_option("loss")
    losses = sorted(range(len(gains)), key=lambda row: (gains[row], row))
    assert opened.queries() == [data["queries"][row] for row in losses]
    opened.page.locator("#query-tools select").nth(2).select_option("id")
    assert opened.queries() == data["queries"]
    opened.page.get_by_label("Find a query by its number").fill("ITEM 2")
    assert opened.queries() == [f"item 2{digit}" for digit in range(10)]
    assert "10 of 60 queries" in opened.page.locator("#query-count").inner_text()
    won, lost = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
    told = opened.page.locator("#query-conclusion").inner_text()
    assert f"fine is better by AP on {won} of 60 queries, rough on {lost}." in told


def test_a_query_that_is_chosen_stays_chosen_and_focused(opened: Opened) -> None:
    third = opened.page.locator("#query-list button.query").nth(2)
    name = third.inner_text()
    third.focus()
    opened.page.keyboard.press("Enter")
    assert opened.page.locator("#query-list [aria-current] button").inner_text() == name
    assert opened.page.evaluate("document.activeElement.textContent") == name
    assert name in opened.page.locator("#panel h3").inner_text()
    assert opened.page.locator("#panel ol").count() == 2


def test_another_measure_shows_its_values(opened: Opened) -> None:
    opened.page.locator("#query-tools select").nth(3).select_option(label="success@1")
    assert set(opened.page.locator("#query-list td.value").all_inner_texts()) <= {".000", "1.000"}


@pytest.mark.thorough
def test_where_lower_is_better_a_lower_value_wins(opened: Opened) -> None:
    opened.page.locator("#query-tools select").nth(3).select_option(label="NMRR")
    values = [float(text) for text in opened.page.locator("#query-list td.value").all_inner_texts()[:2]]
    assert values[0] < values[1]


# light, dark, small, paper, no script
