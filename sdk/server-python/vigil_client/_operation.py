"""How one operation of the API is sent, and when it may be sent again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple


@dataclass(frozen=True)
class Operation:
    method: str
    # From the base URL, with the names of variables in braces.
    path: str
    # "api_key" or "portal"
    credential: str
    # "always", "never" or "keyed": if the body has a value in `key_member`.
    repeat: str
    key_member: Optional[str] = None
    # The list of the body whose elements have the key.
    key_list: Optional[str] = None
    is_key_filled: bool = False
    query: Tuple[str, ...] = ()
    # The member of the content with the records of a page, empty if it is the content.
    records: Optional[str] = None
    has_idempotency_key: bool = False
    is_file: bool = False
