"""One spelling for every address of a page."""

from __future__ import annotations

import pytest

from tests.needs import needed_module


def spelled(text: str, base: str = "") -> str | None:
    needed_module("httpx", "gather")
    from rankscope.engines.crawler.addresses import page_address

    return page_address(text, base)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("http://EXAMPLE.org", "http://example.org/"),
        ("HTTPS://example.org:443/a", "https://example.org/a"),
        ("http://example.org:443/a", "http://example.org:443/a"),
        ("http://example.org./", "http://example.org/"),
        ("http://example.org/a b", "http://example.org/a%20b"),
        ("http://example.org/%7Ea/%c3%a9", "http://example.org/~a/%C3%A9"),
        ("http://example.org/é", "http://example.org/%C3%A9"),
        ("http://example.org/a/%2e%2e/b", "http://example.org/b"),
        ("http://example.org/../../b", "http://example.org/b"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://example.org/?", "http://example.org/"),
        ("http://example.org/?a=1&UTM_Source=x&fbclid=3&b=2&&gclid=1#f", "http://example.org/?a=1&b=2"),
        ("http://example.org/?b=2&a=1", "http://example.org/?b=2&a=1"),
        ("http://example.org/?clid=1&utm=2&q=utm_source", "http://example.org/?clid=1&utm=2&q=utm_source"),
        (" http://example.org/a\n\tb ", "http://example.org/ab"),
        ("http://[::1]:8080/", "http://[::1]:8080/"),
    ],
)
def test_an_address_has_one_spelling(given: str, expected: str) -> None:
    assert spelled(given) == expected
    assert spelled(expected) == expected


@pytest.mark.parametrize(
    "given",
    [
        "",
        "example.org",
        "/a",
        "//example.org/",
        "ftp://example.org/",
        "file:///etc/passwd",
        "javascript:void(0)",
        "data:text/html,a",
        "http://",
        "http:///a",
        "http://me@example.org/",
        "http://me:secret@example.org/",
        "http://a b/",
        "http://example.org:99999/",
        "http://example.org:x/",
        "http://[::1/",
        "http://ex\0ample.org/",
        f"http://example.org/{'a' * 3000}",
        "http://" + "a." * 2000,
    ],
)
def test_what_is_no_address_of_a_page_is_none(given: str) -> None:
    assert spelled(given) is None


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("c", "http://example.org/a/c"),
        ("../c#x", "http://example.org/c"),
        ("?q=1", "http://example.org/a/b?q=1"),
        ("", "http://example.org/a/b"),
        ("#x", "http://example.org/a/b"),
        ("//other.org/x", "http://other.org/x"),
        ("https:c", None),
        ("http://[", None),
    ],
)
def test_a_link_is_read_where_it_stands(link: str, expected: str | None) -> None:
    assert spelled(link, "http://example.org/a/b") == expected
