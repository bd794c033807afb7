# Generated from docs/openapi.json by `npm run sdk`. Do not edit.
"""The records and requests of the API, by the names of the OpenAPI document."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union

class WebhookEndpoint(TypedDict):
    id: str
    url: str
    events: List[Literal["order.fraud.detected", "order.fraud.alert", "profile.risk.changed", "cashier.fraud.detected", "email.check.completed", "email.check.failed", "mdm.device.enrolled", "mdm.device.compliance_changed", "mdm.command.completed"]]
    description: str
    status: Literal["active", "paused"]
    # First characters of the secret, to recognize it by
    secret_prefix: str
    created_at: str
    updated_at: str


class _WebhookUpdateRequired(TypedDict):
    # Organization that you are a member of
    org_id: str


class WebhookUpdate(_WebhookUpdateRequired, total=False):
    # Public HTTPS URL without a user name, a password and a fragment; its port is 443, or one from 1024 that is not known for another service
    url: Union[str, None]
    events: Union[List[Literal["order.fraud.detected", "order.fraud.alert", "profile.risk.changed", "cashier.fraud.detected", "email.check.completed", "email.check.failed", "mdm.device.enrolled", "mdm.device.compliance_changed", "mdm.command.completed"]], None]
    description: Union[str, None]
    status: Union[Literal["active", "paused"], None]


class _WebhookRequestRequired(TypedDict):
    # Organization that you are a member of
    org_id: str
    # Public HTTPS URL without a user name, a password and a fragment; its port is 443, or one from 1024 that is not known for another service
    url: str
    events: List[Literal["order.fraud.detected", "order.fraud.alert", "profile.risk.changed", "cashier.fraud.detected", "email.check.completed", "email.check.failed", "mdm.device.enrolled", "mdm.device.compliance_changed", "mdm.command.completed"]]


class WebhookRequest(_WebhookRequestRequired, total=False):
    description: Union[str, None]


class WebhookEndpointWithSecret(TypedDict):
    id: str
    url: str
    events: List[Literal["order.fraud.detected", "order.fraud.alert", "profile.risk.changed", "cashier.fraud.detected", "email.check.completed", "email.check.failed", "mdm.device.enrolled", "mdm.device.compliance_changed", "mdm.command.completed"]]
    description: str
    status: Literal["active", "paused"]
    # First characters of the secret, to recognize it by
    secret_prefix: str
    created_at: str
    updated_at: str
    # Signs deliveries. It is shown only in this response
    secret: str


class OrganizationRequest(TypedDict):
    # Organization that you are a member of
    org_id: str


class WebhookDelivery(TypedDict):
    id: str
    event_id: str
    event_type: Literal["order.fraud.detected", "order.fraud.alert", "profile.risk.changed", "cashier.fraud.detected", "email.check.completed", "email.check.failed", "mdm.device.enrolled", "mdm.device.compliance_changed", "mdm.command.completed"]
    status: Literal["pending", "succeeded", "failed", "exhausted"]
    attempts: int
    next_attempt_at: Union[str, None]
    response_status: Union[int, None]
    response_body: Union[str, None]
    error: Union[str, None]
    latency_ms: Union[int, None]
    created_at: str


class PortalLinkRequest(TypedDict, total=False):
    hours: Union[int, None]
    note: Union[str, None]


class PortalLink(TypedDict):
    id: str
    # Open it in a browser or a frame. Its fragment is a token that is not stored
    url: str
    expires_at: str


class CheckRequest(TypedDict, total=False):
    """At least one of phone, email or device is required. The client IP is taken from trusted forwarding headers; `ip_address` must not be sent."""

    email: Union[str, None]
    # E.164
    phone: Union[str, None]
    # Fingerprint and platform signals; `fingerprint_hash` identifies the device. `signed_report`: the report of the device SDK (OP-164)
    device: Union[Dict[str, Any], None]
    # Behavioral signals from an SDK
    behavior: Union[Dict[str, Any], None]
    event_type: Union[str, None]
    # A repeated request gets the stored result, without charge (OP-8)
    event_id: Union[str, None]
    # Additional JSON context
    metadata: Union[Dict[str, Any], None]


class PhoneSignals(TypedDict):
    is_valid: bool
    # Carrier that the range was allocated to; null when unknown or when the number was ported
    carrier: Union[str, None]
    line_type: Union[Literal["mobile", "landline", "voip"], None]
    country_code: Union[str, None]
    # Swap within the last 7 days
    recent_sim_swap: bool
    sim_swap_date: Union[str, None]
    ported: bool
    ported_date: Union[str, None]


class _CheckResultSignalsRequired(TypedDict):
    domain_age_score: int
    mx_score: int
    disposable_score: int
    velocity_score: int


class CheckResultSignals(_CheckResultSignalsRequired, total=False):
    phone: PhoneSignals


class _CheckResultRequired(TypedDict):
    check_id: str
    risk_score: int
    risk_level: Literal["low", "medium", "high", "critical"]
    # 0 = no evidence of risk, 100 = certain; unknown = 0 (OP-6)
    signals: CheckResultSignals
    tier: str
    credits_used: int
    is_sandbox: bool


class CheckResult(_CheckResultRequired, total=False):
    email: str


class BulkCheckRequest(TypedDict):
    checks: List[CheckRequest]


class SandboxCatalogPhoneNumbersItem(TypedDict):
    phone: str
    description: str
    # null when no check completes
    risk_score: Union[int, None]
    risk_level: Union[Literal["low", "medium", "high", "critical"], None]


class SandboxCatalogEmailsItem(TypedDict):
    email: str
    description: str
    # null when no check completes
    risk_score: Union[int, None]
    risk_level: Union[Literal["low", "medium", "high", "critical"], None]


class SandboxCatalogExamplesValue(TypedDict):
    request: Dict[str, Any]
    response: Dict[str, Any]


class SandboxCatalog(TypedDict):
    phone_numbers: List[SandboxCatalogPhoneNumbersItem]
    emails: List[SandboxCatalogEmailsItem]
    # Effect of each event type, by name
    event_types: Dict[str, str]
    # Complete requests to POST /check with a test key, and their responses
    examples: Dict[str, SandboxCatalogExamplesValue]


class _PhoneOutcomeReportRequired(TypedDict):
    # E.164
    phone: str
    outcome: Literal["fraud", "sim_swap_fraud", "account_takeover", "spam", "bot", "legitimate"]


class PhoneOutcomeReport(_PhoneOutcomeReportRequired, total=False):
    check_id: Union[str, None]
    # Additional JSON context
    metadata: Union[Dict[str, Any], None]
    confidence: Union[float, None]


class _AcceptedPhoneOutcomeReportRequired(TypedDict):
    # E.164
    phone: str
    outcome: Literal["fraud", "sim_swap_fraud", "account_takeover", "spam", "bot", "legitimate"]
    confidence: float


class AcceptedPhoneOutcomeReport(_AcceptedPhoneOutcomeReportRequired, total=False):
    check_id: str
    # Additional JSON context
    metadata: Dict[str, Any]


class _ProfileRequestRequired(TypedDict):
    # Your user identifier, unique per organization
    external_id: str


class ProfileRequest(_ProfileRequestRequired, total=False):
    profile_type: Union[Literal["customer", "cashier", "employee", "system"], None]
    # Hash of the device fingerprint; links the device to the profile
    fingerprint_hash: Union[str, None]
    # Hashed IP address
    ip_hash: Union[str, None]
    # ISO 3166-1 alpha-2, in either case
    country_code: Union[str, None]
    latitude: Union[float, None]
    longitude: Union[float, None]


class UpsertedProfileProfile(TypedDict):
    id: str
    external_id: str
    profile_type: Literal["customer", "cashier", "employee", "system"]
    status: Literal["active"]
    risk_score: int
    risk_level: Literal["low", "medium", "high", "critical"]
    device_count: int
    total_orders: int


class UpsertedProfile(TypedDict):
    profile: UpsertedProfileProfile
    is_new: bool
    device_linked: bool
    # Name of a suspicious device pattern; null if there is none
    device_anomaly: Union[str, None]


class _OrderRequestItemsItemRequired(TypedDict):
    # Below zero for returned goods
    quantity: int
    # Below zero for vouchers
    unit_price_cents: int
    total_price_cents: int


class OrderRequestItemsItem(_OrderRequestItemsItemRequired, total=False):
    external_item_id: Union[str, None]
    item_category: Union[str, None]
    discount_cents: Union[int, None]
    discount_type: Union[Literal["none", "percentage", "fixed", "override", "employee"], None]


class _OrderRequestRequired(TypedDict):
    # Your order ID, unique per organization
    external_order_id: str
    # Below zero when more is returned than bought
    amount_cents: int


class OrderRequest(_OrderRequestRequired, total=False):
    # external_id of the profile; omit it for anonymous point-of-sale orders
    external_id: Union[str, None]
    # ISO 4217 code, in either case; defaults to USD
    currency: Union[str, None]
    order_type: Union[Literal["online", "in_store", "phone", "other"], None]
    payment_method: Union[Literal["card", "cash", "mobile", "crypto", "other"], None]
    item_count: Union[int, None]
    location_latitude: Union[float, None]
    location_longitude: Union[float, None]
    # Country name
    location_country: Union[str, None]
    # City name
    location_city: Union[str, None]
    # Name of the store or location
    location_name: Union[str, None]
    # Hash of the device fingerprint
    fingerprint_hash: Union[str, None]
    # Hashed IP address
    ip_hash: Union[str, None]
    # ID of the point-of-sale device
    edge_device_id: Union[str, None]
    # external_id of the cashier
    cashier_external_id: Union[str, None]
    # RFC 3339; defaults to now
    ordered_at: Union[str, None]
    items: Union[List[OrderRequestItemsItem], None]


class ScoredOrderOrder(TypedDict):
    id: str
    external_order_id: str
    status: Literal["pending"]
    ordered_at: str


class ScoredOrderRiskSignals(TypedDict):
    velocity: int
    amount_anomaly: int
    location_anomaly: int
    device_anomaly: int
    time_anomaly: int
    pattern: int


class ScoredOrderRisk(TypedDict):
    risk_score: int
    risk_level: Literal["low", "medium", "high", "critical"]
    signals: ScoredOrderRiskSignals
    flags: List[Literal["high_velocity", "amount_anomaly", "location_anomaly", "device_anomaly", "time_anomaly", "pattern_anomaly"]]
    # True when the score is 50 or more
    flagged_for_review: bool


class ScoredOrder(TypedDict):
    order: ScoredOrderOrder
    risk: ScoredOrderRisk


class BulkOrderRequest(TypedDict):
    orders: List[OrderRequest]


class _CashierActionRequestRequired(TypedDict):
    # external_id of the cashier
    cashier_external_id: str
    action_type: Literal["void", "refund", "discount_override", "price_override", "no_sale", "cash_drop", "cash_pickup", "drawer_open", "shift_start", "shift_end"]


class CashierActionRequest(_CashierActionRequestRequired, total=False):
    # Point-of-sale device id
    edge_device_id: Union[str, None]
    # Your id of the order that the action concerns
    order_external_id: Union[str, None]
    # The sign makes no difference to the score
    amount_cents: Union[int, None]
    reason: Union[str, None]
    # RFC 3339; default now
    performed_at: Union[str, None]


class CashierActionAction(TypedDict):
    id: str
    action_type: Literal["void", "refund", "discount_override", "price_override", "no_sale", "cash_drop", "cash_pickup", "drawer_open", "shift_start", "shift_end"]
    # null when not sent
    amount_cents: Union[int, None]
    performed_at: str


class CashierActionFraudSignals(TypedDict):
    excessive_voids: int
    excessive_refunds: int
    discount_abuse: int
    off_shift: int
    velocity_anomaly: int
    drawer_anomaly: int
    round_number_refund: int


class CashierActionFraud(TypedDict):
    risk_score: int
    risk_level: Literal["low", "medium", "high", "critical"]
    signals: CashierActionFraudSignals
    flags: List[Literal["excessive_voids", "excessive_refunds", "discount_abuse", "off_shift_activity", "drawer_anomaly", "round_number_refund"]]


class CashierAction(TypedDict):
    action: CashierActionAction
    fraud: CashierActionFraud


class EdgeLogBatchLogsItemError(TypedDict, total=False):
    type: Union[str, None]
    stack: Union[str, None]
    code: Union[str, None]


class _EdgeLogBatchLogsItemRequired(TypedDict):
    device_id: str
    level: Literal["debug", "info", "warn", "error", "fatal"]
    message: str


class EdgeLogBatchLogsItem(_EdgeLogBatchLogsItemRequired, total=False):
    # ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size; default: the time of receipt
    timestamp: Union[str, float, None]
    category: Union[str, None]
    environment: Union[str, None]
    error: Union[EdgeLogBatchLogsItemError, None, str]
    data: Union[Dict[str, Any], None, str]
    tags: Union[List[str], None, str]
    trace_id: Union[str, None]
    span_id: Union[str, None]


class EdgeLogBatch(TypedDict):
    logs: List[EdgeLogBatchLogsItem]


class EdgeLogError(TypedDict):
    type: Union[str, None]
    stack: Union[str, None]
    code: Union[str, None]


class EdgeLog(TypedDict):
    id: str
    device_id: str
    level: Literal["debug", "info", "warn", "error", "fatal"]
    message: str
    # By the clock of the device
    timestamp: str
    category: Union[str, None]
    environment: Union[str, None]
    error: Union[EdgeLogError, None]
    data: Union[Dict[str, Any], None]
    tags: List[str]
    trace_id: Union[str, None]
    span_id: Union[str, None]
    received_at: str
    # Fingerprint of the error group; null for levels below `error`
    error_fingerprint: Union[str, None]


class EdgeLogPagePagination(TypedDict):
    page: int
    limit: int
    total: int
    pages: int


class EdgeLogPage(TypedDict):
    # Newest first
    logs: List[EdgeLog]
    pagination: EdgeLogPagePagination


class EdgeLogSearchPagePagination(TypedDict):
    page: int
    limit: int
    total: int
    pages: int


class EdgeLogSearchPageQueryTermsItem(TypedDict):
    # Index of its first UTF-16 code unit in `q`
    start: int
    # Index after its last one
    end: int
    meaning: str
    is_excluded: bool
    # Normalized words of messages, with `*` where a word can go on
    words: List[str]


class EdgeLogSearchPageQueryNotesItem(TypedDict):
    # Index of its first UTF-16 code unit in `q`
    start: int
    # Index after its last one
    end: int
    text: str


class EdgeLogSearchPageQuery(TypedDict):
    # The whole query in words
    read_as: str
    # Its conditions, in order
    terms: List[EdgeLogSearchPageQueryTermsItem]
    # Parts that may have been meant differently, such as an unknown field
    notes: List[EdgeLogSearchPageQueryNotesItem]


class EdgeLogSearchPageSuggestionsItem(TypedDict):
    # A query that finds logs
    q: str
    # How many, and how it differs from `q`
    text: str
    total: int
    # Whether the dates have to be left out for it
    without_dates: bool


class EdgeLogSearchPage(TypedDict):
    # Newest first
    logs: List[EdgeLog]
    pagination: EdgeLogSearchPagePagination
    # How `q` was read
    query: EdgeLogSearchPageQuery
    # If nothing was found: similar queries that find something
    suggestions: List[EdgeLogSearchPageSuggestionsItem]


class EdgeErrorGroup(TypedDict):
    fingerprint: str
    # Type of the newest error of the group
    error_type: Union[str, None]
    # First 1,000 characters of the message of the newest error
    message: str
    count: int
    affected_devices: int
    first_seen: str
    last_seen: str
    environments: List[str]


class EdgeOverviewLogsByLevelItem(TypedDict):
    level: Literal["debug", "info", "warn", "error", "fatal"]
    count: int


class EdgeOverviewLogs(TypedDict):
    total: int
    # All levels, including those without logs
    by_level: List[EdgeOverviewLogsByLevelItem]


class EdgeOverviewDevices(TypedDict):
    total: int
    active: int
    with_errors: int


class EdgeOverviewErrors(TypedDict):
    total: int
    unique_types: int
    # Percentage of logs whose level is `error` or `fatal`
    error_rate: float


class EdgeOverviewTrends(TypedDict):
    logs_24h: int
    # Change in percent from the preceding 24 hours; 100 if those had no logs
    logs_24h_change: float


class EdgeOverview(TypedDict):
    logs: EdgeOverviewLogs
    devices: EdgeOverviewDevices
    errors: EdgeOverviewErrors
    trends: EdgeOverviewTrends


class EdgeTrendPointByLevelItem(TypedDict):
    level: Literal["debug", "info", "warn", "error", "fatal"]
    count: int


class EdgeTrendPoint(TypedDict):
    timestamp: str
    total: int
    # All levels, including those without logs
    by_level: List[EdgeTrendPointByLevelItem]


class EdgeDeviceRegistrationLocation(TypedDict, total=False):
    name: Union[str, None]
    address: Union[str, None]


class _EdgeDeviceRegistrationRequired(TypedDict):
    # Your identifier of the device, unique per organization
    device_id: str


class EdgeDeviceRegistration(_EdgeDeviceRegistrationRequired, total=False):
    device_type: Union[Literal["pos", "kiosk", "iot", "mobile", "desktop", "server", "gateway", "other"], None]
    name: Union[str, None]
    firmware_version: Union[str, None]
    location: Union[EdgeDeviceRegistrationLocation, None]
    tags: Union[List[str], None]


class EdgeDeviceLocation(TypedDict):
    name: Union[str, None]
    address: Union[str, None]


class EdgeDevice(TypedDict):
    device_id: str
    device_type: Union[Literal["pos", "kiosk", "iot", "mobile", "desktop", "server", "gateway", "other"], None]
    name: Union[str, None]
    firmware_version: Union[str, None]
    location: Union[EdgeDeviceLocation, None]
    tags: List[str]
    # Time of the last registration, heartbeat or log, by the clock of the service
    last_seen_at: str
    status: Literal["active", "inactive"]


class EdgeDevicePagePagination(TypedDict):
    page: int
    limit: int
    total: int
    pages: int


class EdgeDevicePage(TypedDict):
    devices: List[EdgeDevice]
    pagination: EdgeDevicePagePagination


class EdgeAlertCondition(TypedDict, total=False):
    # One level, or several separated by commas
    level: str
    category: str
    environment: str
    device_id: str
    error_fingerprint: str
    # A query as in GET /edge/logs/search
    q: str


class EdgeAlert(TypedDict):
    id: str
    name: str
    # Filters a log must match to be counted; an empty object matches all logs
    condition: EdgeAlertCondition
    # The alert fires when at least this number of logs match within the window, or for the kind absence, when fewer match
    threshold: int
    window_minutes: int
    kind: Literal["count", "absence", "ratio", "new_group"]
    ratio_percent: Union[float, None]
    # Until then, nothing is notified
    muted_until: Union[str, None]
    status: Literal["ok", "firing"]
    # Time at which it last began to fire
    last_fired_at: Union[str, None]
    # Time at which it last stopped firing
    last_resolved_at: Union[str, None]


class EdgeAlertRequestCondition(TypedDict, total=False):
    # One level, or several separated by commas
    level: Union[str, None]
    category: Union[str, None]
    environment: Union[str, None]
    device_id: Union[str, None]
    error_fingerprint: Union[str, None]
    # A query as in GET /edge/logs/search
    q: Union[str, None]


class _EdgeAlertRequestRequired(TypedDict):
    # Organization that you are a member of
    org_id: str
    name: str
    # Filters a log must match to be counted; an empty object matches all logs
    condition: EdgeAlertRequestCondition
    # The alert fires when at least this number of logs match within the window, or for the kind absence, when fewer match
    threshold: int
    window_minutes: int


class EdgeAlertRequest(_EdgeAlertRequestRequired, total=False):
    kind: Union[Literal["count", "absence", "ratio", "new_group"], None]
    # Required for the kind ratio, and only there: the least share of the logs of the same category, environment and device
    ratio_percent: Union[float, None]


class RumView(TypedDict, total=False):
    name: Union[str, None]
    url: Union[str, None]
    referrer: Union[str, None]


class _RumSessionStartEventRequired(TypedDict):
    type: Literal["session_start"]
    # ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size
    timestamp: Union[str, float]


class RumSessionStartEvent(_RumSessionStartEventRequired, total=False):
    view: Union[RumView, None]


class _RumSessionEndEventRequired(TypedDict):
    type: Literal["session_end"]
    # ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size
    timestamp: Union[str, float]


class RumSessionEndEvent(_RumSessionEndEventRequired, total=False):
    view: Union[RumView, None]


class RumNamedView(TypedDict, total=False):
    """A view with a name or a url"""

    name: Union[str, None]
    url: Union[str, None]
    referrer: Union[str, None]


class RumViewEvent(TypedDict):
    type: Literal["view"]
    # ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size
    timestamp: Union[str, float]
    view: RumNamedView


class RumActionEventAction(TypedDict, total=False):
    type: Union[str, None]
    target: Union[str, None]


class _RumActionEventRequired(TypedDict):
    type: Literal["action"]
    # ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size
    timestamp: Union[str, float]


class RumActionEvent(_RumActionEventRequired, total=False):
    view: Union[RumView, None]
    action: Union[RumActionEventAction, None]


class _RumErrorEventErrorRequired(TypedDict):
    message: str


class RumErrorEventError(_RumErrorEventErrorRequired, total=False):
    stack: Union[str, None]
    type: Union[str, None]


class _RumErrorEventRequired(TypedDict):
    type: Literal["error"]
    # ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size
    timestamp: Union[str, float]
    error: RumErrorEventError


class RumErrorEvent(_RumErrorEventRequired, total=False):
    view: Union[RumView, None]


class RumResourceEventResource(TypedDict, total=False):
    url: Union[str, None]
    method: Union[str, None]
    status: Union[float, None]
    duration_ms: Union[float, None]
    size_bytes: Union[float, None]


class _RumResourceEventRequired(TypedDict):
    type: Literal["resource"]
    # ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size
    timestamp: Union[str, float]


class RumResourceEvent(_RumResourceEventRequired, total=False):
    view: Union[RumView, None]
    resource: Union[RumResourceEventResource, None]


class _RumVitalRequired(TypedDict):
    name: str
    # At most 600000 for LCP, 600000 for INP, 100 for CLS, 600000 for FCP, 600000 for TTFB
    value: float


class RumVital(_RumVitalRequired, total=False):
    id: Union[str, None]


class _RumVitalEventRequired(TypedDict):
    type: Literal["vital"]
    # ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size
    timestamp: Union[str, float]
    vital: RumVital


class RumVitalEvent(_RumVitalEventRequired, total=False):
    view: Union[RumView, None]


class RumLongTaskEventLongTask(TypedDict, total=False):
    duration_ms: Union[float, None]


class _RumLongTaskEventRequired(TypedDict):
    type: Literal["long_task"]
    # ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size
    timestamp: Union[str, float]


class RumLongTaskEvent(_RumLongTaskEventRequired, total=False):
    view: Union[RumView, None]
    long_task: Union[RumLongTaskEventLongTask, None]


class RumLogEventLog(TypedDict, total=False):
    level: Union[str, None]
    message: Union[str, None]


class _RumLogEventRequired(TypedDict):
    type: Literal["log"]
    # ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size
    timestamp: Union[str, float]


class RumLogEvent(_RumLogEventRequired, total=False):
    view: Union[RumView, None]
    log: Union[RumLogEventLog, None]


class RumEvents(TypedDict):
    session_id: str
    events: List[RumEvent]


class RumReceiptErrorsItem(TypedDict):
    # Position in the batch, from 0
    index: int
    # Path of the member inside of it, such as `error.code`; empty for the whole
    field: str
    reason: str


class _RumReceiptRequired(TypedDict):
    # Events in the request
    received: int
    # Events that were accepted and stored
    processed: int


class RumReceipt(_RumReceiptRequired, total=False):
    # Those that were rejected; absent when all were accepted
    errors: List[RumReceiptErrorsItem]


class RumUsage(TypedDict):
    """Usage in the calendar month in UTC, for the mode of the key"""

    sessions_this_month: int
    events_this_month: int
    # Whole credits, rounded down
    credits_used_this_month: int


class EnterpriseSignupRequest(TypedDict):
    # URL to which the provider sends the administrator with an `enterpriseToken`
    callback_url: str


class EnterpriseSignup(TypedDict):
    # Page of the provider, which cannot be shown in a frame
    signup_url: str
    # Needed to create the enterprise
    signup_url_name: str


class EnterpriseRequest(TypedDict):
    signup_url_name: str
    # The `enterpriseToken` that the provider passed to the callback
    enterprise_token: str


class Enterprise(TypedDict):
    # Name of the enterprise at the provider
    name: str
    display_name: str
    created_at: str


class DevicePolicy(TypedDict):
    id: str
    name: str
    description: str
    management_mode: Literal["fully_managed", "work_profile"]
    # A policy of the Android Management API
    policy_json: Dict[str, Any]
    # Increases with each change of `policy_json`
    version: int
    publish_state: Literal["waiting", "published", "rejected"]
    # Why the provider rejected this version
    publish_error: Union[str, None]
    created_at: str
    updated_at: str


class AndroidManagementAdvancedSecurityOverrides(TypedDict, total=False):
    commonCriteriaMode: Literal["COMMON_CRITERIA_MODE_UNSPECIFIED", "COMMON_CRITERIA_MODE_DISABLED", "COMMON_CRITERIA_MODE_ENABLED"]
    contentProtectionPolicy: Literal["CONTENT_PROTECTION_POLICY_UNSPECIFIED", "CONTENT_PROTECTION_DISABLED", "CONTENT_PROTECTION_ENFORCED", "CONTENT_PROTECTION_USER_CHOICE"]
    developerSettings: Literal["DEVELOPER_SETTINGS_UNSPECIFIED", "DEVELOPER_SETTINGS_DISABLED", "DEVELOPER_SETTINGS_ALLOWED"]
    googlePlayProtectVerifyApps: Literal["GOOGLE_PLAY_PROTECT_VERIFY_APPS_UNSPECIFIED", "VERIFY_APPS_ENFORCED", "VERIFY_APPS_USER_CHOICE"]
    mtePolicy: Literal["MTE_POLICY_UNSPECIFIED", "MTE_USER_CHOICE", "MTE_ENFORCED", "MTE_DISABLED"]
    personalAppsThatCanReadWorkNotifications: List[str]
    untrustedAppsPolicy: Literal["UNTRUSTED_APPS_POLICY_UNSPECIFIED", "DISALLOW_INSTALL", "ALLOW_INSTALL_IN_PERSONAL_PROFILE_ONLY", "ALLOW_INSTALL_DEVICE_WIDE"]


class AndroidManagementAlwaysOnVpnPackage(TypedDict, total=False):
    lockdownEnabled: bool
    packageName: str


class AndroidManagementCustomAppConfig(TypedDict, total=False):
    userUninstallSettings: Literal["USER_UNINSTALL_SETTINGS_UNSPECIFIED", "DISALLOW_UNINSTALL_BY_USER", "ALLOW_UNINSTALL_BY_USER"]


class AndroidManagementExtensionConfig(TypedDict, total=False):
    notificationReceiver: str
    signingKeyFingerprintsSha256: List[str]


class AndroidManagementInstallConstraint(TypedDict, total=False):
    chargingConstraint: Literal["CHARGING_CONSTRAINT_UNSPECIFIED", "CHARGING_NOT_REQUIRED", "INSTALL_ONLY_WHEN_CHARGING"]
    deviceIdleConstraint: Literal["DEVICE_IDLE_CONSTRAINT_UNSPECIFIED", "DEVICE_IDLE_NOT_REQUIRED", "INSTALL_ONLY_WHEN_DEVICE_IDLE"]
    networkTypeConstraint: Literal["NETWORK_TYPE_CONSTRAINT_UNSPECIFIED", "INSTALL_ON_ANY_NETWORK", "INSTALL_ONLY_ON_UNMETERED_NETWORK"]


class AndroidManagementManagedConfigurationTemplate(TypedDict, total=False):
    configurationVariables: Dict[str, str]
    templateId: str


class AndroidManagementPermissionGrant(TypedDict, total=False):
    permission: str
    policy: Literal["PERMISSION_POLICY_UNSPECIFIED", "PROMPT", "GRANT", "DENY"]


class AndroidManagementRole(TypedDict, total=False):
    roleType: Literal["ROLE_TYPE_UNSPECIFIED", "COMPANION_APP", "KIOSK", "MOBILE_THREAT_DEFENSE_ENDPOINT_DETECTION_RESPONSE", "SYSTEM_HEALTH_MONITORING"]


class AndroidManagementApplicationSigningKeyCert(TypedDict, total=False):
    signingKeyCertFingerprintSha256: str


class AndroidManagementApplicationPolicy(TypedDict, total=False):
    accessibleTrackIds: List[str]
    alwaysOnVpnLockdownExemption: Literal["ALWAYS_ON_VPN_LOCKDOWN_EXEMPTION_UNSPECIFIED", "VPN_LOCKDOWN_ENFORCED", "VPN_LOCKDOWN_EXEMPTION"]
    autoUpdateMode: Literal["AUTO_UPDATE_MODE_UNSPECIFIED", "AUTO_UPDATE_DEFAULT", "AUTO_UPDATE_POSTPONED", "AUTO_UPDATE_HIGH_PRIORITY"]
    connectedWorkAndPersonalApp: Literal["CONNECTED_WORK_AND_PERSONAL_APP_UNSPECIFIED", "CONNECTED_WORK_AND_PERSONAL_APP_DISALLOWED", "CONNECTED_WORK_AND_PERSONAL_APP_ALLOWED"]
    credentialProviderPolicy: Literal["CREDENTIAL_PROVIDER_POLICY_UNSPECIFIED", "CREDENTIAL_PROVIDER_ALLOWED"]
    customAppConfig: AndroidManagementCustomAppConfig
    defaultPermissionPolicy: Literal["PERMISSION_POLICY_UNSPECIFIED", "PROMPT", "GRANT", "DENY"]
    delegatedScopes: List[Literal["DELEGATED_SCOPE_UNSPECIFIED", "CERT_INSTALL", "MANAGED_CONFIGURATIONS", "BLOCK_UNINSTALL", "PERMISSION_GRANT", "PACKAGE_ACCESS", "ENABLE_SYSTEM_APP", "NETWORK_ACTIVITY_LOGS", "SECURITY_LOGS", "CERT_SELECTION"]]
    disabled: bool
    extensionConfig: AndroidManagementExtensionConfig
    installConstraint: List[AndroidManagementInstallConstraint]
    installPriority: int
    installType: Literal["INSTALL_TYPE_UNSPECIFIED", "PREINSTALLED", "FORCE_INSTALLED", "BLOCKED", "AVAILABLE", "REQUIRED_FOR_SETUP", "KIOSK", "CUSTOM"]
    lockTaskAllowed: bool
    managedConfiguration: Dict[str, Any]
    managedConfigurationTemplate: AndroidManagementManagedConfigurationTemplate
    minimumVersionCode: int
    packageName: str
    permissionGrants: List[AndroidManagementPermissionGrant]
    preferentialNetworkId: Literal["PREFERENTIAL_NETWORK_ID_UNSPECIFIED", "NO_PREFERENTIAL_NETWORK", "PREFERENTIAL_NETWORK_ID_ONE", "PREFERENTIAL_NETWORK_ID_TWO", "PREFERENTIAL_NETWORK_ID_THREE", "PREFERENTIAL_NETWORK_ID_FOUR", "PREFERENTIAL_NETWORK_ID_FIVE"]
    roles: List[AndroidManagementRole]
    signingKeyCerts: List[AndroidManagementApplicationSigningKeyCert]
    userControlSettings: Literal["USER_CONTROL_SETTINGS_UNSPECIFIED", "USER_CONTROL_ALLOWED", "USER_CONTROL_DISALLOWED"]
    workProfileWidgets: Literal["WORK_PROFILE_WIDGETS_UNSPECIFIED", "WORK_PROFILE_WIDGETS_ALLOWED", "WORK_PROFILE_WIDGETS_DISALLOWED"]


class AndroidManagementChoosePrivateKeyRule(TypedDict, total=False):
    packageNames: List[str]
    privateKeyAlias: str
    urlPattern: str


class AndroidManagementApiLevelCondition(TypedDict, total=False):
    minApiLevel: int


class AndroidManagementNonComplianceDetailCondition(TypedDict, total=False):
    nonComplianceReason: Literal["NON_COMPLIANCE_REASON_UNSPECIFIED", "API_LEVEL", "MANAGEMENT_MODE", "USER_ACTION", "INVALID_VALUE", "APP_NOT_INSTALLED", "UNSUPPORTED", "APP_INSTALLED", "PENDING", "APP_INCOMPATIBLE", "APP_NOT_UPDATED", "DEVICE_INCOMPATIBLE", "APP_SIGNING_CERT_MISMATCH", "PROJECT_NOT_PERMITTED"]
    packageName: str
    settingName: str


class AndroidManagementComplianceRule(TypedDict, total=False):
    apiLevelCondition: AndroidManagementApiLevelCondition
    disableApps: bool
    nonComplianceDetailCondition: AndroidManagementNonComplianceDetailCondition
    packageNamesToDisable: List[str]


class AndroidManagementPackageNameList(TypedDict, total=False):
    packageNames: List[str]


class AndroidManagementCrossProfilePolicies(TypedDict, total=False):
    crossProfileAppFunctions: Literal["CROSS_PROFILE_APP_FUNCTIONS_UNSPECIFIED", "CROSS_PROFILE_APP_FUNCTIONS_DISALLOWED", "CROSS_PROFILE_APP_FUNCTIONS_ALLOWED"]
    crossProfileCopyPaste: Literal["CROSS_PROFILE_COPY_PASTE_UNSPECIFIED", "COPY_FROM_WORK_TO_PERSONAL_DISALLOWED", "CROSS_PROFILE_COPY_PASTE_ALLOWED"]
    crossProfileDataSharing: Literal["CROSS_PROFILE_DATA_SHARING_UNSPECIFIED", "CROSS_PROFILE_DATA_SHARING_DISALLOWED", "DATA_SHARING_FROM_WORK_TO_PERSONAL_DISALLOWED", "CROSS_PROFILE_DATA_SHARING_ALLOWED"]
    exemptionsToShowWorkContactsInPersonalProfile: AndroidManagementPackageNameList
    showWorkContactsInPersonalProfile: Literal["SHOW_WORK_CONTACTS_IN_PERSONAL_PROFILE_UNSPECIFIED", "SHOW_WORK_CONTACTS_IN_PERSONAL_PROFILE_DISALLOWED", "SHOW_WORK_CONTACTS_IN_PERSONAL_PROFILE_ALLOWED", "SHOW_WORK_CONTACTS_IN_PERSONAL_PROFILE_DISALLOWED_EXCEPT_SYSTEM"]
    workProfileWidgetsDefault: Literal["WORK_PROFILE_WIDGETS_DEFAULT_UNSPECIFIED", "WORK_PROFILE_WIDGETS_DEFAULT_ALLOWED", "WORK_PROFILE_WIDGETS_DEFAULT_DISALLOWED"]


class AndroidManagementDefaultApplication(TypedDict, total=False):
    packageName: str


class AndroidManagementDefaultApplicationSetting(TypedDict, total=False):
    defaultApplicationScopes: List[Literal["DEFAULT_APPLICATION_SCOPE_UNSPECIFIED", "SCOPE_FULLY_MANAGED", "SCOPE_WORK_PROFILE", "SCOPE_PERSONAL_PROFILE"]]
    defaultApplicationType: Literal["DEFAULT_APPLICATION_TYPE_UNSPECIFIED", "DEFAULT_ASSISTANT", "DEFAULT_BROWSER", "DEFAULT_CALL_REDIRECTION", "DEFAULT_CALL_SCREENING", "DEFAULT_DIALER", "DEFAULT_HOME", "DEFAULT_SMS", "DEFAULT_WALLET"]
    defaultApplications: List[AndroidManagementDefaultApplication]


class AndroidManagementApnSetting(TypedDict, total=False):
    alwaysOnSetting: Literal["ALWAYS_ON_SETTING_UNSPECIFIED", "NOT_ALWAYS_ON", "ALWAYS_ON"]
    apn: str
    apnTypes: List[Literal["APN_TYPE_UNSPECIFIED", "ENTERPRISE", "BIP", "CBS", "DEFAULT", "DUN", "EMERGENCY", "FOTA", "HIPRI", "IA", "IMS", "MCX", "MMS", "RCS", "SUPL", "VSIM", "XCAP"]]
    authType: Literal["AUTH_TYPE_UNSPECIFIED", "NONE", "PAP", "CHAP", "PAP_OR_CHAP"]
    carrierId: int
    displayName: str
    mmsProxyAddress: str
    mmsProxyPort: int
    mmsc: str
    mtuV4: int
    mtuV6: int
    mvnoType: Literal["MVNO_TYPE_UNSPECIFIED", "GID", "ICCID", "IMSI", "SPN"]
    networkTypes: List[Literal["NETWORK_TYPE_UNSPECIFIED", "EDGE", "GPRS", "GSM", "HSDPA", "HSPA", "HSPAP", "HSUPA", "IWLAN", "LTE", "NR", "TD_SCDMA", "UMTS"]]
    numericOperatorId: str
    password: str
    protocol: Literal["PROTOCOL_UNSPECIFIED", "IP", "IPV4V6", "IPV6", "NON_IP", "PPP", "UNSTRUCTURED"]
    proxyAddress: str
    proxyPort: int
    roamingProtocol: Literal["PROTOCOL_UNSPECIFIED", "IP", "IPV4V6", "IPV6", "NON_IP", "PPP", "UNSTRUCTURED"]
    username: str


class AndroidManagementApnPolicy(TypedDict, total=False):
    apnSettings: List[AndroidManagementApnSetting]
    overrideApns: Literal["OVERRIDE_APNS_UNSPECIFIED", "OVERRIDE_APNS_DISABLED", "OVERRIDE_APNS_ENABLED"]


class AndroidManagementPreferentialNetworkServiceConfig(TypedDict, total=False):
    fallbackToDefaultConnection: Literal["FALLBACK_TO_DEFAULT_CONNECTION_UNSPECIFIED", "FALLBACK_TO_DEFAULT_CONNECTION_ALLOWED", "FALLBACK_TO_DEFAULT_CONNECTION_DISALLOWED"]
    nonMatchingNetworks: Literal["NON_MATCHING_NETWORKS_UNSPECIFIED", "NON_MATCHING_NETWORKS_ALLOWED", "NON_MATCHING_NETWORKS_DISALLOWED"]
    preferentialNetworkId: Literal["PREFERENTIAL_NETWORK_ID_UNSPECIFIED", "NO_PREFERENTIAL_NETWORK", "PREFERENTIAL_NETWORK_ID_ONE", "PREFERENTIAL_NETWORK_ID_TWO", "PREFERENTIAL_NETWORK_ID_THREE", "PREFERENTIAL_NETWORK_ID_FOUR", "PREFERENTIAL_NETWORK_ID_FIVE"]


class AndroidManagementPreferentialNetworkServiceSettings(TypedDict, total=False):
    defaultPreferentialNetworkId: Literal["PREFERENTIAL_NETWORK_ID_UNSPECIFIED", "NO_PREFERENTIAL_NETWORK", "PREFERENTIAL_NETWORK_ID_ONE", "PREFERENTIAL_NETWORK_ID_TWO", "PREFERENTIAL_NETWORK_ID_THREE", "PREFERENTIAL_NETWORK_ID_FOUR", "PREFERENTIAL_NETWORK_ID_FIVE"]
    preferentialNetworkServiceConfigs: List[AndroidManagementPreferentialNetworkServiceConfig]


class AndroidManagementPrivateDnsSettings(TypedDict, total=False):
    privateDnsHost: str
    privateDnsMode: Literal["PRIVATE_DNS_MODE_UNSPECIFIED", "PRIVATE_DNS_USER_CHOICE", "PRIVATE_DNS_AUTOMATIC", "PRIVATE_DNS_SPECIFIED_HOST"]


class AndroidManagementWifiRoamingSetting(TypedDict, total=False):
    wifiRoamingMode: Literal["WIFI_ROAMING_MODE_UNSPECIFIED", "WIFI_ROAMING_DISABLED", "WIFI_ROAMING_DEFAULT", "WIFI_ROAMING_AGGRESSIVE"]
    wifiSsid: str


class AndroidManagementWifiRoamingPolicy(TypedDict, total=False):
    wifiRoamingSettings: List[AndroidManagementWifiRoamingSetting]


class AndroidManagementWifiSsid(TypedDict, total=False):
    wifiSsid: str


class AndroidManagementWifiSsidPolicy(TypedDict, total=False):
    wifiSsidPolicyType: Literal["WIFI_SSID_POLICY_TYPE_UNSPECIFIED", "WIFI_SSID_DENYLIST", "WIFI_SSID_ALLOWLIST"]
    wifiSsids: List[AndroidManagementWifiSsid]


class AndroidManagementDeviceConnectivityManagement(TypedDict, total=False):
    apnPolicy: AndroidManagementApnPolicy
    bluetoothSharing: Literal["BLUETOOTH_SHARING_UNSPECIFIED", "BLUETOOTH_SHARING_ALLOWED", "BLUETOOTH_SHARING_DISALLOWED"]
    configureWifi: Literal["CONFIGURE_WIFI_UNSPECIFIED", "ALLOW_CONFIGURING_WIFI", "DISALLOW_ADD_WIFI_CONFIG", "DISALLOW_CONFIGURING_WIFI"]
    preferentialNetworkServiceSettings: AndroidManagementPreferentialNetworkServiceSettings
    privateDnsSettings: AndroidManagementPrivateDnsSettings
    tetheringSettings: Literal["TETHERING_SETTINGS_UNSPECIFIED", "ALLOW_ALL_TETHERING", "DISALLOW_WIFI_TETHERING", "DISALLOW_ALL_TETHERING"]
    usbDataAccess: Literal["USB_DATA_ACCESS_UNSPECIFIED", "ALLOW_USB_DATA_TRANSFER", "DISALLOW_USB_FILE_TRANSFER", "DISALLOW_USB_DATA_TRANSFER"]
    wifiDirectSettings: Literal["WIFI_DIRECT_SETTINGS_UNSPECIFIED", "ALLOW_WIFI_DIRECT", "DISALLOW_WIFI_DIRECT"]
    wifiRoamingPolicy: AndroidManagementWifiRoamingPolicy
    wifiSsidPolicy: AndroidManagementWifiSsidPolicy


class AndroidManagementUserFacingMessage(TypedDict, total=False):
    defaultMessage: str
    localizedMessages: Dict[str, str]


class AndroidManagementDeviceRadioState(TypedDict, total=False):
    airplaneModeState: Literal["AIRPLANE_MODE_STATE_UNSPECIFIED", "AIRPLANE_MODE_USER_CHOICE", "AIRPLANE_MODE_DISABLED"]
    cellularTwoGState: Literal["CELLULAR_TWO_G_STATE_UNSPECIFIED", "CELLULAR_TWO_G_USER_CHOICE", "CELLULAR_TWO_G_DISABLED"]
    minimumWifiSecurityLevel: Literal["MINIMUM_WIFI_SECURITY_LEVEL_UNSPECIFIED", "OPEN_NETWORK_SECURITY", "PERSONAL_NETWORK_SECURITY", "ENTERPRISE_NETWORK_SECURITY", "ENTERPRISE_BIT192_NETWORK_SECURITY"]
    ultraWidebandState: Literal["ULTRA_WIDEBAND_STATE_UNSPECIFIED", "ULTRA_WIDEBAND_USER_CHOICE", "ULTRA_WIDEBAND_DISABLED"]
    userInitiatedAddEsimSettings: Literal["USER_INITIATED_ADD_ESIM_SETTINGS_UNSPECIFIED", "USER_INITIATED_ADD_ESIM_ALLOWED", "USER_INITIATED_ADD_ESIM_DISALLOWED"]
    wifiState: Literal["WIFI_STATE_UNSPECIFIED", "WIFI_STATE_USER_CHOICE", "WIFI_ENABLED", "WIFI_DISABLED"]


class AndroidManagementScreenBrightnessSettings(TypedDict, total=False):
    screenBrightness: int
    screenBrightnessMode: Literal["SCREEN_BRIGHTNESS_MODE_UNSPECIFIED", "BRIGHTNESS_USER_CHOICE", "BRIGHTNESS_AUTOMATIC", "BRIGHTNESS_FIXED"]


class AndroidManagementScreenTimeoutSettings(TypedDict, total=False):
    screenTimeout: str
    screenTimeoutMode: Literal["SCREEN_TIMEOUT_MODE_UNSPECIFIED", "SCREEN_TIMEOUT_USER_CHOICE", "SCREEN_TIMEOUT_ENFORCED"]


class AndroidManagementDisplaySettings(TypedDict, total=False):
    screenBrightnessSettings: AndroidManagementScreenBrightnessSettings
    screenTimeoutSettings: AndroidManagementScreenTimeoutSettings


class AndroidManagementKioskCustomization(TypedDict, total=False):
    deviceSettings: Literal["DEVICE_SETTINGS_UNSPECIFIED", "SETTINGS_ACCESS_ALLOWED", "SETTINGS_ACCESS_BLOCKED"]
    powerButtonActions: Literal["POWER_BUTTON_ACTIONS_UNSPECIFIED", "POWER_BUTTON_AVAILABLE", "POWER_BUTTON_BLOCKED"]
    statusBar: Literal["STATUS_BAR_UNSPECIFIED", "NOTIFICATIONS_AND_SYSTEM_INFO_ENABLED", "NOTIFICATIONS_AND_SYSTEM_INFO_DISABLED", "SYSTEM_INFO_ONLY"]
    systemErrorWarnings: Literal["SYSTEM_ERROR_WARNINGS_UNSPECIFIED", "ERROR_AND_WARNINGS_ENABLED", "ERROR_AND_WARNINGS_MUTED"]
    systemNavigation: Literal["SYSTEM_NAVIGATION_UNSPECIFIED", "NAVIGATION_ENABLED", "NAVIGATION_DISABLED", "HOME_BUTTON_ONLY"]


class AndroidManagementContentProviderEndpoint(TypedDict, total=False):
    packageName: str
    signingCertsSha256: List[str]
    uri: str


class AndroidManagementOncCertificateProvider(TypedDict, total=False):
    certificateReferences: List[str]
    contentProviderEndpoint: AndroidManagementContentProviderEndpoint


class AndroidManagementPasswordRequirements(TypedDict, total=False):
    maximumFailedPasswordsForWipe: int
    passwordExpirationTimeout: str
    passwordHistoryLength: int
    passwordMinimumLength: int
    passwordMinimumLetters: int
    passwordMinimumLowerCase: int
    passwordMinimumNonLetter: int
    passwordMinimumNumeric: int
    passwordMinimumSymbols: int
    passwordMinimumUpperCase: int
    passwordQuality: Literal["PASSWORD_QUALITY_UNSPECIFIED", "BIOMETRIC_WEAK", "SOMETHING", "NUMERIC", "NUMERIC_COMPLEX", "ALPHABETIC", "ALPHANUMERIC", "COMPLEX", "COMPLEXITY_LOW", "COMPLEXITY_MEDIUM", "COMPLEXITY_HIGH"]
    passwordScope: Literal["SCOPE_UNSPECIFIED", "SCOPE_DEVICE", "SCOPE_PROFILE"]
    requirePasswordUnlock: Literal["REQUIRE_PASSWORD_UNLOCK_UNSPECIFIED", "USE_DEFAULT_DEVICE_TIMEOUT", "REQUIRE_EVERY_DAY"]
    unifiedLockSettings: Literal["UNIFIED_LOCK_SETTINGS_UNSPECIFIED", "ALLOW_UNIFIED_WORK_AND_PERSONAL_LOCK", "REQUIRE_SEPARATE_WORK_LOCK"]


class AndroidManagementPersistentPreferredActivity(TypedDict, total=False):
    actions: List[str]
    categories: List[str]
    receiverActivity: str


class AndroidManagementPersonalApplicationPolicy(TypedDict, total=False):
    installType: Literal["INSTALL_TYPE_UNSPECIFIED", "BLOCKED", "AVAILABLE"]
    packageName: str


class AndroidManagementPersonalUsagePolicies(TypedDict, total=False):
    accountTypesWithManagementDisabled: List[str]
    bluetoothSharing: Literal["BLUETOOTH_SHARING_UNSPECIFIED", "BLUETOOTH_SHARING_ALLOWED", "BLUETOOTH_SHARING_DISALLOWED"]
    cameraDisabled: bool
    maxDaysWithWorkOff: int
    personalApplications: List[AndroidManagementPersonalApplicationPolicy]
    personalPlayStoreMode: Literal["PLAY_STORE_MODE_UNSPECIFIED", "BLACKLIST", "BLOCKLIST", "ALLOWLIST"]
    privateSpacePolicy: Literal["PRIVATE_SPACE_POLICY_UNSPECIFIED", "PRIVATE_SPACE_ALLOWED", "PRIVATE_SPACE_DISALLOWED"]
    screenCaptureDisabled: bool


class AndroidManagementBlockAction(TypedDict, total=False):
    blockAfterDays: int
    blockScope: Literal["BLOCK_SCOPE_UNSPECIFIED", "BLOCK_SCOPE_WORK_PROFILE", "BLOCK_SCOPE_DEVICE"]


class _AndroidManagementWipeActionRequired(TypedDict):
    # Greater than `blockAfterDays`
    wipeAfterDays: int


class AndroidManagementWipeAction(_AndroidManagementWipeActionRequired, total=False):
    preserveFrp: bool


class AndroidManagementPolicyEnforcementRule(TypedDict):
    blockAction: AndroidManagementBlockAction
    settingName: Literal["accountTypesWithManagementDisabled", "addUserDisabled", "adjustVolumeDisabled", "advancedSecurityOverrides", "alwaysOnVpnPackage", "androidDevicePolicyTracks", "appAutoUpdatePolicy", "appFunctions", "applications", "assistContentPolicy", "autoDateAndTimeZone", "autoTimeRequired", "blockApplicationsEnabled", "bluetoothConfigDisabled", "bluetoothContactSharingDisabled", "bluetoothDisabled", "cameraAccess", "cameraDisabled", "cellBroadcastsConfigDisabled", "choosePrivateKeyRules", "complianceRules", "createWindowsDisabled", "credentialProviderPolicyDefault", "credentialsConfigDisabled", "crossProfilePolicies", "dataRoamingDisabled", "debuggingFeaturesAllowed", "defaultApplicationSettings", "defaultPermissionPolicy", "deviceConnectivityManagement", "deviceOwnerLockScreenInfo", "deviceRadioState", "displaySettings", "encryptionPolicy", "ensureVerifyAppsEnabled", "enterpriseDisplayNameVisibility", "factoryResetDisabled", "frpAdminEmails", "funDisabled", "installAppsDisabled", "installUnknownSourcesAllowed", "keyguardDisabled", "keyguardDisabledFeatures", "kioskCustomLauncherEnabled", "kioskCustomization", "locationMode", "longSupportMessage", "maximumTimeToLock", "microphoneAccess", "minimumApiLevel", "mobileNetworksConfigDisabled", "modifyAccountsDisabled", "mountPhysicalMediaDisabled", "networkEscapeHatchEnabled", "networkResetDisabled", "oncCertificateProviders", "openNetworkConfiguration", "outgoingBeamDisabled", "outgoingCallsDisabled", "passwordPolicies", "passwordRequirements", "permissionGrants", "permittedAccessibilityServices", "permittedInputMethods", "persistentPreferredActivities", "personalUsagePolicies", "playStoreMode", "preferentialNetworkService", "printingPolicy", "privateKeySelectionEnabled", "recommendedGlobalProxy", "removeUserDisabled", "safeBootDisabled", "screenCaptureDisabled", "setUserIconDisabled", "setWallpaperDisabled", "setupActions", "shareLocationDisabled", "shortSupportMessage", "skipFirstUseHintsEnabled", "smsDisabled", "statusBarDisabled", "statusReportingSettings", "stayOnPluggedModes", "systemUpdate", "tetheringConfigDisabled", "uninstallAppsDisabled", "unmuteMicrophoneDisabled", "usageLog", "usbFileTransferDisabled", "usbMassStorageEnabled", "vpnConfigDisabled", "wifiConfigDisabled", "wifiConfigsLockdownEnabled", "wipeDataFlags", "workAccountSetupConfig"]
    wipeAction: AndroidManagementWipeAction


class AndroidManagementProxyInfo(TypedDict, total=False):
    excludedHosts: List[str]
    host: str
    pacUri: str
    port: int


class AndroidManagementLaunchAppAction(TypedDict, total=False):
    packageName: str


class AndroidManagementSetupAction(TypedDict, total=False):
    description: AndroidManagementUserFacingMessage
    launchApp: AndroidManagementLaunchAppAction
    title: AndroidManagementUserFacingMessage


class AndroidManagementApplicationReportingSettings(TypedDict, total=False):
    includeRemovedApps: bool


class AndroidManagementStatusReportingSettings(TypedDict, total=False):
    applicationReportingSettings: AndroidManagementApplicationReportingSettings
    applicationReportsEnabled: bool
    commonCriteriaModeEnabled: bool
    defaultApplicationInfoReportingEnabled: bool
    deviceSettingsEnabled: bool
    displayInfoEnabled: bool
    hardwareStatusEnabled: bool
    memoryInfoEnabled: bool
    networkInfoEnabled: bool
    powerManagementEventsEnabled: bool
    softwareInfoEnabled: bool
    systemPropertiesEnabled: bool


class AndroidManagementDate(TypedDict, total=False):
    day: int
    month: int
    year: int


class AndroidManagementFreezePeriod(TypedDict, total=False):
    endDate: AndroidManagementDate
    startDate: AndroidManagementDate


class AndroidManagementSystemUpdate(TypedDict, total=False):
    endMinutes: int
    freezePeriods: List[AndroidManagementFreezePeriod]
    startMinutes: int
    type: Literal["SYSTEM_UPDATE_TYPE_UNSPECIFIED", "AUTOMATIC", "WINDOWED", "POSTPONE"]


class AndroidManagementUsageLog(TypedDict, total=False):
    enabledLogTypes: List[Literal["LOG_TYPE_UNSPECIFIED", "SECURITY_LOGS", "NETWORK_ACTIVITY_LOGS"]]
    uploadOnCellularAllowed: List[Literal["LOG_TYPE_UNSPECIFIED", "SECURITY_LOGS", "NETWORK_ACTIVITY_LOGS"]]


class AndroidManagementWorkAccountSetupConfig(TypedDict, total=False):
    authenticationType: Literal["AUTHENTICATION_TYPE_UNSPECIFIED", "AUTHENTICATION_TYPE_NOT_ENFORCED", "GOOGLE_AUTHENTICATED"]
    requiredAccountEmail: str


class AndroidManagementPolicy(TypedDict, total=False):
    accountTypesWithManagementDisabled: List[str]
    addUserDisabled: bool
    adjustVolumeDisabled: bool
    advancedSecurityOverrides: AndroidManagementAdvancedSecurityOverrides
    alwaysOnVpnPackage: AndroidManagementAlwaysOnVpnPackage
    androidDevicePolicyTracks: List[Literal["APP_TRACK_UNSPECIFIED", "PRODUCTION", "BETA"]]
    appAutoUpdatePolicy: Literal["APP_AUTO_UPDATE_POLICY_UNSPECIFIED", "CHOICE_TO_THE_USER", "NEVER", "WIFI_ONLY", "ALWAYS"]
    appFunctions: Literal["APP_FUNCTIONS_UNSPECIFIED", "APP_FUNCTIONS_DISALLOWED", "APP_FUNCTIONS_ALLOWED"]
    applications: List[AndroidManagementApplicationPolicy]
    assistContentPolicy: Literal["ASSIST_CONTENT_POLICY_UNSPECIFIED", "ASSIST_CONTENT_DISALLOWED", "ASSIST_CONTENT_ALLOWED"]
    autoDateAndTimeZone: Literal["AUTO_DATE_AND_TIME_ZONE_UNSPECIFIED", "AUTO_DATE_AND_TIME_ZONE_USER_CHOICE", "AUTO_DATE_AND_TIME_ZONE_ENFORCED"]
    autoTimeRequired: bool
    blockApplicationsEnabled: bool
    bluetoothConfigDisabled: bool
    bluetoothContactSharingDisabled: bool
    bluetoothDisabled: bool
    cameraAccess: Literal["CAMERA_ACCESS_UNSPECIFIED", "CAMERA_ACCESS_USER_CHOICE", "CAMERA_ACCESS_DISABLED", "CAMERA_ACCESS_ENFORCED"]
    cameraDisabled: bool
    cellBroadcastsConfigDisabled: bool
    choosePrivateKeyRules: List[AndroidManagementChoosePrivateKeyRule]
    complianceRules: List[AndroidManagementComplianceRule]
    createWindowsDisabled: bool
    credentialProviderPolicyDefault: Literal["CREDENTIAL_PROVIDER_POLICY_DEFAULT_UNSPECIFIED", "CREDENTIAL_PROVIDER_DEFAULT_DISALLOWED", "CREDENTIAL_PROVIDER_DEFAULT_DISALLOWED_EXCEPT_SYSTEM"]
    credentialsConfigDisabled: bool
    crossProfilePolicies: AndroidManagementCrossProfilePolicies
    dataRoamingDisabled: bool
    debuggingFeaturesAllowed: bool
    defaultApplicationSettings: List[AndroidManagementDefaultApplicationSetting]
    defaultPermissionPolicy: Literal["PERMISSION_POLICY_UNSPECIFIED", "PROMPT", "GRANT", "DENY"]
    deviceConnectivityManagement: AndroidManagementDeviceConnectivityManagement
    deviceOwnerLockScreenInfo: AndroidManagementUserFacingMessage
    deviceRadioState: AndroidManagementDeviceRadioState
    displaySettings: AndroidManagementDisplaySettings
    encryptionPolicy: Literal["ENCRYPTION_POLICY_UNSPECIFIED", "ENABLED_WITHOUT_PASSWORD", "ENABLED_WITH_PASSWORD"]
    ensureVerifyAppsEnabled: bool
    enterpriseDisplayNameVisibility: Literal["ENTERPRISE_DISPLAY_NAME_VISIBILITY_UNSPECIFIED", "ENTERPRISE_DISPLAY_NAME_VISIBLE", "ENTERPRISE_DISPLAY_NAME_HIDDEN"]
    factoryResetDisabled: bool
    frpAdminEmails: List[str]
    funDisabled: bool
    installAppsDisabled: bool
    installUnknownSourcesAllowed: bool
    keyguardDisabled: bool
    keyguardDisabledFeatures: List[Literal["KEYGUARD_DISABLED_FEATURE_UNSPECIFIED", "CAMERA", "NOTIFICATIONS", "UNREDACTED_NOTIFICATIONS", "TRUST_AGENTS", "DISABLE_FINGERPRINT", "DISABLE_REMOTE_INPUT", "FACE", "IRIS", "BIOMETRICS", "SHORTCUTS", "ALL_FEATURES"]]
    kioskCustomLauncherEnabled: bool
    kioskCustomization: AndroidManagementKioskCustomization
    locationMode: Literal["LOCATION_MODE_UNSPECIFIED", "HIGH_ACCURACY", "SENSORS_ONLY", "BATTERY_SAVING", "OFF", "LOCATION_USER_CHOICE", "LOCATION_ENFORCED", "LOCATION_DISABLED"]
    longSupportMessage: AndroidManagementUserFacingMessage
    maximumTimeToLock: Union[str, int]
    microphoneAccess: Literal["MICROPHONE_ACCESS_UNSPECIFIED", "MICROPHONE_ACCESS_USER_CHOICE", "MICROPHONE_ACCESS_DISABLED", "MICROPHONE_ACCESS_ENFORCED"]
    minimumApiLevel: int
    mobileNetworksConfigDisabled: bool
    modifyAccountsDisabled: bool
    mountPhysicalMediaDisabled: bool
    networkEscapeHatchEnabled: bool
    networkResetDisabled: bool
    oncCertificateProviders: List[AndroidManagementOncCertificateProvider]
    openNetworkConfiguration: Dict[str, Any]
    outgoingBeamDisabled: bool
    outgoingCallsDisabled: bool
    passwordPolicies: List[AndroidManagementPasswordRequirements]
    passwordRequirements: AndroidManagementPasswordRequirements
    permissionGrants: List[AndroidManagementPermissionGrant]
    permittedAccessibilityServices: AndroidManagementPackageNameList
    permittedInputMethods: AndroidManagementPackageNameList
    persistentPreferredActivities: List[AndroidManagementPersistentPreferredActivity]
    personalUsagePolicies: AndroidManagementPersonalUsagePolicies
    playStoreMode: Literal["PLAY_STORE_MODE_UNSPECIFIED", "WHITELIST", "BLACKLIST"]
    policyEnforcementRules: List[AndroidManagementPolicyEnforcementRule]
    preferentialNetworkService: Literal["PREFERENTIAL_NETWORK_SERVICE_UNSPECIFIED", "PREFERENTIAL_NETWORK_SERVICE_DISABLED", "PREFERENTIAL_NETWORK_SERVICE_ENABLED"]
    printingPolicy: Literal["PRINTING_POLICY_UNSPECIFIED", "PRINTING_DISALLOWED", "PRINTING_ALLOWED"]
    privateKeySelectionEnabled: bool
    recommendedGlobalProxy: AndroidManagementProxyInfo
    removeUserDisabled: bool
    safeBootDisabled: bool
    screenCaptureDisabled: bool
    setUserIconDisabled: bool
    setWallpaperDisabled: bool
    setupActions: List[AndroidManagementSetupAction]
    shareLocationDisabled: bool
    shortSupportMessage: AndroidManagementUserFacingMessage
    skipFirstUseHintsEnabled: bool
    smsDisabled: bool
    statusBarDisabled: bool
    statusReportingSettings: AndroidManagementStatusReportingSettings
    stayOnPluggedModes: List[Literal["BATTERY_PLUGGED_MODE_UNSPECIFIED", "AC", "USB", "WIRELESS"]]
    systemUpdate: AndroidManagementSystemUpdate
    tetheringConfigDisabled: bool
    uninstallAppsDisabled: bool
    unmuteMicrophoneDisabled: bool
    usageLog: AndroidManagementUsageLog
    usbFileTransferDisabled: bool
    usbMassStorageEnabled: bool
    vpnConfigDisabled: bool
    wifiConfigDisabled: bool
    wifiConfigsLockdownEnabled: bool
    wipeDataFlags: List[Literal["WIPE_DATA_FLAG_UNSPECIFIED", "WIPE_ESIMS"]]
    workAccountSetupConfig: AndroidManagementWorkAccountSetupConfig


class _DevicePolicyRequestRequired(TypedDict):
    name: str
    management_mode: Literal["fully_managed", "work_profile"]


class DevicePolicyRequest(_DevicePolicyRequestRequired, total=False):
    description: Union[str, None]
    # A policy of the Android Management API, without `name` and `version`
    policy_json: Union[AndroidManagementPolicy, None]


class DevicePolicyUpdate(TypedDict, total=False):
    name: Union[str, None]
    management_mode: Union[Literal["fully_managed", "work_profile"], None]
    description: Union[str, None]
    # A policy of the Android Management API, without `name` and `version`
    policy_json: Union[AndroidManagementPolicy, None]


class ListedEnrollmentToken(TypedDict):
    id: str
    policy_id: str
    management_mode: Literal["fully_managed", "work_profile"]
    duration_hours: float
    one_time: bool
    # `used`: it was for one device, which has enrolled
    state: Literal["active", "used", "ended", "expired"]
    token_value: Union[str, None]
    qr_content: Union[str, None]
    expires_at: str
    created_at: str


class _EnrollmentTokenRequestRequired(TypedDict):
    # Determines the mode in which devices are managed
    policy_id: str


class EnrollmentTokenRequest(_EnrollmentTokenRequestRequired, total=False):
    # May be a fraction, but at least one minute
    duration_hours: Union[float, None]
    # Whether the token enrolls only one device
    one_time: Union[bool, None]


class EnrollmentToken(TypedDict):
    id: str
    policy_id: str
    management_mode: Literal["fully_managed", "work_profile"]
    duration_hours: float
    one_time: bool
    # `used`: it was for one device, which has enrolled
    state: Literal["active", "used", "ended", "expired"]
    # Anyone who has it can enroll a device
    token_value: str
    # JSON text that the enrollment QR code encodes
    qr_content: str
    expires_at: str
    created_at: str


class GroupCommand(TypedDict):
    id: str
    group_id: str
    type: Literal["LOCK", "REBOOT", "RESET_PASSWORD", "RELINQUISH_OWNERSHIP", "CLEAR_APP_DATA", "WIPE"]
    # Number of devices the command was created for
    total: int
    # Number of devices of the group that do not support the command
    skipped: int
    queued: int
    sent: int
    acknowledged: int
    failed: int
    expired: int
    cancelled: int
    created_at: str


class DeviceGroup(TypedDict):
    id: str
    name: str
    policy_id: Union[str, None]
    # Excludes deleted devices
    device_count: int
    last_command: Union[GroupCommand, None]
    created_at: str
    updated_at: str


class _DeviceGroupRequestRequired(TypedDict):
    name: str


class DeviceGroupRequest(_DeviceGroupRequestRequired, total=False):
    policy_id: Union[str, None]


class DeviceGroupUpdate(TypedDict, total=False):
    name: Union[str, None]
    policy_id: Union[str, None]


class DeviceGroupAssignment(TypedDict):
    # Each device leaves the group that it is in
    device_ids: List[str]


class _ClearAppDataRequestRequired(TypedDict):
    type: Literal["CLEAR_APP_DATA"]
    # Apps whose data is deleted
    package_names: List[str]


class ClearAppDataRequest(_ClearAppDataRequestRequired, total=False):
    new_password: None


class _ResetPasswordRequestRequired(TypedDict):
    type: Literal["RESET_PASSWORD"]


class ResetPasswordRequest(_ResetPasswordRequestRequired, total=False):
    package_names: None
    new_password: Union[str, None]


class _PlainCommandRequestRequired(TypedDict):
    type: Literal["LOCK", "REBOOT", "RELINQUISH_OWNERSHIP", "WIPE"]


class PlainCommandRequest(_PlainCommandRequestRequired, total=False):
    package_names: None
    new_password: None


class DeviceCommand(TypedDict):
    id: str
    device_id: str
    group_command_id: Union[str, None]
    type: Literal["LOCK", "REBOOT", "RESET_PASSWORD", "RELINQUISH_OWNERSHIP", "CLEAR_APP_DATA", "WIPE"]
    package_names: List[str]
    status: Literal["queued", "sent", "acknowledged", "failed", "expired", "cancelled"]
    error: Union[str, None]
    created_at: str
    sent_at: Union[str, None]
    completed_at: Union[str, None]
    expires_at: str


class ManagedDeviceNonComplianceDetailsItem(TypedDict):
    # Name of the violated member of the policy
    setting_name: str
    field_path: Union[str, None]
    package_name: Union[str, None]
    # The provider's `nonComplianceReason`
    reason: str
    specific_reason: Union[str, None]
    installation_failure_reason: Union[str, None]
    # Time of the first report of the violation
    first_seen_at: str
    grace_period_expires_at: str


class ManagedDevice(TypedDict):
    id: str
    name: Union[str, None]
    state: Literal["active", "disabled", "deleted", "provisioning", "lost", "preparing_for_migration", "deactivated_by_device_finance"]
    management_mode: Literal["fully_managed", "work_profile"]
    ownership_type: Literal["company_owned", "personally_owned"]
    assigned_user_id: Union[str, None]
    custom_attributes: Dict[str, Any]
    group_id: Union[str, None]
    policy_id: Union[str, None]
    applied_policy_id: Union[str, None]
    policy_error: Union[str, None]
    compliance_state: Literal["compliant", "grace_period", "non_compliant", "unknown"]
    non_compliance_details: List[ManagedDeviceNonComplianceDetailsItem]
    grace_period_expires_at: Union[str, None]
    brand: Union[str, None]
    manufacturer: Union[str, None]
    model: Union[str, None]
    serial_number: Union[str, None]
    os_version: Union[str, None]
    security_patch_level: Union[str, None]
    enrolled_at: str
    last_report_at: Union[str, None]
    deletion_requested_at: Union[str, None]
    deleted_at: Union[str, None]


class ManagedDevicePagePagination(TypedDict):
    page: int
    limit: int
    total: int
    pages: int


class ManagedDevicePage(TypedDict):
    devices: List[ManagedDevice]
    pagination: ManagedDevicePagePagination


class AuditEntry(TypedDict):
    id: str
    action: Literal["enterprise.signup_started", "enterprise.created", "policy.created", "policy.updated", "policy.published", "policy.rejected", "enrollment_token.created", "enrollment_token.ended", "device.enrolled", "device.state_changed", "device.compliance_changed", "device.updated", "device.policy_assigned", "device.policy_applied", "device.policy_rejected", "device.deletion_requested", "device.deleted", "command.created", "command.sent", "command.completed", "group.created", "group.updated", "group.deleted", "group.devices_assigned", "group.command_created"]
    actor_type: Literal["user", "system", "provider"]
    actor_id: Union[str, None]
    target_type: str
    target_id: Union[str, None]
    before: Union[Dict[str, Any], None]
    after: Union[Dict[str, Any], None]
    created_at: str


class ManagedDeviceWithHistory(TypedDict):
    device: ManagedDevice
    commands: List[DeviceCommand]
    events: List[AuditEntry]


class ManagedDeviceUpdate(TypedDict, total=False):
    name: Union[str, None]
    ownership_type: Union[Literal["company_owned", "personally_owned"], None]
    assigned_user_id: Union[str, None]
    custom_attributes: Union[Dict[str, Any], None]


class MdmOverviewByMode(TypedDict):
    fully_managed: int
    work_profile: int


class MdmOverview(TypedDict):
    # Excludes deleted devices
    total_devices: int
    active_devices: int
    provisioning_devices: int
    non_compliant_devices: int
    by_mode: MdmOverviewByMode


class AuditLogPagePagination(TypedDict):
    page: int
    limit: int
    total: int
    pages: int


class AuditLogPage(TypedDict):
    entries: List[AuditEntry]
    pagination: AuditLogPagePagination


class IdentityTokenRequest(TypedDict):
    # UUID of the application
    application_id: str
    # Your id of the user who has signed in
    external_user_id: str


class IdentityToken(TypedDict):
    # Identifies the user of one subscription of the application until it expires
    identity_token: str
    expires_at: str


class PushMessageRequest(TypedDict, total=False):
    """Requires exactly one of `application_id` and `push_configuration_id`, exactly one of `all`, `external_user_ids` and `subscription_ids`, and at least one of `title`, `body` and `data`. Content that FCM or APNs would reject (more than 4096 bytes, reserved names in `data`) is an error."""

    application_id: Union[str, None]
    # Alternative to `application_id`
    push_configuration_id: Union[str, None]
    # Sends to all subscribed devices
    all: Union[bool, None]
    # Sends to all subscribed devices of these users; unknown users are ignored
    external_user_ids: Union[List[str], None]
    # Sends to exactly these subscriptions; unknown ones are ignored
    subscription_ids: Union[List[str], None]
    title: Union[str, None]
    body: Union[str, None]
    # Data for the app. Without title and body, nothing is shown to the user
    data: Union[Dict[str, str], None]
    image: Union[str, None]
    # What the app opens when the notification is tapped
    deep_link: Union[str, None]
    # How long the notification stays relevant, from the time of sending; 0 delivers only to devices that are online
    ttl_seconds: Union[int, None]
    # A notification replaces the previous one with the same key
    collapse_key: Union[str, None]
    priority: Union[Literal["high", "normal"], None]
    badge: Union[int, None]
    sound: Union[str, None]
    # Android only
    channel_id: Union[str, None]
    # RFC 3339, at most 90 days ahead; a time in the past sends immediately
    send_at: Union[str, None]


class PushMessageAccepted(TypedDict):
    message_id: str
    status: Literal["queued", "scheduled"]
    # Number of currently reachable subscriptions in the target
    targeted: int


class _AppRegistrationRequired(TypedDict):
    # The application that the app belongs to
    application_id: str
    # A random UUID (version 4) that the app creates and stores before the request, and uses for nothing else. Repeating the request with it returns the same subscription and secret.
    registration_id: str
    platform: Literal["android", "ios"]
    # The token of the device: of FCM for `android`, of APNs in hexadecimal digits for `ios`
    token: str


class AppRegistration(_AppRegistrationRequired, total=False):
    permission: Union[Literal["granted", "provisional", "denied"], None]
    # Language tag (BCP 47), such as `de-CH`
    locale: Union[str, None]
    # Version of the app, such as `2.1.0`
    app_version: Union[str, None]
    # Name of the time zone of the device (IANA), such as `Europe/Zurich`
    time_zone: Union[str, None]


class AppRegistered(TypedDict):
    # Proves the subscription in all later requests. It is not returned again.
    subscription_secret: str
    subscription_id: str
    platform: Literal["android", "ios"]
    permission: Literal["granted", "provisional", "denied"]
    # Whether messages are sent to it: permission and token permit it
    is_reachable: bool
    external_user_id: Union[str, None]
    locale: Union[str, None]
    app_version: Union[str, None]
    time_zone: Union[str, None]


class _AppRefreshRequired(TypedDict):
    # The application that the app belongs to
    application_id: str
    # The secret that registration returned
    subscription_secret: str


class AppRefresh(_AppRefreshRequired, total=False):
    """Omitted members do not change."""

    # The current token of the device
    token: Union[str, None]
    permission: Union[Literal["granted", "provisional", "denied"], None]
    # Language tag (BCP 47), such as `de-CH`
    locale: Union[str, None]
    # Version of the app, such as `2.1.0`
    app_version: Union[str, None]
    # Name of the time zone of the device (IANA), such as `Europe/Zurich`
    time_zone: Union[str, None]


class AppSubscription(TypedDict):
    subscription_id: str
    platform: Literal["android", "ios"]
    permission: Literal["granted", "provisional", "denied"]
    # Whether messages are sent to it: permission and token permit it
    is_reachable: bool
    external_user_id: Union[str, None]
    locale: Union[str, None]
    app_version: Union[str, None]
    time_zone: Union[str, None]


class AppIdentification(TypedDict):
    # The application that the app belongs to
    application_id: str
    # The secret that registration returned
    subscription_secret: str
    # Identity assertion that the backend of the app received, valid for five minutes
    identity_token: str


class AppProof(TypedDict):
    # The application that the app belongs to
    application_id: str
    # The secret that registration returned
    subscription_secret: str


class AppEnding(TypedDict):
    # The application that the app belongs to
    application_id: str
    # The secret that registration returned
    subscription_secret: str


class AppUnsubscribed(TypedDict):
    pass


class AppReceiptsReceiptsItem(TypedDict):
    # `vigil_message_id` of the notification
    message_id: str
    kind: Literal["received", "clicked"]


class AppReceipts(TypedDict):
    # The application that the app belongs to
    application_id: str
    # The secret that registration returned
    subscription_secret: str
    receipts: List[AppReceiptsReceiptsItem]


class AppReceiptsCounted(TypedDict):
    # Receipts in the request
    received: int
    # Receipts of messages that were sent to the subscription
    known: int


class PushMessageStateFailuresItem(TypedDict):
    provider: Literal["fcm", "apns"]
    reason: Union[str, None]
    count: int


class PushMessageState(TypedDict):
    message_id: str
    application_id: str
    status: Literal["scheduled", "queued", "sending", "sent", "partially_failed", "failed", "cancelled"]
    target: Literal["all", "external_user_ids", "subscription_ids"]
    send_at: str
    created_at: str
    completed_at: Union[str, None]
    # Reachable subscriptions in the target when the message was created
    targeted: int
    # Subscriptions that the message was or will be sent to
    recipients: int
    # Recipients without an outcome
    pending: int
    # Recipients of a canceled message without an outcome
    cancelled: int
    # Recipients whose provider accepted the notification
    accepted: int
    # Recipients whose notification failed
    failed: int
    # Recipients whose app reported that it received the notification
    received: int
    # Recipients whose app reported that the user tapped the notification
    clicked: int
    # Failures by reason
    failures: List[PushMessageStateFailuresItem]
    # There are more failures than `failures` counts
    is_partial: bool


class CreateChecksContentItem1(TypedDict):
    success: Literal[True]
    message: str
    content: CheckResult


class _CreateChecksContentItem2Required(TypedDict):
    success: Literal[False]
    message: str


class CreateChecksContentItem2(_CreateChecksContentItem2Required, total=False):
    code: str
    # Details of the error
    content: Dict[str, Any]


class CreateOrdersContentItem1(TypedDict):
    success: Literal[True]
    message: str
    content: ScoredOrder


class _CreateOrdersContentItem2Required(TypedDict):
    success: Literal[False]
    message: str


class CreateOrdersContentItem2(_CreateOrdersContentItem2Required, total=False):
    code: str
    # Details of the error
    content: Dict[str, Any]


class SendEdgeLogsContentErrorsItem(TypedDict):
    # Position in the batch, from 0
    index: int
    # Path of the member inside of it, such as `error.code`; empty for the whole
    field: str
    reason: str


class _SendEdgeLogsContentRequired(TypedDict):
    # Number of entries in the batch
    received: int
    # Number of entries that were accepted and stored; they are readable after about a second
    processed: int


class SendEdgeLogsContent(_SendEdgeLogsContentRequired, total=False):
    # Those that were rejected; absent when all were accepted
    errors: List[SendEdgeLogsContentErrorsItem]


RumEvent = Union[RumSessionStartEvent, RumSessionEndEvent, RumViewEvent, RumActionEvent, RumErrorEvent, RumResourceEvent, RumVitalEvent, RumLongTaskEvent, RumLogEvent]


DeviceCommandRequest = Union[ClearAppDataRequest, ResetPasswordRequest, PlainCommandRequest]
