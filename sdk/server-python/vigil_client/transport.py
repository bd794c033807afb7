"""Sends one request. Another transport, for example with a proxy, is a function of the same type."""

from __future__ import annotations

import http.client
import ssl
import time
from dataclasses import dataclass, field
from typing import Callable, Dict, Iterator, List, Optional
from urllib.parse import urlsplit


@dataclass
class Request:
    method: str
    url: str
    headers: Dict[str, str]
    body: Optional[bytes]
    # Seconds until the response is complete; of a file, until it begins and between its parts.
    timeout: float
    is_file: bool = False


@dataclass
class Response:
    status: int
    body: bytes
    # With names in lower case.
    headers: Dict[str, str] = field(default_factory=dict)
    # The content of a file, instead of `body`.
    stream: Optional[Iterator[bytes]] = None


class NotSent(Exception):
    """No connection was established, so the service has done nothing."""


Transport = Callable[[Request], Response]

_PART_BYTES = 64 * 1024


def http_transport(context: Optional[ssl.SSLContext] = None) -> Transport:
    """Opens a connection for each request: one that the service has closed in the meantime would fail in
    a way that cannot be distinguished from a lost response. Redirects are not followed, because they
    would pass the credential on.

    :param context: for https, with another certificate authority than those of the system
    """

    def send(request: Request) -> Response:
        deadline = time.monotonic() + request.timeout
        connection = _connect(request, context)
        is_open = False
        try:
            url = urlsplit(request.url)
            path = url.path + ("?" + url.query if url.query else "")
            connection.request(request.method, path, request.body, request.headers)
            response = connection.getresponse()
            headers = {name.lower(): value for name, value in response.getheaders()}
            if request.is_file and response.status == 200:
                is_open = True
                return Response(200, b"", headers, _stream(connection, response))
            parts: List[bytes] = []
            while True:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError("no answer within %s s" % request.timeout)
                if connection.sock is not None:
                    connection.sock.settimeout(left)
                part = response.read1(_PART_BYTES)
                if not part:
                    return Response(response.status, b"".join(parts), headers)
                parts.append(part)
        finally:
            if not is_open:
                connection.close()

    return send


def _connect(request: Request, context: Optional[ssl.SSLContext]) -> http.client.HTTPConnection:
    url = urlsplit(request.url)
    connection: http.client.HTTPConnection
    if url.scheme == "https":
        connection = http.client.HTTPSConnection(
            url.hostname or "",
            url.port,
            timeout=request.timeout,
            context=context or ssl.create_default_context(),
        )
    else:
        connection = http.client.HTTPConnection(
            url.hostname or "", url.port, timeout=request.timeout
        )
    try:
        connection.connect()
    except OSError as error:
        connection.close()
        raise NotSent(str(error)) from error
    return connection


def _stream(
    connection: http.client.HTTPConnection, response: http.client.HTTPResponse
) -> Iterator[bytes]:
    try:
        while True:
            part = response.read(_PART_BYTES)
            if not part:
                return
            yield part
    finally:
        connection.close()
