"""Tests against a started service, whose address and keys `npm run test:sdk-python` passes."""

import json
import os
import time
import unittest
import uuid

from vigil_client import (
    LogShipper,
    Vigil,
    VigilError,
    check_all,
    http_transport,
    records_of,
    send_logs,
    submit_orders,
)

ENVIRONMENT = json.loads(os.environ.get("VIGIL_TEST", "null"))


class Lossy:
    """Loses the first responses after the service has carried the requests out."""

    def __init__(self, count):
        self.count = count
        self.bodies = []
        self.transport = http_transport()

    def __call__(self, request):
        self.bodies.append(request.body)
        response = self.transport(request)
        if len(self.bodies) > self.count:
            return response
        raise ConnectionResetError("lost")


def client(**options):
    options = {
        "api_key": ENVIRONMENT["live_key"],
        "access_token": lambda: ENVIRONMENT["access_token"],
        "backoff": 0.001,
        **options,
    }
    return Vigil(ENVIRONMENT["base_url"], **options)


@unittest.skipIf(ENVIRONMENT is None, "needs a service: npm run test:sdk-python")
class Service(unittest.TestCase):
    def test_returns_the_content(self):
        vigil = client()
        result = vigil.create_check({"email": "ann@example.com"})
        self.assertEqual(vigil.get_check(id=result["check_id"]), result)

    def test_refuses_with_the_field(self):
        with self.assertRaises(VigilError) as raised:
            client().create_check({"phone": "0170 1234567"})
        error = raised.exception
        self.assertEqual((error.status, error.field, error.attempts), (400, "phone", 1))
        self.assertFalse(error.may_have_succeeded)
        with self.assertRaises(VigilError) as raised:
            client(api_key="sk_test_wrong").get_sandbox()
        self.assertEqual(raised.exception.status, 401)

    def test_stores_an_order_once_after_lost_responses(self):
        transport = Lossy(2)
        order = {"external_order_id": str(uuid.uuid4()), "amount_cents": 100}
        stored = client(transport=transport).create_order(order)
        self.assertEqual(len(transport.bodies), 3)
        self.assertEqual(client().create_order(order), stored)

    def test_repeats_an_action_only_with_its_time(self):
        action = {"cashier_external_id": "c-python", "action_type": "no_sale"}
        with self.assertRaises(VigilError) as raised:
            client(transport=Lossy(1)).create_cashier_action(action)
        self.assertTrue(raised.exception.may_have_succeeded)
        timed = {**action, "performed_at": "2026-03-01T12:00:00Z"}
        stored = client(transport=Lossy(1)).create_cashier_action(timed)
        self.assertEqual(client().create_cashier_action(timed)["action"], stored["action"])

    def test_scores_lists_in_order(self):
        checks = [{"email": "clean@example.com", "event_id": "p-%d" % n} for n in range(5)]
        checks[3] = {"phone": "wrong"}
        vigil = client(api_key=ENVIRONMENT["test_key"], transport=Lossy(1))
        results = [each["success"] for each in check_all(vigil, checks, batch_items=2)]
        self.assertEqual(results, [True, True, True, False, True])
        orders = ({"external_order_id": "p-%d" % n, "amount_cents": 1} for n in range(3))
        ids = [
            each["content"]["order"]["external_order_id"]
            for each in submit_orders(client(), orders, batch_items=2)
        ]
        self.assertEqual(ids, ["p-0", "p-1", "p-2"])

    def test_stores_logs_once_and_returns_all_pages(self):
        entries = [
            {
                "device_id": "" if n == 3 else "python",
                "level": "info",
                "message": "entry %d" % n,
                "timestamp": "2026-03-01T12:00:0%dZ" % n,
            }
            for n in range(5)
        ]
        receipt = send_logs(client(transport=Lossy(1)), entries, batch_items=2)
        self.assertEqual((receipt["received"], receipt["processed"]), (5, 4))
        self.assertEqual([error["index"] for error in receipt["errors"]], [3])
        shipper = LogShipper(client(), "python", flush_seconds=3600)
        try:
            raise ValueError("broken")
        except ValueError as error:
            shipper.log("error", "failed", error=error, data={"order": 1})
        self.assertTrue(shipper.close(60))
        for _ in range(600):
            found = list(
                records_of(
                    client(),
                    "list_edge_logs",
                    org_id=ENVIRONMENT["org_id"],
                    start_date="2026-01-01",
                    device_id="python",
                    limit=2,
                )
            )
            if len(found) >= 5:
                break
            time.sleep(0.1)
        self.assertEqual(len(found), 5)
        failed = [log for log in found if log["message"] == "failed"]
        self.assertEqual(failed[0]["error"]["type"], "ValueError")

    def test_streams_files(self):
        parts = client().export_mdm_fleet_inventory(org_id=ENVIRONMENT["org_id"])
        self.assertTrue(b"".join(parts).startswith(b"id,"))


if __name__ == "__main__":
    unittest.main()
