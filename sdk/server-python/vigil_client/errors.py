"""The error of every call that has no result."""

from __future__ import annotations

from typing import Any, Dict, Optional


class VigilError(Exception):
    """`status` is None if there was no response. `may_have_succeeded` says whether the service may have
    carried the request out. `index` is the first element without a result, in a helper for lists."""

    def __init__(
        self,
        message: str,
        *,
        operation: str,
        attempts: int,
        may_have_succeeded: bool,
        status: Optional[int] = None,
        code: Optional[str] = None,
        content: Optional[Dict[str, Any]] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.operation = operation
        self.attempts = attempts
        self.may_have_succeeded = may_have_succeeded
        self.status = status
        self.code = code
        self.content: Dict[str, Any] = content or {}
        self.index: Optional[int] = None

    @property
    def field(self) -> Optional[str]:
        """The field of the request that a 400 names."""
        return self.content.get("field")

    @property
    def retry_after(self) -> Optional[float]:
        """Seconds after which a 429 permits another request."""
        return self.content.get("retry_after")
