"""Blocks of one core in several threads of a process at the same time, as in a Dask worker with several threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from threading import Event

from rankscope.running.cores import one_core_each


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
