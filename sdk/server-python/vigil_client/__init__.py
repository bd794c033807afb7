"""Client of the Vigil API for servers. README.md has the first steps."""

from ._operations import API_VERSION
from .batches import check_all, send_logs, submit_orders
from .client import AccessToken, Vigil
from .errors import VigilError
from .logs import LogShipper, VigilHandler
from .pages import records_of
from .transport import NotSent, Request, Response, Transport, http_transport
from .webhooks import WebhookEvent, verify_webhook

__version__ = "0.1.0"

__all__ = [
    "API_VERSION",
    "AccessToken",
    "LogShipper",
    "NotSent",
    "Request",
    "Response",
    "Transport",
    "Vigil",
    "VigilError",
    "VigilHandler",
    "WebhookEvent",
    "check_all",
    "http_transport",
    "records_of",
    "send_logs",
    "submit_orders",
    "verify_webhook",
]
