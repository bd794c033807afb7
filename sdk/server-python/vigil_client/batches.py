"""Sends lists of any length in requests of the permitted size, one after the other and in order."""

from __future__ import annotations

import json
from typing import Any, Callable, Iterable, Iterator, List, Optional, Tuple, TypeVar

from . import _types as t
from ._operations import BATCHES
from .client import Vigil
from .errors import VigilError

T = TypeVar("T")
R = TypeVar("R")

# Bytes of the object around the list, and bytes that a filled-in event_id adds to an element.
_MARGIN_BYTES = 64


def check_all(
    vigil: Vigil, checks: Iterable[t.CheckRequest], *, batch_items: Optional[int] = None
) -> Iterator[Any]:
    """Checks each element and yields the envelope of each, in order: `success`, and `content` or
    `message`. The next request is sent when its results are read, so a source may be endless.

    :raises VigilError: with `index` when a whole request fails; the elements before it have results
    """
    for start, items in batches_of(checks, *_limits("create_checks", batch_items)):
        yield from _at(start, lambda: vigil.create_checks({"checks": items}))


def submit_orders(
    vigil: Vigil, orders: Iterable[t.OrderRequest], *, batch_items: Optional[int] = None
) -> Iterator[Any]:
    """Submits orders, like `check_all`. Orders are scored in this order."""
    for start, items in batches_of(orders, *_limits("create_orders", batch_items)):
        yield from _at(start, lambda: vigil.create_orders({"orders": items}))


def send_logs(
    vigil: Vigil, entries: Iterable[Any], *, batch_items: Optional[int] = None
) -> t.SendEdgeLogsContent:
    """Sends log entries. Put a `timestamp` into each: identical entries without one count once in 15
    minutes. Returns the sums; `errors` has the index in the whole list."""
    received, processed = 0, 0
    errors: List[t.SendEdgeLogsContentErrorsItem] = []
    for start, items in batches_of(entries, *_limits("send_edge_logs", batch_items)):
        receipt = _at(start, lambda: vigil.send_edge_logs({"logs": items}))
        received += receipt["received"]
        processed += receipt["processed"]
        for error in receipt.get("errors", []):
            errors.append({**error, "index": error["index"] + start})
    return {"received": received, "processed": processed, "errors": errors}


def _limits(name: str, batch_items: Optional[int]) -> Tuple[int, int]:
    items_max, bytes_max = BATCHES[name]
    if batch_items is None:
        return items_max, bytes_max
    if not 1 <= batch_items <= items_max:
        raise ValueError("batch_items must be from 1 to %d" % items_max)
    return batch_items, bytes_max


def batches_of(
    source: Iterable[T], items_max: int, bytes_max: int
) -> Iterator[Tuple[int, List[T]]]:
    """Splits a list. An element that is too large for any request is the only one of its batch, and the
    service names its fault."""
    start, size, items = 0, _MARGIN_BYTES, []  # type: int, int, List[T]
    for item in source:
        item_size = len(json.dumps(item).encode()) + _MARGIN_BYTES
        if len(items) == items_max or (items and size + item_size > bytes_max):
            yield start, items
            start, size, items = start + len(items), _MARGIN_BYTES, []
        items.append(item)
        size += item_size
    if items:
        yield start, items


def _at(start: int, send: Callable[[], R]) -> R:
    try:
        return send()
    except VigilError as error:
        error.index = start
        raise
