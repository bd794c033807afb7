"""Tests that need no service: `python3 -m unittest discover -s tests` in the folder above."""

import ast
import json
import pathlib
import typing
import unittest
import unittest.mock

from vigil_client import LogShipper, Vigil, VigilError, records_of, verify_webhook
from vigil_client import _types
from vigil_client._call import Failure, pause_before, with_key
from vigil_client._operations import OPERATIONS, Operations
from vigil_client.batches import batches_of
from vigil_client.logs import log_entry
from vigil_client.transport import NotSent, Request, Response

SECRET = "whsec_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9"
# The delivery of docs/webhooks.md.
BODY = (
    b'{"id":"0198c3a2-9c44-7f00-a1b2-c3d4e5f60718","type":"order.fraud.detected",'
    b'"timestamp":"2026-03-01T12:00:00.000Z","data":{}}'
)
SIGNATURE = "t=1772366400,v1=e38064be3054d1816efb64e2a48d8d807ae0f86155a2d2f00052fb8f9d08ed6d"


def answer(content, status=200):
    envelope = {"success": status == 200, "message": "m", "content": content}
    return Response(status, json.dumps(envelope).encode())


class Scripted:
    """Returns the responses in turn, or raises them, and records the requests."""

    def __init__(self, *responses):
        self.responses = list(responses)
        self.requests = []

    def __call__(self, request: Request) -> Response:
        self.requests.append(request)
        response = self.responses.pop(0)
        if isinstance(response, Exception):
            raise response
        return response


def client(*responses, **options):
    transport = Scripted(*responses)
    options = {"api_key": "k", "access_token": "t", "backoff": 0, **options}
    return Vigil("https://vigil.example/v1/", transport=transport, **options), transport


class Repetitions(unittest.TestCase):
    def pause(self, failure, is_repeatable, left=60):
        return pause_before(
            failure, repetition=1, is_repeatable=is_repeatable, left=left, retries=4, backoff=0
        )

    def test_are_those_that_are_safe(self):
        cases = [
            (Failure(429, True, "", retry_after=3), 3, 3),
            (Failure(None, False, ""), 0, 0),
            (Failure(None, True, ""), 0, None),
            (Failure(500, True, ""), 0, None),
            (Failure(200, True, "", is_foreign=True), 0, None),
            (Failure(400, True, ""), None, None),
            (Failure(401, True, ""), None, None),
        ]
        for failure, repeatable, other in cases:
            self.assertEqual(self.pause(failure, True), repeatable, failure)
            self.assertEqual(self.pause(failure, False), other, failure)
        self.assertIsNone(self.pause(Failure(429, True, "", retry_after=3), True, left=2))

    def test_have_the_same_bytes_and_key(self):
        vigil, transport = client(ConnectionResetError(), answer({}, 500), answer({"n": 1}))
        self.assertEqual(vigil.create_check({"email": "a@example.com"}), {"n": 1})
        bodies = {request.body for request in transport.requests}
        self.assertEqual(len(transport.requests), 3)
        self.assertEqual(len(bodies), 1)
        self.assertIn(b"event_id", bodies.pop())

    def test_of_other_requests_end_with_an_error(self):
        vigil, transport = client(ConnectionResetError())
        with self.assertRaises(VigilError) as raised:
            vigil.roll_webhook_secret({"org_id": "o"}, id="w")
        self.assertTrue(raised.exception.may_have_succeeded)
        self.assertEqual(len(transport.requests), 1)
        vigil, transport = client(NotSent("refused"), answer({}))
        vigil.roll_webhook_secret({"org_id": "o"}, id="w")
        self.assertEqual(len(transport.requests), 2)

    def test_are_limited(self):
        vigil, transport = client(*[ConnectionResetError()] * 3, retries=2)
        with self.assertRaises(VigilError):
            vigil.get_sandbox()
        self.assertEqual(len(transport.requests), 3)

    def test_depend_on_the_key_of_each_element(self):
        operation = OPERATIONS["create_checks"]
        body, is_repeatable = with_key(operation, {"checks": [{"email": "a"}, {"event_id": "mine"}]})
        self.assertTrue(is_repeatable)
        self.assertEqual(body["checks"][1], {"event_id": "mine"})
        self.assertFalse(with_key(operation, {"checks": ["text"]})[1])


class Calls(unittest.TestCase):
    def test_have_their_credential_path_and_query(self):
        vigil, transport = client(answer([]), answer({}))
        vigil.list_edge_errors(org_id="o", level="error,fatal", limit=5)
        vigil.get_check(id="a/b")
        first, second = transport.requests
        self.assertEqual(
            first.url, "https://vigil.example/v1/edge/errors?org_id=o&level=error%2Cfatal&limit=5"
        )
        self.assertEqual(first.headers["Authorization"], "Bearer t")
        self.assertEqual(second.url, "https://vigil.example/v1/check/a%2Fb")
        self.assertEqual(second.headers["X-API-Key"], "k")

    def test_with_an_id_that_changes_the_path_are_refused(self):
        vigil, _ = client()
        for wrong in ("", ".", ".."):
            with self.assertRaises(ValueError):
                vigil.get_check(id=wrong)

    def test_say_that_an_answer_is_not_from_vigil(self):
        vigil, _ = client(Response(200, b"<html>"), retries=0)
        with self.assertRaisesRegex(VigilError, "not from Vigil"):
            vigil.get_sandbox()

    def test_name_the_field_of_a_refusal(self):
        vigil, _ = client(answer({"field": "phone"}, 400))
        with self.assertRaises(VigilError) as raised:
            vigil.create_check({"phone": "1"})
        self.assertEqual((raised.exception.field, raised.exception.status), ("phone", 400))

    def test_need_options_that_can_work(self):
        for wrong in ({}, {"api_key": "k", "total": 900}):
            with self.assertRaises(ValueError):
                Vigil("https://vigil.example/v1", **wrong)
        with self.assertRaises(ValueError):
            Vigil("vigil.example/v1", api_key="k")


class Lists(unittest.TestCase):
    def test_are_split_in_order_within_their_limits(self):
        source = ["x" * length for length in (900, 10, 2000, 10, 10, 10)]
        parts = list(batches_of(source, 2, 1100))
        self.assertEqual([item for _, items in parts for item in items], source)
        self.assertEqual([start for start, _ in parts], [0, 1, 2, 3, 5])

    def test_with_pages_return_each_record_once(self):
        pages = [["c", "b"], ["b", "a"], ["a"]]
        vigil, transport = client(
            *(
                answer({"logs": [{"id": id} for id in ids], "pagination": {"pages": 3}})
                for ids in pages
            )
        )
        found = [item["id"] for item in records_of(vigil, "list_edge_logs", org_id="o")]
        self.assertEqual(found, ["c", "b", "a"])
        self.assertEqual(len(transport.requests), 3)


class Webhooks(unittest.TestCase):
    def test_are_genuine_with_one_of_the_secrets(self):
        event = verify_webhook(BODY, SIGNATURE, ["whsec_new", SECRET], now=1772366400)
        assert event is not None
        self.assertEqual(event["type"], "order.fraud.detected")

    def test_are_refused_otherwise(self):
        cases = [
            (BODY + b" ", SIGNATURE, [SECRET], 1772366400),
            (BODY, SIGNATURE, ["whsec_other"], 1772366400),
            (BODY, SIGNATURE, [], 1772366400),
            (BODY, None, [SECRET], 1772366400),
            (BODY, SIGNATURE.upper(), [SECRET], 1772366400),
            (BODY, SIGNATURE, [SECRET], 1772366400 + 301),
            (BODY, SIGNATURE, [SECRET], 1772366400 - 301),
        ]
        for body, signature, secrets, now in cases:
            self.assertIsNone(verify_webhook(body, signature, secrets, now=now))


class Logs(unittest.TestCase):
    def test_are_json_within_the_limits(self):
        fields = {"error": ValueError("x" * 99_999), "data": {"big": object()}, "tags": ["a"] * 200}
        entry = log_entry("d", "loud", "a\0\ud800" + "b" * 99_999, fields, 1772366400.25, 1007)
        self.assertLess(len(json.dumps(entry)), 200_000)
        self.assertEqual(entry["timestamp"], "2026-03-01T12:00:00.250007Z")
        self.assertEqual(entry["data"], {"left_out": "not possible as JSON"})
        self.assertEqual(entry["error"]["type"], "ValueError")
        self.assertNotIn("\0", entry["message"])

    def test_wait_unchanged_while_they_cannot_be_sent(self):
        receipt = answer({"received": 2, "processed": 2})
        vigil, transport = client(
            ConnectionResetError(), receipt, answer({"received": 1, "processed": 1}), retries=0
        )
        reports = []
        shipper = LogShipper(vigil, "d", flush_seconds=3600, entries_max=3, report=reports.append)
        shipper.log("info", "one")
        shipper.log("info", "two")
        self.assertFalse(shipper.flush())
        shipper.log("info", "three")
        shipper.log("info", "four")
        self.assertTrue(shipper.close(60))
        bodies = [request.body for request in transport.requests]
        self.assertEqual(bodies[0], bodies[1])
        self.assertEqual(
            shipper.stats(), {"waiting": 0, "sent": 3, "dropped": 1, "rejected": 0}
        )
        self.assertEqual(len(reports), 2)

    def test_closes_without_another_thread(self):
        receipt = answer({"received": 1, "processed": 1})
        vigil, transport = client(receipt)
        shipper = LogShipper(vigil, "d", flush_seconds=3600)
        shipper.log("info", "one")
        refused = RuntimeError("can't create new thread at interpreter shutdown")
        with unittest.mock.patch("threading.Thread.start", side_effect=refused):
            self.assertTrue(shipper.close(60))
        self.assertEqual(len(transport.requests), 1)


class Sources(unittest.TestCase):
    def test_are_python_3_9(self):
        folder = pathlib.Path(__file__).parent.parent / "vigil_client"
        files = sorted(folder.glob("*.py"))
        self.assertGreater(len(files), 5)
        for file in files:
            ast.parse(file.read_text(), feature_version=(3, 9))

    def test_name_only_types_that_exist(self):
        classes = [value for value in vars(_types).values() if isinstance(value, type)]
        methods = [getattr(Operations, name) for name in OPERATIONS]
        self.assertGreater(len(classes), 100)
        for each in [*classes, *methods]:
            typing.get_type_hints(each)


if __name__ == "__main__":
    unittest.main()
