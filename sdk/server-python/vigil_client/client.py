"""The client: a method for each operation of the API."""

from __future__ import annotations

import http.client
import json
import time
import uuid
from typing import Any, Callable, Dict, Iterator, Optional, Union

from ._call import Failure, error_of, pause_before, read, url_of, with_key
from ._operation import Operation
from ._operations import OPERATIONS, Operations
from .transport import NotSent, Request, Response, Transport, http_transport

# The service recognizes a repeated batch for 15 minutes.
_TOTAL_MAX_SECONDS = 14 * 60

# An access token, or a function that returns one and is called before each attempt.
AccessToken = Union[str, Callable[[], str]]


class Vigil(Operations):
    """Can be used by several threads. Times are in seconds.

    :param base_url: URL of the service, which ends with /v1
    :param api_key: for checks, orders, profiles, cashiers, ingestion and push
    :param access_token: for webhooks, device management and reading logs
    :param timeout: deadline of each attempt
    :param total: deadline of a call with all of its repetitions; at most 14 minutes
    :param retries: greatest number of repetitions
    :param backoff: pause before the first repetition; it doubles with each of them, up to 8 seconds
    :param transport: sends a request; `http_transport()` by default
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: Optional[str] = None,
        access_token: Optional[AccessToken] = None,
        timeout: float = 30,
        total: float = 120,
        retries: int = 4,
        backoff: float = 0.5,
        transport: Optional[Transport] = None,
    ) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise ValueError("base_url must be a URL such as https://vigil.example.com/v1")
        if api_key is None and access_token is None:
            raise ValueError("api_key or access_token is required")
        if not 0 < total <= _TOTAL_MAX_SECONDS:
            raise ValueError("total must be at most %d" % _TOTAL_MAX_SECONDS)
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._access_token = access_token
        self._timeout = timeout
        self._total = total
        self._retries = retries
        self._backoff = backoff
        self._transport = transport or http_transport()

    def _call(
        self,
        name: str,
        params: Dict[str, Any],
        body: Any = None,
        timeout: Optional[float] = None,
        idempotency_key: Optional[str] = None,
    ) -> Any:
        response = self._send(name, params, body, timeout, idempotency_key)
        content = read(response)
        assert isinstance(content, tuple)
        return content[0]

    def _stream(
        self, name: str, params: Dict[str, Any], timeout: Optional[float] = None
    ) -> Iterator[bytes]:
        response = self._send(name, params, None, timeout, None)
        return response.stream if response.stream is not None else iter([response.body])

    def _send(
        self,
        name: str,
        params: Dict[str, Any],
        body: Any,
        timeout: Optional[float],
        idempotency_key: Optional[str],
    ) -> Response:
        """Returns a response with a result, or raises a VigilError."""
        operation = OPERATIONS[name]
        end = time.monotonic() + self._total
        keyed, is_repeatable = with_key(operation, body)
        url = url_of(self._base_url, operation, params)
        # Written once, because the service recognizes a repeated batch by its bytes.
        data = None if keyed is None else json.dumps(keyed, allow_nan=False).encode()
        fixed = {"Accept": "text/csv" if operation.is_file else "application/json"}
        if data is not None:
            fixed["Content-Type"] = "application/json"
        if operation.has_idempotency_key:
            fixed["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        attempts = 0
        while True:
            attempts += 1
            left = max(end - time.monotonic(), 0.001)
            request = Request(
                operation.method,
                url,
                {**fixed, **self._credential(name, operation)},
                data,
                min(self._timeout if timeout is None else timeout, left),
                operation.is_file,
            )
            outcome = self._attempt(name, request)
            if isinstance(outcome, Response):
                return outcome
            pause = pause_before(
                outcome,
                repetition=attempts,
                is_repeatable=is_repeatable,
                left=end - time.monotonic(),
                retries=self._retries,
                backoff=self._backoff,
            )
            if pause is None:
                raise error_of(outcome, name, attempts)
            time.sleep(pause)

    def _attempt(self, name: str, request: Request) -> Union[Response, Failure]:
        try:
            response = self._transport(request)
        except NotSent as error:
            return Failure(None, False, "%s had no answer: %s" % (name, error))
        except (OSError, http.client.HTTPException) as error:
            reason = str(error) or type(error).__name__
            return Failure(None, True, "%s had no answer: %s" % (name, reason))
        if request.is_file and response.status == 200:
            return response
        outcome = read(response)
        return outcome if isinstance(outcome, Failure) else response

    def _credential(self, name: str, operation: Operation) -> Dict[str, str]:
        if operation.credential == "api_key":
            if self._api_key is None:
                raise ValueError("%s needs the argument api_key" % name)
            return {"X-API-Key": self._api_key}
        token = self._access_token
        if token is None:
            raise ValueError("%s needs the argument access_token" % name)
        return {"Authorization": "Bearer " + (token if isinstance(token, str) else token())}
