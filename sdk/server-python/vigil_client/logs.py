"""Collects log entries in memory and sends them in batches, in order and one batch at a time. What has
not been sent when the process ends is lost."""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
import traceback
from collections import deque
from datetime import datetime, timezone
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple

from ._operations import BATCHES
from .client import Vigil
from .errors import VigilError

_MESSAGE_CHARS_MAX = 32_000
_DATA_BYTES_MAX = 32_000
_NAME_CHARS_MAX = 256
_ERROR_NAME_CHARS_MAX = 512
_TAGS_MAX = 100
_BATCH_BYTES_MAX = 1_000_000
_LEVELS = ("debug", "info", "warn", "error", "fatal")


def _report(message: str) -> None:
    print("vigil: " + message, file=sys.stderr)


class LogShipper:
    """Can be used by several threads; one more thread sends. Times are in seconds.

    :param device_id: the device that the entries belong to, such as the host name
    :param flush_seconds: time for which entries are collected before they are sent
    :param entries_max: greatest number of entries that wait; newer ones are dropped and counted
    :param bytes_max: greatest size of the entries that wait, as JSON
    :param pause: pause after a batch that could not be sent, at first and at most
    :param report: called with a message for the operator when sending fails or an entry is lost
    """

    def __init__(
        self,
        vigil: Vigil,
        device_id: str,
        *,
        flush_seconds: float = 1,
        entries_max: int = 50_000,
        bytes_max: int = 32 * 1024 * 1024,
        pause: Tuple[float, float] = (1, 60),
        report: Callable[[str], None] = _report,
    ) -> None:
        self._vigil = vigil
        self._device_id = device_id
        self._flush_seconds = flush_seconds
        self._entries_max = entries_max
        self._bytes_max = bytes_max
        self._pauses = pause
        self._report = report
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._waiting: Deque[Tuple[Dict[str, Any], int]] = deque()
        self._waiting_bytes = 0
        self._sequence = 0
        # The batch that failed: it is sent again unchanged, so that it is stored once.
        self._open: List[Dict[str, Any]] = []
        self._pause = 0.0
        self._sent = self._dropped = self._rejected = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="vigil-logs", daemon=True)
        self._thread.start()

    def log(self, level: str, message: Any, **fields: Any) -> None:
        """Never raises, and never waits for the network.

        :param fields: `error` (an exception), `data`, `category`, `environment`, `tags`, `trace_id`,
            `span_id`
        """
        try:
            with self._lock:
                self._sequence += 1
                entry = log_entry(self._device_id, level, message, fields, time.time(), self._sequence)
                size = len(json.dumps(entry).encode())
                is_full = len(self._waiting) >= self._entries_max
                if is_full or self._waiting_bytes + size > self._bytes_max:
                    is_first = self._dropped == 0
                    self._dropped += 1
                else:
                    is_first = False
                    self._waiting.append((entry, size))
                    self._waiting_bytes += size
            if is_first:
                self._report("Log entries are dropped, because too many wait")
        except Exception as error:  # A log must not break the program that writes it.
            self._report("A log entry could not be written: %s" % type(error).__name__)

    def flush(self) -> bool:
        """Sends what waits. Returns whether everything has arrived."""
        with self._sending:
            while True:
                batch = self._open or self._next()
                if not batch:
                    return True
                self._open = batch
                if not self._send(batch):
                    return False
                with self._lock:
                    for _ in batch:
                        self._waiting_bytes -= self._waiting.popleft()[1]
                self._open = []

    def close(self, timeout: float = 5) -> bool:
        """Sends what waits, for at most this time, and stops. Returns whether everything has arrived."""
        self._stop.set()
        # The same thread sends the rest, because Python 3.12 starts no thread while a program ends.
        self._thread.join(timeout)
        return self.stats()["waiting"] == 0

    def stats(self) -> Dict[str, int]:
        with self._lock:
            return {
                "waiting": len(self._waiting),
                "sent": self._sent,
                "dropped": self._dropped,
                "rejected": self._rejected,
            }

    def _run(self) -> None:
        while not self._stop.wait(max(self._flush_seconds, self._pause)):
            self.flush()
        self.flush()

    def _next(self) -> List[Dict[str, Any]]:
        items_max = BATCHES["send_edge_logs"][0]
        batch: List[Dict[str, Any]] = []
        size = 0
        with self._lock:
            for entry, entry_size in self._waiting:
                if len(batch) == items_max or (batch and size + entry_size > _BATCH_BYTES_MAX):
                    break
                batch.append(entry)
                size += entry_size
        return batch

    def _send(self, batch: List[Dict[str, Any]]) -> bool:
        """Returns whether the batch is settled."""
        try:
            receipt = self._vigil.send_edge_logs({"logs": batch})  # type: ignore[typeddict-item]
        except VigilError as error:
            if error.status == 400:
                self._rejected += len(batch)
                self._report("%d log entries were rejected: %s" % (len(batch), error))
                return True
            self._pause = min(self._pause * 2 or self._pauses[0], self._pauses[1])
            self._report("Log entries could not be sent and wait: %s" % error)
            return False
        self._sent += receipt["processed"]
        self._rejected += receipt["received"] - receipt["processed"]
        for rejected in receipt.get("errors", [])[:1]:
            self._report("Log entries were rejected: %(field)s %(reason)s" % rejected)
        self._pause = 0.0
        return True


class VigilHandler(logging.Handler):
    """Sends the records of the module `logging`: `logging.getLogger().addHandler(VigilHandler(shipper))`."""

    def __init__(self, shipper: LogShipper, level: int = logging.NOTSET) -> None:
        super().__init__(level)
        self._shipper = shipper

    def emit(self, record: logging.LogRecord) -> None:
        try:
            error = record.exc_info[1] if record.exc_info else None
            self._shipper.log(
                _level_of(record.levelno), record.getMessage(), category=record.name, error=error
            )
        except Exception:
            self.handleError(record)


def _level_of(number: int) -> str:
    bounds = (logging.CRITICAL, "fatal"), (logging.ERROR, "error"), (logging.WARNING, "warn")
    for bound, level in bounds:
        if number >= bound:
            return level
    return "info" if number >= logging.INFO else "debug"


def log_entry(
    device_id: str,
    level: str,
    message: Any,
    fields: Dict[str, Any],
    now: float,
    sequence: int,
) -> Dict[str, Any]:
    """An entry within the limits of the service. The digits of the microseconds are a sequence, so that
    two batches never have the same bytes."""
    moment = datetime.fromtimestamp(now, timezone.utc)
    time_text = moment.strftime("%Y-%m-%dT%H:%M:%S") + ".%03d%03dZ" % (
        moment.microsecond // 1000,
        sequence % 1000,
    )
    entry: Dict[str, Any] = {
        "device_id": device_id,
        "level": level if level in _LEVELS else "info",
        "message": _text(message)[:_MESSAGE_CHARS_MAX],
        "timestamp": time_text,
    }
    for name in ("category", "environment", "trace_id", "span_id"):
        if fields.get(name) is not None:
            entry[name] = _text(fields[name])[:_NAME_CHARS_MAX]
    if fields.get("error") is not None:
        entry["error"] = _error(fields["error"])
    if fields.get("data") is not None:
        entry["data"] = _data(fields["data"])
    if fields.get("tags") is not None:
        entry["tags"] = [_text(tag)[:_NAME_CHARS_MAX] for tag in list(fields["tags"])[:_TAGS_MAX]]
    return entry


def _error(error: Any) -> Dict[str, str]:
    if not isinstance(error, BaseException):
        return {"type": _text(error)[:_ERROR_NAME_CHARS_MAX]}
    stack = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return {
        "type": type(error).__name__[:_ERROR_NAME_CHARS_MAX],
        "stack": _text(stack)[-_MESSAGE_CHARS_MAX:],
    }


def _data(data: Any) -> Dict[str, Any]:
    """Data that is too large or is not JSON is replaced, because the rest of the entry is useful."""
    try:
        size = len(json.dumps(data, allow_nan=False).encode())
    except (TypeError, ValueError, RecursionError):
        return {"left_out": "not possible as JSON"}
    if size > _DATA_BYTES_MAX:
        return {"left_out": "%d bytes are more than %d" % (size, _DATA_BYTES_MAX)}
    return dict(data) if isinstance(data, dict) else {"value": data}


def _text(value: Any) -> str:
    """NUL and unpaired surrogates cannot be stored."""
    text = value if isinstance(value, str) else str(value)
    return text.replace("\0", "").encode("utf-8", "replace").decode()
