# Generated from docs/openapi.json by `npm run sdk`. Do not edit.
"""The operations of the API as methods, and how each is sent."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Literal, Optional, Union

from . import _types as t
from ._operation import Operation

API_VERSION = "0.1.0"

OPERATIONS: Dict[str, Operation] = {
    "list_webhooks": Operation(
        method="GET",
        path="/webhooks",
        credential="portal",
        repeat="always",
        query=("org_id",),
    ),
    "create_webhook": Operation(
        method="POST",
        path="/webhooks",
        credential="portal",
        repeat="never",
    ),
    "get_webhook": Operation(
        method="GET",
        path="/webhooks/{id}",
        credential="portal",
        repeat="always",
        query=("org_id",),
    ),
    "update_webhook": Operation(
        method="PATCH",
        path="/webhooks/{id}",
        credential="portal",
        repeat="always",
    ),
    "delete_webhook": Operation(
        method="DELETE",
        path="/webhooks/{id}",
        credential="portal",
        repeat="always",
        query=("org_id",),
    ),
    "roll_webhook_secret": Operation(
        method="POST",
        path="/webhooks/{id}/roll-secret",
        credential="portal",
        repeat="never",
    ),
    "list_webhook_deliveries": Operation(
        method="GET",
        path="/webhooks/{id}/deliveries",
        credential="portal",
        repeat="always",
        query=("org_id",),
    ),
    "test_webhook": Operation(
        method="POST",
        path="/webhooks/{id}/test",
        credential="portal",
        repeat="never",
    ),
    "retry_webhook_delivery": Operation(
        method="POST",
        path="/webhooks/deliveries/{deliveryId}/retry",
        credential="portal",
        repeat="never",
    ),
    "create_check": Operation(
        method="POST",
        path="/check",
        credential="api_key",
        repeat="keyed",
        key_member="event_id",
        is_key_filled=True,
    ),
    "create_checks": Operation(
        method="POST",
        path="/check/bulk",
        credential="api_key",
        repeat="keyed",
        key_member="event_id",
        key_list="checks",
        is_key_filled=True,
    ),
    "get_sandbox": Operation(
        method="GET",
        path="/check/sandbox",
        credential="api_key",
        repeat="always",
    ),
    "get_check": Operation(
        method="GET",
        path="/check/{id}",
        credential="api_key",
        repeat="always",
    ),
    "report_phone_outcome": Operation(
        method="POST",
        path="/check/phone/report",
        credential="api_key",
        repeat="keyed",
        key_member="check_id",
    ),
    "upsert_profile": Operation(
        method="POST",
        path="/profiles",
        credential="api_key",
        repeat="always",
    ),
    "create_order": Operation(
        method="POST",
        path="/orders",
        credential="api_key",
        repeat="always",
    ),
    "create_orders": Operation(
        method="POST",
        path="/orders/bulk",
        credential="api_key",
        repeat="always",
    ),
    "create_cashier_action": Operation(
        method="POST",
        path="/cashier/actions",
        credential="api_key",
        repeat="keyed",
        key_member="performed_at",
    ),
    "send_edge_logs": Operation(
        method="POST",
        path="/edge/logs",
        credential="api_key",
        repeat="always",
    ),
    "list_edge_logs": Operation(
        method="GET",
        path="/edge/logs",
        credential="portal",
        repeat="always",
        query=("org_id", "page", "limit", "start_date", "end_date", "device_id", "level", "category", "environment", "error_fingerprint",),
        records="logs",
    ),
    "search_edge_logs": Operation(
        method="GET",
        path="/edge/logs/search",
        credential="portal",
        repeat="always",
        query=("org_id", "q", "page", "limit", "start_date", "end_date", "device_id", "level", "category", "environment", "error_fingerprint",),
        records="logs",
    ),
    "list_edge_errors": Operation(
        method="GET",
        path="/edge/errors",
        credential="portal",
        repeat="always",
        query=("org_id", "start_date", "end_date", "device_id", "level", "category", "environment", "error_fingerprint", "page", "limit",),
        records="",
    ),
    "get_edge_overview": Operation(
        method="GET",
        path="/edge/overview",
        credential="portal",
        repeat="always",
        query=("org_id", "start_date", "end_date", "device_id", "level", "category", "environment", "error_fingerprint",),
    ),
    "get_edge_trends": Operation(
        method="GET",
        path="/edge/trends",
        credential="portal",
        repeat="always",
        query=("org_id", "start_date", "end_date", "device_id", "level", "category", "environment", "error_fingerprint", "granularity",),
    ),
    "register_edge_device": Operation(
        method="POST",
        path="/edge/devices/register",
        credential="api_key",
        repeat="always",
    ),
    "heartbeat_edge_device": Operation(
        method="POST",
        path="/edge/devices/{device_id}/heartbeat",
        credential="api_key",
        repeat="always",
    ),
    "list_edge_devices": Operation(
        method="GET",
        path="/edge/devices",
        credential="portal",
        repeat="always",
        query=("org_id", "page", "limit", "start_date", "end_date",),
        records="devices",
    ),
    "list_edge_alerts": Operation(
        method="GET",
        path="/edge/alerts",
        credential="portal",
        repeat="always",
        query=("org_id",),
    ),
    "create_edge_alert": Operation(
        method="POST",
        path="/edge/alerts",
        credential="portal",
        repeat="never",
    ),
    "delete_edge_alert": Operation(
        method="DELETE",
        path="/edge/alerts",
        credential="portal",
        repeat="always",
        query=("org_id", "id",),
    ),
    "send_rum_events": Operation(
        method="POST",
        path="/rum/events",
        credential="api_key",
        repeat="always",
    ),
    "get_rum_usage": Operation(
        method="GET",
        path="/rum/usage",
        credential="api_key",
        repeat="always",
    ),
    "create_mdm_signup_url": Operation(
        method="POST",
        path="/mdm/enterprise/signup-url",
        credential="portal",
        repeat="never",
        query=("org_id",),
    ),
    "create_mdm_enterprise": Operation(
        method="POST",
        path="/mdm/enterprise",
        credential="portal",
        repeat="never",
        query=("org_id",),
    ),
    "get_mdm_enterprise": Operation(
        method="GET",
        path="/mdm/enterprise",
        credential="portal",
        repeat="always",
        query=("org_id",),
    ),
    "list_mdm_policies": Operation(
        method="GET",
        path="/mdm/policies",
        credential="portal",
        repeat="always",
        query=("org_id",),
    ),
    "create_mdm_policy": Operation(
        method="POST",
        path="/mdm/policies",
        credential="portal",
        repeat="never",
        query=("org_id",),
    ),
    "update_mdm_policy": Operation(
        method="PATCH",
        path="/mdm/policies/{policy_id}",
        credential="portal",
        repeat="always",
        query=("org_id",),
    ),
    "list_mdm_enrollment_tokens": Operation(
        method="GET",
        path="/mdm/enrollment-tokens",
        credential="portal",
        repeat="always",
        query=("org_id",),
    ),
    "create_mdm_enrollment_token": Operation(
        method="POST",
        path="/mdm/enrollment-tokens",
        credential="portal",
        repeat="never",
        query=("org_id",),
    ),
    "list_mdm_groups": Operation(
        method="GET",
        path="/mdm/groups",
        credential="portal",
        repeat="always",
        query=("org_id",),
    ),
    "create_mdm_group": Operation(
        method="POST",
        path="/mdm/groups",
        credential="portal",
        repeat="never",
        query=("org_id",),
    ),
    "update_mdm_group": Operation(
        method="PATCH",
        path="/mdm/groups/{group_id}",
        credential="portal",
        repeat="always",
        query=("org_id",),
    ),
    "delete_mdm_group": Operation(
        method="DELETE",
        path="/mdm/groups/{group_id}",
        credential="portal",
        repeat="always",
        query=("org_id",),
    ),
    "assign_mdm_devices": Operation(
        method="POST",
        path="/mdm/groups/{group_id}/devices",
        credential="portal",
        repeat="always",
        query=("org_id",),
    ),
    "create_device_command": Operation(
        method="POST",
        path="/mdm/devices/{device_id}/commands",
        credential="portal",
        repeat="never",
        query=("org_id",),
    ),
    "create_group_command": Operation(
        method="POST",
        path="/mdm/groups/{group_id}/commands",
        credential="portal",
        repeat="never",
        query=("org_id",),
    ),
    "list_mdm_devices": Operation(
        method="GET",
        path="/mdm/devices",
        credential="portal",
        repeat="always",
        query=("org_id", "page", "limit", "state", "mode", "compliance", "group_id",),
        records="devices",
    ),
    "get_mdm_device": Operation(
        method="GET",
        path="/mdm/devices/{device_id}",
        credential="portal",
        repeat="always",
        query=("org_id",),
    ),
    "update_mdm_device": Operation(
        method="PATCH",
        path="/mdm/devices/{device_id}",
        credential="portal",
        repeat="always",
        query=("org_id",),
    ),
    "delete_mdm_device": Operation(
        method="DELETE",
        path="/mdm/devices/{device_id}",
        credential="portal",
        repeat="always",
        query=("org_id",),
    ),
    "get_mdm_overview": Operation(
        method="GET",
        path="/mdm/overview",
        credential="portal",
        repeat="always",
        query=("org_id",),
    ),
    "list_mdm_audit_log": Operation(
        method="GET",
        path="/mdm/audit-log",
        credential="portal",
        repeat="always",
        query=("org_id", "page", "limit", "action",),
        records="entries",
    ),
    "export_mdm_audit_log": Operation(
        method="GET",
        path="/mdm/audit-log/export.csv",
        credential="portal",
        repeat="always",
        query=("org_id", "action",),
        is_file=True,
    ),
    "export_mdm_fleet_inventory": Operation(
        method="GET",
        path="/mdm/reports/fleet-inventory.csv",
        credential="portal",
        repeat="always",
        query=("org_id",),
        is_file=True,
    ),
    "export_mdm_compliance_summary": Operation(
        method="GET",
        path="/mdm/reports/compliance-summary.csv",
        credential="portal",
        repeat="always",
        query=("org_id",),
        is_file=True,
    ),
    "create_push_identity_token": Operation(
        method="POST",
        path="/push-sdk/identity-token",
        credential="api_key",
        repeat="always",
    ),
    "send_push_message": Operation(
        method="POST",
        path="/push-sdk/messages",
        credential="api_key",
        repeat="always",
        has_idempotency_key=True,
    ),
}

# Maximum number of elements and bytes of a request, of the operations that take a list.
BATCHES = {
    "create_checks": (100, 16777216),
    "create_orders": (100, 16777216),
    "send_edge_logs": (1000, 5242880),
}


class Operations:
    """Each method returns the `content` of the response, or raises a `VigilError`."""

    def _call(
        self,
        name: str,
        params: Dict[str, Any],
        body: Any = None,
        timeout: Optional[float] = None,
        idempotency_key: Optional[str] = None,
    ) -> Any:
        raise NotImplementedError

    def _stream(
        self, name: str, params: Dict[str, Any], timeout: Optional[float] = None
    ) -> Iterator[bytes]:
        raise NotImplementedError

    def list_webhooks(
        self,
        *,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> List[t.WebhookEndpoint]:
        """List the webhook endpoints of an organization.

        Sent again after a failure: yes, because it only reads.
        """
        result: List[t.WebhookEndpoint] = self._call("list_webhooks", {"org_id": org_id}, timeout=timeout)
        return result

    def create_webhook(
        self,
        body: t.WebhookRequest,
        *,
        timeout: Optional[float] = None,
    ) -> t.WebhookEndpointWithSecret:
        """Create a webhook endpoint; its signing secret is shown once.

        Sent again after a failure: no, because a repeated request would create another one.
        """
        result: t.WebhookEndpointWithSecret = self._call("create_webhook", {}, body, timeout=timeout)
        return result

    def get_webhook(
        self,
        *,
        id: str,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> t.WebhookEndpoint:
        """Get a webhook endpoint.

        Sent again after a failure: yes, because it only reads.
        """
        result: t.WebhookEndpoint = self._call("get_webhook", {"id": id, "org_id": org_id}, timeout=timeout)
        return result

    def update_webhook(
        self,
        body: t.WebhookUpdate,
        *,
        id: str,
        timeout: Optional[float] = None,
    ) -> t.WebhookEndpoint:
        """Change, pause or resume a webhook endpoint.

        Sent again after a failure: yes, because a repeated change has the same result.
        """
        result: t.WebhookEndpoint = self._call("update_webhook", {"id": id}, body, timeout=timeout)
        return result

    def delete_webhook(
        self,
        *,
        id: str,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """Delete a webhook endpoint with its deliveries.

        Sent again after a failure: yes, because a repeated deletion changes nothing; it can end with 404 although the first one succeeded.
        """
        result: Dict[str, Any] = self._call("delete_webhook", {"id": id, "org_id": org_id}, timeout=timeout)
        return result

    def roll_webhook_secret(
        self,
        body: t.OrganizationRequest,
        *,
        id: str,
        timeout: Optional[float] = None,
    ) -> t.WebhookEndpointWithSecret:
        """Replace the signing secret; the new one is shown once.

        Sent again after a failure: no, because a repeated request would replace the secret again.
        """
        result: t.WebhookEndpointWithSecret = self._call("roll_webhook_secret", {"id": id}, body, timeout=timeout)
        return result

    def list_webhook_deliveries(
        self,
        *,
        id: str,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> List[t.WebhookDelivery]:
        """List the newest deliveries of an endpoint, each with its last attempt.

        Sent again after a failure: yes, because it only reads.
        """
        result: List[t.WebhookDelivery] = self._call("list_webhook_deliveries", {"id": id, "org_id": org_id}, timeout=timeout)
        return result

    def test_webhook(
        self,
        body: t.OrganizationRequest,
        *,
        id: str,
        timeout: Optional[float] = None,
    ) -> t.WebhookDelivery:
        """Queue a test `email.check.completed` event for this endpoint only.

        Sent again after a failure: no, because a repeated request would act twice.
        """
        result: t.WebhookDelivery = self._call("test_webhook", {"id": id}, body, timeout=timeout)
        return result

    def retry_webhook_delivery(
        self,
        body: t.OrganizationRequest,
        *,
        delivery_id: str,
        timeout: Optional[float] = None,
    ) -> t.WebhookDelivery:
        """Retry a failed or exhausted delivery now.

        Sent again after a failure: no, because a repeated request would act twice.
        """
        result: t.WebhookDelivery = self._call("retry_webhook_delivery", {"deliveryId": delivery_id}, body, timeout=timeout)
        return result

    def create_check(
        self,
        body: t.CheckRequest,
        *,
        timeout: Optional[float] = None,
    ) -> t.CheckResult:
        """Check an e-mail, a phone number and/or a device.

        Sent again after a failure: yes, because the stored result is returned for the same `event_id`, for which a random value is used if there is none.
        """
        result: t.CheckResult = self._call("create_check", {}, body, timeout=timeout)
        return result

    def create_checks(
        self,
        body: t.BulkCheckRequest,
        *,
        timeout: Optional[float] = None,
    ) -> List[Union[t.CreateChecksContentItem1, t.CreateChecksContentItem2]]:
        """Run several checks; results follow the order of the request.

        Sent again after a failure: yes, because the stored results are returned for the same `event_id`, for which a random value is used in each check that has none.
        """
        result: List[Union[t.CreateChecksContentItem1, t.CreateChecksContentItem2]] = self._call("create_checks", {}, body, timeout=timeout)
        return result

    def get_sandbox(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> t.SandboxCatalog:
        """List the values that have a fixed outcome with test keys; runs no check.

        Sent again after a failure: yes, because it only reads.
        """
        result: t.SandboxCatalog = self._call("get_sandbox", {}, timeout=timeout)
        return result

    def get_check(
        self,
        *,
        id: str,
        timeout: Optional[float] = None,
    ) -> t.CheckResult:
        """Retrieve a check.

        Sent again after a failure: yes, because it only reads.
        """
        result: t.CheckResult = self._call("get_check", {"id": id}, timeout=timeout)
        return result

    def report_phone_outcome(
        self,
        body: t.PhoneOutcomeReport,
        *,
        timeout: Optional[float] = None,
    ) -> t.AcceptedPhoneOutcomeReport:
        """Report the outcome of a phone number.

        Sent again after a failure: yes, because a report with a `check_id` counts once. Without one, it is not repeated.
        """
        result: t.AcceptedPhoneOutcomeReport = self._call("report_phone_outcome", {}, body, timeout=timeout)
        return result

    def upsert_profile(
        self,
        body: t.ProfileRequest,
        *,
        timeout: Optional[float] = None,
    ) -> t.UpsertedProfile:
        """Create or update a profile and link a device to it.

        Sent again after a failure: yes, because a repeated change has the same result.
        """
        result: t.UpsertedProfile = self._call("upsert_profile", {}, body, timeout=timeout)
        return result

    def create_order(
        self,
        body: t.OrderRequest,
        *,
        timeout: Optional[float] = None,
    ) -> t.ScoredOrder:
        """Submit and score an order.

        Sent again after a failure: yes, because the stored order is returned for the same `external_order_id`.
        """
        result: t.ScoredOrder = self._call("create_order", {}, body, timeout=timeout)
        return result

    def create_orders(
        self,
        body: t.BulkOrderRequest,
        *,
        timeout: Optional[float] = None,
    ) -> List[Union[t.CreateOrdersContentItem1, t.CreateOrdersContentItem2]]:
        """Submit up to 100 orders; results are returned in request order.

        Sent again after a failure: yes, because the stored orders are returned for the same `external_order_id`.
        """
        result: List[Union[t.CreateOrdersContentItem1, t.CreateOrdersContentItem2]] = self._call("create_orders", {}, body, timeout=timeout)
        return result

    def create_cashier_action(
        self,
        body: t.CashierActionRequest,
        *,
        timeout: Optional[float] = None,
    ) -> t.CashierAction:
        """Record and score a cashier action.

        Sent again after a failure: yes, because an identical action with `performed_at` is recorded once. Without `performed_at`, it is not repeated.
        """
        result: t.CashierAction = self._call("create_cashier_action", {}, body, timeout=timeout)
        return result

    def send_edge_logs(
        self,
        body: t.EdgeLogBatch,
        *,
        timeout: Optional[float] = None,
    ) -> t.SendEdgeLogsContent:
        """Send a batch of log entries.

        Sent again after a failure: yes, because an identical body is stored and charged once within 15 minutes.
        """
        result: t.SendEdgeLogsContent = self._call("send_edge_logs", {}, body, timeout=timeout)
        return result

    def list_edge_logs(
        self,
        *,
        org_id: str,
        page: Optional[int] = None,
        limit: Optional[int] = None,
        start_date: Optional[str] = None,
        end_date: Optional[str] = None,
        device_id: Optional[str] = None,
        level: Optional[str] = None,
        category: Optional[str] = None,
        environment: Optional[str] = None,
        error_fingerprint: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> t.EdgeLogPage:
        """List logs, newest first.

        Sent again after a failure: yes, because it only reads.
        """
        result: t.EdgeLogPage = self._call("list_edge_logs", {"org_id": org_id, "page": page, "limit": limit, "start_date": start_date, "end_date": end_date, "device_id": device_id, "level": level, "category": category, "environment": environment, "error_fingerprint": error_fingerprint}, timeout=timeout)
        return result

    def search_edge_logs(
        self,
        *,
        org_id: str,
        q: str,
        page: Optional[int] = None,
        limit: Optional[int] = None,
        start_date: Optional[str] = None,
        end_date: Optional[str] = None,
        device_id: Optional[str] = None,
        level: Optional[str] = None,
        category: Optional[str] = None,
        environment: Optional[str] = None,
        error_fingerprint: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> t.EdgeLogSearchPage:
        """Search logs by words and fields, newest first.

        Sent again after a failure: yes, because it only reads.
        """
        result: t.EdgeLogSearchPage = self._call("search_edge_logs", {"org_id": org_id, "q": q, "page": page, "limit": limit, "start_date": start_date, "end_date": end_date, "device_id": device_id, "level": level, "category": category, "environment": environment, "error_fingerprint": error_fingerprint}, timeout=timeout)
        return result

    def list_edge_errors(
        self,
        *,
        org_id: str,
        start_date: Optional[str] = None,
        end_date: Optional[str] = None,
        device_id: Optional[str] = None,
        level: Optional[str] = None,
        category: Optional[str] = None,
        environment: Optional[str] = None,
        error_fingerprint: Optional[str] = None,
        page: Optional[int] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> List[t.EdgeErrorGroup]:
        """List error groups, most frequent first.

        Sent again after a failure: yes, because it only reads.
        """
        result: List[t.EdgeErrorGroup] = self._call("list_edge_errors", {"org_id": org_id, "start_date": start_date, "end_date": end_date, "device_id": device_id, "level": level, "category": category, "environment": environment, "error_fingerprint": error_fingerprint, "page": page, "limit": limit}, timeout=timeout)
        return result

    def get_edge_overview(
        self,
        *,
        org_id: str,
        start_date: Optional[str] = None,
        end_date: Optional[str] = None,
        device_id: Optional[str] = None,
        level: Optional[str] = None,
        category: Optional[str] = None,
        environment: Optional[str] = None,
        error_fingerprint: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> t.EdgeOverview:
        """Get the numbers of logs, devices and errors.

        Sent again after a failure: yes, because it only reads.
        """
        result: t.EdgeOverview = self._call("get_edge_overview", {"org_id": org_id, "start_date": start_date, "end_date": end_date, "device_id": device_id, "level": level, "category": category, "environment": environment, "error_fingerprint": error_fingerprint}, timeout=timeout)
        return result

    def get_edge_trends(
        self,
        *,
        org_id: str,
        start_date: Optional[str] = None,
        end_date: Optional[str] = None,
        device_id: Optional[str] = None,
        level: Optional[str] = None,
        category: Optional[str] = None,
        environment: Optional[str] = None,
        error_fingerprint: Optional[str] = None,
        granularity: Optional[Literal["hour", "day"]] = None,
        timeout: Optional[float] = None,
    ) -> List[t.EdgeTrendPoint]:
        """Get the number of logs over time.

        Sent again after a failure: yes, because it only reads.
        """
        result: List[t.EdgeTrendPoint] = self._call("get_edge_trends", {"org_id": org_id, "start_date": start_date, "end_date": end_date, "device_id": device_id, "level": level, "category": category, "environment": environment, "error_fingerprint": error_fingerprint, "granularity": granularity}, timeout=timeout)
        return result

    def register_edge_device(
        self,
        body: t.EdgeDeviceRegistration,
        *,
        timeout: Optional[float] = None,
    ) -> t.EdgeDevice:
        """Register a device or update its fields.

        Sent again after a failure: yes, because a repeated change has the same result.
        """
        result: t.EdgeDevice = self._call("register_edge_device", {}, body, timeout=timeout)
        return result

    def heartbeat_edge_device(
        self,
        *,
        device_id: str,
        timeout: Optional[float] = None,
    ) -> t.EdgeDevice:
        """Report that a device is running.

        Sent again after a failure: yes, because a repeated change has the same result.
        """
        result: t.EdgeDevice = self._call("heartbeat_edge_device", {"device_id": device_id}, timeout=timeout)
        return result

    def list_edge_devices(
        self,
        *,
        org_id: str,
        page: Optional[int] = None,
        limit: Optional[int] = None,
        start_date: Optional[str] = None,
        end_date: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> t.EdgeDevicePage:
        """List the devices of an organization, last seen first.

        Sent again after a failure: yes, because it only reads.
        """
        result: t.EdgeDevicePage = self._call("list_edge_devices", {"org_id": org_id, "page": page, "limit": limit, "start_date": start_date, "end_date": end_date}, timeout=timeout)
        return result

    def list_edge_alerts(
        self,
        *,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> List[t.EdgeAlert]:
        """List the log alert rules of an organization with their status.

        Sent again after a failure: yes, because it only reads.
        """
        result: List[t.EdgeAlert] = self._call("list_edge_alerts", {"org_id": org_id}, timeout=timeout)
        return result

    def create_edge_alert(
        self,
        body: t.EdgeAlertRequest,
        *,
        timeout: Optional[float] = None,
    ) -> t.EdgeAlert:
        """Create an alert rule that fires when matching logs reach a threshold in a window.

        Sent again after a failure: no, because a repeated request would create another one.
        """
        result: t.EdgeAlert = self._call("create_edge_alert", {}, body, timeout=timeout)
        return result

    def delete_edge_alert(
        self,
        *,
        org_id: str,
        id: str,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """Delete an alert rule.

        Sent again after a failure: yes, because a repeated deletion changes nothing; it can end with 404 although the first one succeeded.
        """
        result: Dict[str, Any] = self._call("delete_edge_alert", {"org_id": org_id, "id": id}, timeout=timeout)
        return result

    def send_rum_events(
        self,
        body: t.RumEvents,
        *,
        timeout: Optional[float] = None,
    ) -> t.RumReceipt:
        """Send events of a session in a browser or an app.

        Sent again after a failure: yes, because an identical body is stored and charged once within 15 minutes.
        """
        result: t.RumReceipt = self._call("send_rum_events", {}, body, timeout=timeout)
        return result

    def get_rum_usage(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> t.RumUsage:
        """Sessions, events and credits of the current calendar month.

        Sent again after a failure: yes, because it only reads.
        """
        result: t.RumUsage = self._call("get_rum_usage", {}, timeout=timeout)
        return result

    def create_mdm_signup_url(
        self,
        body: t.EnterpriseSignupRequest,
        *,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> t.EnterpriseSignup:
        """Start the sign-up for an enterprise on a page of the provider.

        Sent again after a failure: no, because a repeated request would create another one.
        """
        result: t.EnterpriseSignup = self._call("create_mdm_signup_url", {"org_id": org_id}, body, timeout=timeout)
        return result

    def create_mdm_enterprise(
        self,
        body: t.EnterpriseRequest,
        *,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> t.Enterprise:
        """Create the enterprise of a completed sign-up.

        Sent again after a failure: no, because a repeated request would create another one.
        """
        result: t.Enterprise = self._call("create_mdm_enterprise", {"org_id": org_id}, body, timeout=timeout)
        return result

    def get_mdm_enterprise(
        self,
        *,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> Union[t.Enterprise, None]:
        """Get the enterprise of an organization, or null when it has none.

        Sent again after a failure: yes, because it only reads.
        """
        result: Union[t.Enterprise, None] = self._call("get_mdm_enterprise", {"org_id": org_id}, timeout=timeout)
        return result

    def list_mdm_policies(
        self,
        *,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> List[t.DevicePolicy]:
        """The device policies of an organization, newest first.

        Sent again after a failure: yes, because it only reads.
        """
        result: List[t.DevicePolicy] = self._call("list_mdm_policies", {"org_id": org_id}, timeout=timeout)
        return result

    def create_mdm_policy(
        self,
        body: t.DevicePolicyRequest,
        *,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> t.DevicePolicy:
        """Create a device policy, by default the baseline of its management mode.

        Sent again after a failure: no, because a repeated request would create another one.
        """
        result: t.DevicePolicy = self._call("create_mdm_policy", {"org_id": org_id}, body, timeout=timeout)
        return result

    def update_mdm_policy(
        self,
        body: t.DevicePolicyUpdate,
        *,
        policy_id: str,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> t.DevicePolicy:
        """Change a device policy; its devices receive the new version.

        Sent again after a failure: yes, because a repeated change has the same result.
        """
        result: t.DevicePolicy = self._call("update_mdm_policy", {"policy_id": policy_id, "org_id": org_id}, body, timeout=timeout)
        return result

    def list_mdm_enrollment_tokens(
        self,
        *,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> List[t.ListedEnrollmentToken]:
        """Enrollment tokens that have not expired or been ended, newest first.

        Sent again after a failure: yes, because it only reads.
        """
        result: List[t.ListedEnrollmentToken] = self._call("list_mdm_enrollment_tokens", {"org_id": org_id}, timeout=timeout)
        return result

    def create_mdm_enrollment_token(
        self,
        body: t.EnrollmentTokenRequest,
        *,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> t.EnrollmentToken:
        """Create an enrollment token and the QR code that devices scan.

        Sent again after a failure: no, because a repeated request would create another one.
        """
        result: t.EnrollmentToken = self._call("create_mdm_enrollment_token", {"org_id": org_id}, body, timeout=timeout)
        return result

    def list_mdm_groups(
        self,
        *,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> List[t.DeviceGroup]:
        """Groups of devices, newest first, each with its last command.

        Sent again after a failure: yes, because it only reads.
        """
        result: List[t.DeviceGroup] = self._call("list_mdm_groups", {"org_id": org_id}, timeout=timeout)
        return result

    def create_mdm_group(
        self,
        body: t.DeviceGroupRequest,
        *,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> t.DeviceGroup:
        """Create a group; its devices receive its policy, if it has one.

        Sent again after a failure: no, because a repeated request would create another one.
        """
        result: t.DeviceGroup = self._call("create_mdm_group", {"org_id": org_id}, body, timeout=timeout)
        return result

    def update_mdm_group(
        self,
        body: t.DeviceGroupUpdate,
        *,
        group_id: str,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> t.DeviceGroup:
        """Rename a group, or change the policy of the group and its devices.

        Sent again after a failure: yes, because a repeated change has the same result.
        """
        result: t.DeviceGroup = self._call("update_mdm_group", {"group_id": group_id, "org_id": org_id}, body, timeout=timeout)
        return result

    def delete_mdm_group(
        self,
        *,
        group_id: str,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """Delete a group; its devices return to the policies they enrolled with.

        Sent again after a failure: yes, because a repeated deletion changes nothing; it can end with 404 although the first one succeeded.
        """
        result: Dict[str, Any] = self._call("delete_mdm_group", {"group_id": group_id, "org_id": org_id}, timeout=timeout)
        return result

    def assign_mdm_devices(
        self,
        body: t.DeviceGroupAssignment,
        *,
        group_id: str,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> t.DeviceGroup:
        """Assign devices to a group; they receive its policy.

        Sent again after a failure: yes, because a repeated change has the same result.
        """
        result: t.DeviceGroup = self._call("assign_mdm_devices", {"group_id": group_id, "org_id": org_id}, body, timeout=timeout)
        return result

    def create_device_command(
        self,
        body: t.DeviceCommandRequest,
        *,
        device_id: str,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> t.DeviceCommand:
        """Send a command to a device, such as locking or wiping it.

        Sent again after a failure: no, because a repeated request would act twice.
        """
        result: t.DeviceCommand = self._call("create_device_command", {"device_id": device_id, "org_id": org_id}, body, timeout=timeout)
        return result

    def create_group_command(
        self,
        body: t.DeviceCommandRequest,
        *,
        group_id: str,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> t.GroupCommand:
        """Send a command to all devices of a group that support it.

        Sent again after a failure: no, because a repeated request would act twice.
        """
        result: t.GroupCommand = self._call("create_group_command", {"group_id": group_id, "org_id": org_id}, body, timeout=timeout)
        return result

    def list_mdm_devices(
        self,
        *,
        org_id: str,
        page: Optional[int] = None,
        limit: Optional[int] = None,
        state: Optional[Literal["active", "disabled", "deleted", "provisioning", "lost", "preparing_for_migration", "deactivated_by_device_finance"]] = None,
        mode: Optional[Literal["fully_managed", "work_profile"]] = None,
        compliance: Optional[Literal["compliant", "grace_period", "non_compliant", "unknown"]] = None,
        group_id: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> t.ManagedDevicePage:
        """List devices, newest enrolled first; deleted devices only with `state=deleted`.

        Sent again after a failure: yes, because it only reads.
        """
        result: t.ManagedDevicePage = self._call("list_mdm_devices", {"org_id": org_id, "page": page, "limit": limit, "state": state, "mode": mode, "compliance": compliance, "group_id": group_id}, timeout=timeout)
        return result

    def get_mdm_device(
        self,
        *,
        device_id: str,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> t.ManagedDeviceWithHistory:
        """Get a device with its newest commands and events.

        Sent again after a failure: yes, because it only reads.
        """
        result: t.ManagedDeviceWithHistory = self._call("get_mdm_device", {"device_id": device_id, "org_id": org_id}, timeout=timeout)
        return result

    def update_mdm_device(
        self,
        body: t.ManagedDeviceUpdate,
        *,
        device_id: str,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> t.ManagedDevice:
        """Update the metadata of a device.

        Sent again after a failure: yes, because a repeated change has the same result.
        """
        result: t.ManagedDevice = self._call("update_mdm_device", {"device_id": device_id, "org_id": org_id}, body, timeout=timeout)
        return result

    def delete_mdm_device(
        self,
        *,
        device_id: str,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> t.ManagedDevice:
        """Unenroll and wipe a device.

        Sent again after a failure: yes, because a repeated deletion changes nothing; it can end with 404 although the first one succeeded.
        """
        result: t.ManagedDevice = self._call("delete_mdm_device", {"device_id": device_id, "org_id": org_id}, timeout=timeout)
        return result

    def get_mdm_overview(
        self,
        *,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> t.MdmOverview:
        """Number of devices by state, compliance and management mode.

        Sent again after a failure: yes, because it only reads.
        """
        result: t.MdmOverview = self._call("get_mdm_overview", {"org_id": org_id}, timeout=timeout)
        return result

    def list_mdm_audit_log(
        self,
        *,
        org_id: str,
        page: Optional[int] = None,
        limit: Optional[int] = None,
        action: Optional[Literal["enterprise.signup_started", "enterprise.created", "policy.created", "policy.updated", "policy.published", "policy.rejected", "enrollment_token.created", "enrollment_token.ended", "device.enrolled", "device.state_changed", "device.compliance_changed", "device.updated", "device.policy_assigned", "device.policy_applied", "device.policy_rejected", "device.deletion_requested", "device.deleted", "command.created", "command.sent", "command.completed", "group.created", "group.updated", "group.deleted", "group.devices_assigned", "group.command_created"]] = None,
        timeout: Optional[float] = None,
    ) -> t.AuditLogPage:
        """Administrative and system actions, newest first.

        Sent again after a failure: yes, because it only reads.
        """
        result: t.AuditLogPage = self._call("list_mdm_audit_log", {"org_id": org_id, "page": page, "limit": limit, "action": action}, timeout=timeout)
        return result

    def export_mdm_audit_log(
        self,
        *,
        org_id: str,
        action: Optional[Literal["enterprise.signup_started", "enterprise.created", "policy.created", "policy.updated", "policy.published", "policy.rejected", "enrollment_token.created", "enrollment_token.ended", "device.enrolled", "device.state_changed", "device.compliance_changed", "device.updated", "device.policy_assigned", "device.policy_applied", "device.policy_rejected", "device.deletion_requested", "device.deleted", "command.created", "command.sent", "command.completed", "group.created", "group.updated", "group.deleted", "group.devices_assigned", "group.command_created"]] = None,
        timeout: Optional[float] = None,
    ) -> Iterator[bytes]:
        """Export the audit log as CSV, newest entry first.

        Sent again after a failure: yes, because it only reads.
        """
        result = self._stream("export_mdm_audit_log", {"org_id": org_id, "action": action}, timeout=timeout)
        return result

    def export_mdm_fleet_inventory(
        self,
        *,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> Iterator[bytes]:
        """Export all devices that are not deleted as CSV, newest enrolled first.

        Sent again after a failure: yes, because it only reads.
        """
        result = self._stream("export_mdm_fleet_inventory", {"org_id": org_id}, timeout=timeout)
        return result

    def export_mdm_compliance_summary(
        self,
        *,
        org_id: str,
        timeout: Optional[float] = None,
    ) -> Iterator[bytes]:
        """Export the compliance of each device and the settings it violates as CSV.

        Sent again after a failure: yes, because it only reads.
        """
        result = self._stream("export_mdm_compliance_summary", {"org_id": org_id}, timeout=timeout)
        return result

    def create_push_identity_token(
        self,
        body: t.IdentityTokenRequest,
        *,
        timeout: Optional[float] = None,
    ) -> t.IdentityToken:
        """Create an identity token for a signed-in user, valid for five minutes.

        Sent again after a failure: yes, because each assertion is valid on its own and changes nothing.
        """
        result: t.IdentityToken = self._call("create_push_identity_token", {}, body, timeout=timeout)
        return result

    def send_push_message(
        self,
        body: t.PushMessageRequest,
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> t.PushMessageAccepted:
        """Send a push notification to devices, now or at a scheduled time.

        Sent again after a failure: yes, because the first response is returned for the same idempotency key, for which a random value is used if there is none.
        """
        result: t.PushMessageAccepted = self._call("send_push_message", {}, body, timeout=timeout, idempotency_key=idempotency_key)
        return result
