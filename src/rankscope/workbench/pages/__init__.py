"""The pages of a project: looked at in a browser, or asked for as JSON at the same addresses.

    from rankscope.workbench import Project
    from rankscope.workbench.pages import workbench_application
    from rankscope.workbench.service import running

    with Project.open("judging") as project, running(workbench_application(project)) as address:
        print(address)

A page is one function with the decorator `address` (`pages.addresses`): what it may be asked is a NamedTuple, what it
answers a TypedDict, and the first gives the checks, the second the JSON, the HTML of its template and the description
in /openapi.json. All of it needs the extra `web`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankscope.core.caching import WEB_MODULES
from rankscope.workbench import find_names

if TYPE_CHECKING:
    from rankscope.workbench.pages.application import workbench_application
    from rankscope.workbench.pages.bench import Reach, Workbench

__all__ = ["Reach", "Workbench", "workbench_application"]
__getattr__ = find_names(
    __name__, {"Reach": "bench", "Workbench": "bench", "workbench_application": "application"}, WEB_MODULES
)
