"""A connection sends at once: waiting for a full packet adds 40 ms to every answer of a connection that stays open."""

from __future__ import annotations

import socket

import pytest

from tests.needs import needed_module

needed_module("uvicorn", "web")


@pytest.mark.skipif(not hasattr(socket, "TCP_NODELAY"), reason="this system has no such option")
def test_connections_do_not_wait_for_more_to_send() -> None:
    from rankscope.workbench.service.server import listen

    with listen() as listening, socket.create_connection(listening.getsockname()):
        taken, _ = listening.accept()
        with taken:
            assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
