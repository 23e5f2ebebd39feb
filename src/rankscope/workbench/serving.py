"""A project served until it is stopped: who reaches it, how its owner comes in, indexes next to it; and a demo."""

from __future__ import annotations

import re
import ssl
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rankscope.core.errors import SettingError
from rankscope.core.files import atomic, made_folder
from rankscope.engines.images.image import pillow
from rankscope.inputs.collections.sample import icons
from rankscope.workbench.pages.addresses import READING, check_origin, check_person, person_of
from rankscope.workbench.pages.application import workbench_application
from rankscope.workbench.pages.bench import RATE, Reach, Workbench
from rankscope.workbench.project import Project
from rankscope.workbench.project_folder import PROJECT_FILE
from rankscope.workbench.service.application import Proxies, ServiceLimits, ServicePart, is_loopback
from rankscope.workbench.service.indexes import ServedIndexes
from rankscope.workbench.service.server import address_of, listen, run_application, search_parts

OUT_OF_TIME: Final = (9, 10)  # what OpenSSL calls not yet valid, and expired
PUBLIC_ADDRESS: Final = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?")


@dataclass(frozen=True, kw_only=True)
class Exposure:
    """Where a project is served, and what stands between it and those who are not on this machine."""

    host: str = "127.0.0.1"
    port: int = 8384
    behind_proxy: str | None = None  # the address that people open, as https://judging.example.org
    certificate: str | None = None
    certificate_key: str | None = None
    allow_hosts: Sequence[str] = ()
    trusted_proxies: Sequence[str] = ()  # addresses and networks; this machine where none is named
    rate: float = RATE

    def __post_init__(self) -> None:
        problems = []
        if self.behind_proxy is not None and not PUBLIC_ADDRESS.fullmatch(self.behind_proxy):
            problems.append(
                f"--behind-proxy {self.behind_proxy}: give the address that people open, as https://judging.example.org"
            )
        if not is_loopback(self.host) and self.behind_proxy is None and self.certificate is None:
            problems.append(
                f"--host {self.host} lets others reach the project: give --certificate and --certificate-key, or "
                "--behind-proxy with the address of a proxy that encrypts"
            )
        if (self.certificate is None) != (self.certificate_key is None):
            problems.append("--certificate and --certificate-key belong together: give both")
        elif self.certificate is not None and (wrong := certificate_problem(self.certificate, self.certificate_key)):
            problems.append(f"--certificate {self.certificate}: {wrong}")
        if self.rate <= 0:
            problems.append("--rate must be above 0")
        try:
            Proxies.of(self.trusted_proxies)
        except SettingError as error:
            problems.append(str(error))
        if problems:
            raise SettingError.of(problems)

    def reach(self, port: int) -> Reach:
        return Reach(
            port=port,
            public=self.behind_proxy,
            proxies=Proxies.of(self.trusted_proxies),
            tls=self.certificate is not None,
            rate=self.rate,
        )


def certificate_problem(certificate: str, key: str | None) -> str:
    """Why a certificate and its key cannot be used; nothing where they can.

    >>> certificate_problem("nowhere.pem", "nowhere.key")
    'cannot be read with its key: No such file or directory'
    """
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except OSError as error:
        return f"cannot be read with its key: {error.strerror or error}"
    return ""


class ServedCertificate:
    """A certificate as it is read now and served from now on, even where its file is renewed meanwhile."""

    def __init__(self, certificate: str, key: str | None) -> None:
        self.path = certificate
        self._server, self._client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._server.load_cert_chain(certificate, key)
        self._client.load_verify_locations(certificate)
        self._client.check_hostname = False
        self._client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN

    def warning(self) -> str:
        """Why browsers do not take it now though it can be served: expired, or not valid yet; else nothing.

        It is shown to ourselves, who trust it and nothing else, so that only its time can be wrong.
        """
        there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
        sides = (self._client.wrap_bio(back, there), self._server.wrap_bio(there, back, server_side=True))
        for side in 2 * sides:
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
            except ssl.SSLCertVerificationError as error:
                if error.verify_code not in OUT_OF_TIME:
                    return ""
                wrong = f"{error.verify_message}, so browsers warn of this service"
                return f"! --certificate {self.path}: {wrong}: renew it, and start again"
        return ""


@contextmanager
def watched(certificate: ServedCertificate, say: Callable[[str], None], seconds: float = 60.0) -> Iterator[None]:
    """Say what is wrong with the time of a certificate: at once, or once when it runs out while the block goes on."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(seconds):
            if warning := certificate.warning():
                say(warning)
                return

    if warning := certificate.warning():
        say(warning)
    else:
        threading.Thread(target=watch, name="certificate", daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def serve_project(
    project: Project,
    exposure: Exposure | None = None,
    *,
    indexes: Sequence[str] = (),
    similarity: str = "bm25",
    say: Callable[[str], None] = print,
) -> None:
    """Serve a project until Ctrl-C or SIGTERM, with indexes next to it that admins may search.

    `say` gets the lines that tell where, and what is exposed.
    """
    how = exposure or Exposure()
    with listen(how.host, how.port) as listening:
        bench = Workbench(project, how.reach(listening.getsockname()[1]))
        proxies = bench.reach.proxies
        others = search_parts_beside(bench, indexes, similarity) if indexes else ()
        application = workbench_application(
            project, host=how.host, allow_hosts=how.allow_hosts, others=others, bench=bench
        )
        local = address_of(listening)
        address = how.behind_proxy or (local.replace("http://", "https://", 1) if how.certificate else local)
        for line in start_lines(bench, how, address):
            say(line)
        own = ServedCertificate(how.certificate, how.certificate_key) if how.certificate else None
        with nullcontext() if own is None else watched(own, say):
            run_application(
                application, listening, proxies=proxies, certificate=how.certificate, key=how.certificate_key
            )


def start_lines(bench: Workbench, exposure: Exposure, address: str) -> Iterable[str]:
    """Where the project is, how its owner comes in, and who else can reach it."""
    yield from (f"! {note}" for note in bench.project.notes)
    yield f"serving {bench.title} at {address}; Ctrl-C ends it"
    yield f"open {address}/enter/{bench.start_token}"
    yield "  this link lets you in once, as the owner; others come in by invitations from the page People"
    if not is_loopback(exposure.host):
        yield (
            f"! {exposure.host} is not this machine alone: whoever reaches it sees that the project is here, and with "
            "an invitation its pictures and texts"
        )
    if exposure.behind_proxy is not None and not is_loopback(exposure.host) and not exposure.trusted_proxies:
        yield (
            "! only a proxy on this machine is believed who it asks for: name another with --trusted-proxy ADDRESS, or "
            "all who come through it count as one address"
        )


@contextmanager
def demo_folder(folder: str | None) -> Iterator[Path]:
    """The folder of the demo: the one that is given, or one that is gone afterwards."""
    if folder is not None:
        yield Path(folder)
        return
    with tempfile.TemporaryDirectory(prefix="rankscope-demo-") as name:
        yield Path(name) / "icons"


# The search service next to a project: the same addresses, for admins alone, for searching would end blindness.


def search_parts_beside(bench: Workbench, indexes: Any, similarity: str = "bm25") -> list[ServicePart]:
    """Indexes as Solr and OpenSearch answer them, behind the sign-in of a project."""

    def for_admins(endpoint: Callable[[Request], Any]) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            check_person(person_of(bench, request), "admin")
            if request.method not in READING and bench.reach.cookie in request.cookies:
                check_origin(bench, request)
            found: Response = await endpoint(request)
            return found

        answer.__doc__ = endpoint.__doc__
        return answer

    def guarded(part: ServicePart) -> ServicePart:
        """Without the addresses that can be taken for pages."""
        routes = [
            Route(each.path, for_admins(each.endpoint), methods=list(each.methods or ()))
            for each in part.routes
            if isinstance(each, Route) and is_of_search(each.path)
        ]
        return replace(part, routes=routes, owns=lambda path: is_of_search(path) and part.owns(path))

    return list(map(guarded, search_parts(ServedIndexes.of(indexes, similarity), ServiceLimits())))


def is_of_search(path: str) -> bool:
    """Whether a path is one of the search service; all others are pages.

    >>> [is_of_search(path) for path in ("/solr/docs/select", "/docs/_search", "/_cat/indices", "/", "/docs")]
    [True, True, True, False, False]
    """
    return path.startswith("/solr/") or "/_" in path


# A project to try the workbench on: some of the icons that ship with rankscope, and a small pool to judge.

MORE_CLASSES: Final = ("boat", "thermometer", "lockopen", "elevator", "folderlock", "traffic")
CLASSES: Final = ("robot", "alarm", "bike", "balloon", "envelope", "cog", *MORE_CLASSES)
MEMBERS: Final = 18  # of each class at most
OTHERS: Final = 84  # pictures of no class
QUERIES: Final = 6
SPACES: Final = ("pixels", "edges")
DEPTH: Final = 10
SIDE: Final = 128  # pixels, four times what the icons have
GUIDELINE: Final = """Relevant is an icon that means the same as the example, however it is drawn.

0  it means something else
1  it means the same, with something added or taken away
2  it means just the same

When you cannot see what an icon means, say "unsure".
"""


def demo_project(folder: str | Path) -> Project:
    """The project in a folder, open; made where the folder holds none."""
    root = Path(folder)
    if (root / PROJECT_FILE).exists():
        return Project.open(root)
    sample = icons()
    classes = np.array(sample.class_of_item)
    rows: list[int] = []  # some of each class, and some of none, in the order of the classes
    for name in (each for each in CLASSES if each in classes):
        rows += np.flatnonzero(classes == name)[:MEMBERS].tolist()
    rows += np.flatnonzero(classes == "")[:OTHERS].tolist()
    names = [f"{sample.class_of_item[row] or 'others'}/{place:03d}.png" for place, row in enumerate(rows)]
    pictures, image = made_folder(root / "icons"), pillow("Image")
    for name, row in zip(names, rows, strict=True):
        made_folder((pictures / name).parent)
        with atomic(pictures / name, "wb") as file:
            image.fromarray(sample.images[row]).resize((SIDE, SIDE), image.Resampling.LANCZOS).save(file, "PNG")
    first: dict[str, int] = {}
    for place, name in enumerate(names):
        first.setdefault(name.partition("/")[0], place)
    queries = [place for label, place in first.items() if label != "others"][:QUERIES]
    files: dict[str, list[Path]] = {"features": [], "runs": []}
    for space in SPACES:
        vectors = sample.features(space)[rows].astype(np.float32)
        files["features"].append(root / f"{space}.npz")
        with atomic(files["features"][-1], "wb") as file:
            np.savez(file, features=vectors, ids=np.array(names), metric=np.array("cosine"))
        files["runs"].append(_write_run(root / f"{space}.run", vectors, names, queries))
    absolute: dict[str, Any] = {name: [path.resolve() for path in paths] for name, paths in files.items()}
    project = Project.new(root, images=pictures.resolve(), **absolute)
    project.add_guideline(GUIDELINE)
    project.make_pool(f"depth({DEPTH})")
    return project


def _write_run(path: Path, vectors: NDArray[np.float32], names: list[str], queries: list[int]) -> Path:
    """For each query all other pictures, the nearest first."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    near = unit[queries] @ unit.T
    near[np.arange(len(queries)), queries] = -np.inf
    order = np.argsort(-near, axis=1, kind="stable")[:, :-1]
    with atomic(path) as file:
        for query, row, scores in zip(queries, order, near, strict=True):
            for rank, place in enumerate(row.tolist(), 1):
                file.write(f"{names[query]} Q0 {names[place]} {rank} {scores[place]:.6f} {path.stem}\n")
    return path
