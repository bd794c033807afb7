"""Verifies deliveries of webhooks."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from typing import Any, Optional, Sequence, TypedDict


class WebhookEvent(TypedDict):
    # The same in every attempt: store it, and ignore an event that you have.
    id: str
    type: str
    timestamp: str
    data: Any


def verify_webhook(
    body: bytes,
    signature: Optional[str],
    secrets: Sequence[str],
    *,
    tolerance: float = 300,
    now: Optional[float] = None,
) -> Optional[WebhookEvent]:
    """Returns the event, or None if the request is not genuine: answer it with 401.

    :param body: as received, not parsed and serialized again
    :param signature: header X-Service-Signature
    :param secrets: of the endpoint, including `whsec_`; more than one while a new one is introduced
    :param tolerance: greatest difference between the clocks, in seconds
    :param now: Unix time in seconds
    """
    match = re.fullmatch(r"t=([0-9]{1,12}),v1=([0-9a-f]{64})", signature or "")
    now = time.time() if now is None else now
    if match is None or abs(now - int(match[1])) > tolerance:
        return None
    signed = match[1].encode() + b"." + body
    for secret in secrets:
        expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
        if hmac.compare_digest(expected, match[2]):
            event: WebhookEvent = json.loads(body)
            return event
    return None
