"""Refusals as OpenSearch words them."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from rankscope.workbench.service.answers import Json, json_answer
from rankscope.workbench.service.refusals import Refusal

KINDS: Final = {  # the usual kind of each status, where a refusal names none
    400: "illegal_argument_exception",
    403: "cluster_block_exception",
    404: "resource_not_found_exception",
    405: "method_not_allowed_exception",
    408: "timeout_exception",
    413: "content_too_long_exception",
    414: "too_long_http_line_exception",
    421: "misdirected_request_exception",
    503: "rejected_execution_exception",
}


def error_body(refusal: Refusal) -> Json:
    """The body of a refusal."""
    if refusal.facts:
        return dict(refusal.facts)
    cause = {"type": refusal.kind or KINDS.get(refusal.status, "exception"), "reason": refusal.message}
    return {"error": {"root_cause": [cause], **cause}, "status": refusal.status}


def tell(refusal: Refusal) -> Response:
    """A refusal as an answer."""
    return json_answer(error_body(refusal), refusal.status, refusal.headers)
