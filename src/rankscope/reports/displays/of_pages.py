"""Reports: what stands in one, and the page itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankscope.number_texts import how_many
from rankscope.reports.displays.display import Display
from rankscope.reports.displays.long_table import LongTable
from rankscope.reports.displays.presentation import Presentation
from rankscope.reports.formats.grid import summary_grid

if TYPE_CHECKING:
    from rankscope.reports.page.contents import Report
    from rankscope.reports.page.report_page import ReportPage


def _report(report: Report) -> Display:
    drawn = [each for each in report.figures if each.graph is not None]
    kinds = ", ".join(dict.fromkeys(each.kind.name for each in drawn))
    graphs = f"{how_many(len(drawn), 'graph', 'graphs')}: {kinds}"
    table = LongTable.of_grid(summary_grid(report.scores))
    return Display(report.headline.answer, table, (*report.headline.limits, graphs), ".headline.limits")


def _page(page: ReportPage) -> Display:
    return Display(
        f"Report {page.heading!r}: a page of {len(page.encode()):,} bytes, which page.save('report.html') writes"
    )


REPORT = Presentation(_report)
REPORT_PAGE = Presentation(_page)
