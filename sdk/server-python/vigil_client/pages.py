"""Reads lists with pages as one sequence."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, Set

from ._operations import OPERATIONS
from .client import Vigil


def records_of(vigil: Vigil, name: str, **params: Any) -> Iterator[Dict[str, Any]]:
    """Requests the pages of a list one after the other and yields their records. A record that moves to
    the next page, because newer ones arrive while the list is read, is returned once.

    :param name: an operation with pages, such as `list_edge_logs`
    :param params: those of the operation; `page` is the first page, 1 by default
    """
    operation = OPERATIONS[name]
    if operation.records is None:
        raise ValueError("%s has no pages" % name)
    page = params.pop("page", 1)
    before: Set[str] = set()
    while True:
        content = getattr(vigil, name)(page=page, **params)
        items = content if isinstance(content, list) else content[operation.records]
        yield from (item for item in items if _identity(item) not in before)
        is_last = isinstance(content, dict) and page >= content["pagination"]["pages"]
        if not items or is_last:
            return
        before = {_identity(item) for item in items}
        page += 1


def _identity(item: Dict[str, Any]) -> str:
    """Records have an `id`, devices and groups of errors other names for it."""
    for name in ("id", "device_id", "fingerprint"):
        if item.get(name) is not None:
            return str(item[name])
    return json.dumps(item)
