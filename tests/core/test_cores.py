"""Blocks of one core in several threads of a process at the same time, as in a Dask worker with several threads."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from threading import Barrier, Event

import pytest

from rankscope.core.threads import in_threads_of_one_core, one_core_each


def blas_threads() -> int:
    pools = import_module("threadpoolctl").threadpool_info()
    return max(each["num_threads"] for each in pools if each["user_api"] == "blas")


def test_the_limit_holds_until_the_last_thread_has_left_and_then_is_lifted() -> None:
    import_module("scipy.linalg")
    before = blas_threads()
    one_in, both_in, one_out = Event(), Event(), Event()

    def first() -> None:
        with one_core_each():
            one_in.set()
            both_in.wait()
        one_out.set()

    def last() -> int:
        one_in.wait()
        with one_core_each():
            both_in.set()
            one_out.wait()
            return blas_threads()

    with ThreadPoolExecutor(2) as pool:
        pool.submit(first)
        assert pool.submit(last).result() == 1
        assert blas_threads() == before  # while the threads are still there
    with one_core_each():
        assert blas_threads() == 1
    assert blas_threads() == before


def test_all_cores_are_used_where_no_number_of_threads_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    at_once = Barrier(3)  # passes only when three parts wait at it together
    assert sorted(in_threads_of_one_core(lambda part: at_once.wait(30) * 0 + part, range(3))) == [0, 1, 2]
