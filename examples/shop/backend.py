"""The backend of the sample shop in Python, with the same routes and settings as backend.ts."""

import json
import os
import signal
import ssl
import sys
import threading
import uuid
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# In a project of your own, install vigil_client instead.
sys.path.insert(0, "sdk/server-python")
from vigil_client import LogShipper, Vigil, verify_webhook  # noqa: E402

CITIES = {
    "Berlin": {"location_country": "Germany", "location_latitude": 52.52, "location_longitude": 13.4},
    "Tokyo": {"location_country": "Japan", "location_latitude": 35.68, "location_longitude": 139.69},
}
FILES = {
    "/vigil-rum.js": "dist/sdk/browser/vigil-rum.js",
    "/vigil-device.mjs": "dist/sdk/device-js/vigil-device.mjs",
    "/vigil-device-signals.mjs": "dist/sdk/device-js/vigil-device-signals.mjs",
}
PRICE_CENTS = 4990
# The checkout must not wait for another service any longer.
DEADLINE_SECONDS = 5
BODY_BYTES_MAX = 1_000_000

URL = os.environ["VIGIL_URL"]
APPLICATION_ID = os.environ["VIGIL_APPLICATION_ID"]
vigil = Vigil(f"{URL}/v1", api_key=os.environ["VIGIL_SECRET_KEY"], total=DEADLINE_SECONDS)
logs = LogShipper(vigil, "shop-backend")
# By the value of the session cookie.
sessions = {}
customers = {}
seen_events = set()
# Requests run in threads of their own.
lock = threading.Lock()


def sign_up(body):
    request = {"email": body.get("email", ""), "event_type": "signup"}
    if body.get("device"):
        request["device"] = {"signed_report": body["device"]}
    check = vigil.create_check(request)
    level = check["risk_level"]
    logs.log("info", f"Sign-up with risk {level}", data={"check_id": check["check_id"]})
    if level == "critical":
        return 403, {"risk_level": level}, None
    customer = {
        "id": str(uuid.uuid4()),
        "email": request["email"],
        "device": body.get("fingerprint_hash"),
        "orders": [],
    }
    customers[customer["id"]] = customer
    return 200, {"risk_level": level}, start_session(customer)


def sign_in(body):
    """The app on the phone. A real shop requires a password here."""
    found = [each for each in list(customers.values()) if each["email"] == body.get("email")]
    if not found:
        return 404, {}, None
    return 200, {"id": found[0]["id"]}, start_session(found[0])


def start_session(customer):
    session = str(uuid.uuid4())
    sessions[session] = customer
    return session


def place_order(customer, body):
    with lock:
        # Otherwise a harmless order could lower the risk of the customer and release the one that waits.
        if any(order["state"] == "waiting" for order in customer["orders"]):
            return 409, {}, None
        placed = {"id": f"order-{uuid.uuid4()}", "state": "waiting"}
        customer["orders"].append(placed)
    request = {
        "external_order_id": placed["id"],
        "external_id": customer["id"],
        "amount_cents": PRICE_CENTS,
        "currency": "EUR",
        "payment_method": "card",
        **CITIES.get(body.get("city"), {}),
    }
    if customer["device"]:
        request["fingerprint_hash"] = customer["device"]
    if vigil.create_order(request)["risk"]["flagged_for_review"]:
        logs.log("warn", f"Order {placed['id']} waits for a review", category="orders")
    else:
        placed["state"] = "accepted"
    return 200, placed, None


def receive(event):
    """A decision that an order is legitimate lowers the risk of its customer, which releases what waits."""
    with lock:
        if event["id"] in seen_events:
            return
        seen_events.add(event["id"])
    logs.log("info", f"Webhook {event['type']}", category="webhooks")
    if event["type"] != "profile.risk.changed":
        return
    profile = event["data"]["profile"]
    customer = customers.get(profile["external_id"])
    if customer is None or profile["risk_level"] in ("high", "critical"):
        return
    for order in [each for each in customer["orders"] if each["state"] == "waiting"]:
        order["state"] = "released"
        vigil.send_push_message(
            {
                "application_id": APPLICATION_ID,
                "external_user_ids": [customer["id"]],
                "title": "Your order is on its way",
                "body": order["id"],
            }
        )


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def body(self):
        length = int(self.headers.get("Content-Length", 0))
        if length > BODY_BYTES_MAX:
            raise ValueError("Too large")
        return self.rfile.read(length)

    def answer(self, status, content=b"", content_type="application/json", session=None):
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(content)))
        if session:
            self.send_header("Set-Cookie", f"session={session}; HttpOnly; SameSite=Strict")
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self):
        self.respond()

    def do_POST(self):
        self.respond()

    def respond(self):
        try:
            self.handle_request()
        except Exception as error:
            logs.log("error", "A request failed", error=error)
            self.answer(500, b"{}")


class Shop(Handler):
    def handle_request(self):
        if self.path == "/":
            with open("examples/shop/page.html", encoding="utf-8") as file:
                page = file.read().replace("{{url}}", URL)
            page = page.replace("{{public_key}}", os.environ["VIGIL_PUBLIC_KEY"])
            return self.answer(200, page.encode(), "text/html")
        if self.path in FILES:
            with open(FILES[self.path], "rb") as file:
                return self.answer(200, file.read(), "text/javascript")
        status, content, session = self.route(json.loads(self.body() or b"{}"))
        self.answer(status, json.dumps(content).encode(), session=session)

    def route(self, body):
        path = f"{self.command} {self.path}"
        if path == "POST /sign-up":
            return sign_up(body)
        if path == "POST /sign-in":
            return sign_in(body)
        cookie = SimpleCookie(self.headers.get("Cookie", "")).get("session")
        customer = sessions.get(cookie.value) if cookie else None
        if customer is None:
            return 401, {}, None
        if path == "POST /orders":
            return place_order(customer, body)
        if path == "GET /orders":
            return 200, customer["orders"], None
        if path != "POST /push-identity":
            return 404, {}, None
        request = {"application_id": APPLICATION_ID, "external_user_id": customer["id"]}
        return 200, vigil.create_push_identity_token(request), None


class Hooks(Handler):
    def handle_request(self):
        secrets = [os.environ["VIGIL_WEBHOOK_SECRET"]]
        event = verify_webhook(self.body(), self.headers.get("X-Service-Signature"), secrets)
        if event is None:
            return self.answer(401)
        self.answer(200)
        receive(event)


def main():
    hooks = ThreadingHTTPServer(("127.0.0.1", int(os.environ["HOOK_PORT"])), Hooks)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.environ["TLS_CERT"], os.environ["TLS_KEY"])
    hooks.socket = context.wrap_socket(hooks.socket, server_side=True)
    threading.Thread(target=hooks.serve_forever, daemon=True).start()
    shop = ThreadingHTTPServer(("127.0.0.1", int(os.environ["SHOP_PORT"])), Shop)
    threading.Thread(target=shop.serve_forever, daemon=True).start()
    print(f"Shop http://127.0.0.1:{shop.server_address[1]}", flush=True)
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    stopped.wait()
    logs.close()


main()
