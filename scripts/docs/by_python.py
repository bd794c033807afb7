"""Carries out calls with the Python client: reads each as a line of JSON, and writes what was sent, answered
and returned as a line of JSON. Started by scripts/docs/by-python.ts with the base URL."""

import json
import sys
import traceback
from collections.abc import Iterator

from vigil_client import Response, Vigil, VigilError, http_transport


class Recorder:
    """A transport that keeps the request and the response."""

    def __init__(self, drops_event_ids):
        self.drops_event_ids = drops_event_ids
        self.send = http_transport()
        self.seen = []

    def __call__(self, request):
        if self.drops_event_ids and request.body is not None:
            request.body = without_event_ids(request.body)
        response = self.send(request)
        if response.stream is not None:
            body = b"".join(response.stream)
            response = Response(response.status, body, response.headers, iter([body]))
        body = (request.body or b"").decode()
        self.seen.append(
            {
                "sent": {"method": request.method, "url": request.url, "body": body},
                "answer": {"status": response.status, "text": response.body.decode()},
            }
        )
        return response


def without_event_ids(body):
    """Without `event_id` of a check and of the checks of a list."""
    value = json.loads(body)
    for each in [value, *value.get("checks", [])]:
        each.pop("event_id", None)
    return json.dumps(value).encode()


def carry_out(base_url, call):
    transport = Recorder(call["drops_event_ids"])
    vigil = Vigil(
        base_url,
        api_key=call["api_key"],
        access_token=call["access_token"],
        retries=0,
        transport=transport,
    )
    arguments = dict(call["params"])
    if "idempotency_key" in call:
        arguments["idempotency_key"] = call["idempotency_key"]
    body = [call["body"]] if "body" in call else []
    try:
        returned = getattr(vigil, call["method"])(*body, **arguments)
        if isinstance(returned, Iterator):
            returned = b"".join(returned).decode()
        result = {"returned": returned}
    except VigilError as error:
        result = {"error": {"status": error.status, "message": error.message}}
    (seen,) = transport.seen
    return {**seen, "result": result}


for line in sys.stdin:
    try:
        outcome = carry_out(sys.argv[1], json.loads(line))
    except Exception:
        outcome = {"fault": traceback.format_exc()}
    print(json.dumps(outcome), flush=True)
