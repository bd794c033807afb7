"""Decides whether a request is repeatable, and whether and when it is sent again."""

from __future__ import annotations

import json
import random
import uuid
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple, Union
from urllib.parse import quote, urlencode

from ._operation import Operation
from .errors import VigilError
from .transport import Response

BACKOFF_MAX_SECONDS = 8.0


@dataclass
class Failure:
    """An attempt without a result."""

    # None without a response.
    status: Optional[int]
    was_sent: bool
    message: str
    # A response that is not from Vigil, such as the page of a proxy.
    is_foreign: bool = False
    code: Optional[str] = None
    content: Optional[Dict[str, Any]] = None
    retry_after: float = 0

    @property
    def may_have_succeeded(self) -> bool:
        if self.status is None:
            return self.was_sent
        if self.is_foreign:
            return not (300 <= self.status < 500 and self.status != 408)
        return self.status >= 500

    @property
    def is_worthwhile(self) -> bool:
        """Whether another attempt could have a result."""
        if self.status is None or (self.is_foreign and self.status < 300):
            return True
        return self.status in (408, 429) or self.status >= 500


def with_key(operation: Operation, body: Any) -> Tuple[Any, bool]:
    """Fills in the keys that make a request repeatable. Returns the body and whether it is repeatable."""
    member = operation.key_member
    if operation.repeat != "keyed" or member is None:
        return body, operation.repeat == "always"

    def has_key(value: Any) -> bool:
        return isinstance(value, dict) and value.get(member) is not None

    def filled(value: Any) -> Any:
        if operation.is_key_filled and isinstance(value, dict) and not has_key(value):
            return {**value, member: str(uuid.uuid4())}
        return value

    if operation.key_list is None:
        keyed = filled(body)
        return keyed, has_key(keyed)
    elements = body.get(operation.key_list) if isinstance(body, dict) else None
    if not isinstance(elements, list):
        return body, False
    keyed_elements = [filled(element) for element in elements]
    return {**body, operation.key_list: keyed_elements}, all(map(has_key, keyed_elements))


def url_of(base: str, operation: Operation, params: Dict[str, Any]) -> str:
    path = operation.path
    for name, value in params.items():
        if "{" + name + "}" not in path:
            continue
        if not isinstance(value, str) or value == "" or value in (".", ".."):
            raise ValueError("%s must be a text that is not empty, . or .." % name)
        path = path.replace("{" + name + "}", quote(value, safe=""))
    query = [(name, params[name]) for name in operation.query if params.get(name) is not None]
    return base + path + ("?" + urlencode(query) if query else "")


def read(response: Response) -> Union[Failure, Tuple[Any]]:
    """Returns the content in a tuple, because it can be null."""
    envelope = _envelope(response.body)
    if response.status == 200 and envelope and envelope["success"]:
        return (envelope.get("content"),)
    header = response.headers.get("retry-after", "")
    retry_after = float(header) if header.isdecimal() and len(header) < 10 else 0.0
    if envelope is None or envelope["success"]:
        message = "The answer with status %d is not from Vigil. Check base_url and proxies"
        return Failure(
            response.status, True, message % response.status, True, retry_after=retry_after
        )
    content = envelope.get("content")
    content = content if isinstance(content, dict) else {}
    requested = content.get("retry_after")
    if isinstance(requested, (int, float)):
        retry_after = max(retry_after, requested)
    return Failure(
        response.status,
        True,
        envelope["message"],
        code=envelope.get("code"),
        content=content,
        retry_after=retry_after,
    )


def _envelope(body: bytes) -> Optional[Dict[str, Any]]:
    try:
        value = json.loads(body)
    except ValueError:
        return None
    is_envelope = (
        isinstance(value, dict)
        and isinstance(value.get("success"), bool)
        and isinstance(value.get("message"), str)
    )
    return value if is_envelope else None


def pause_before(
    failure: Failure,
    *,
    repetition: int,
    is_repeatable: bool,
    left: float,
    retries: int,
    backoff: float,
) -> Optional[float]:
    """Returns seconds to wait, or None if the failure is final.

    :param repetition: 1 for the first one
    :param left: seconds until the deadline of the call
    """
    if repetition > retries or not failure.is_worthwhile:
        return None
    if failure.may_have_succeeded and not is_repeatable:
        return None
    planned = min(backoff * 2 ** (repetition - 1), BACKOFF_MAX_SECONDS)
    # Half of the pause is random, so that clients that failed together do not return together.
    pause = max(planned * random.uniform(0.5, 1), failure.retry_after)
    return pause if pause < left else None


def error_of(failure: Failure, operation: str, attempts: int) -> VigilError:
    return VigilError(
        failure.message,
        operation=operation,
        attempts=attempts,
        may_have_succeeded=failure.may_have_succeeded,
        status=failure.status,
        code=failure.code,
        content=failure.content,
    )
