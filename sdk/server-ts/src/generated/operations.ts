// Generated from docs/openapi.json by `npm run sdk`. Do not edit.
import type { CallOptions, PushOptions } from '../options.ts'
import type { AcceptedPhoneOutcomeReport, AuditLogPage, BulkCheckRequest, BulkOrderRequest, CashierAction, CashierActionRequest, CheckRequest, CheckResult, DeviceCommand, DeviceCommandRequest, DeviceGroup, DeviceGroupAssignment, DeviceGroupRequest, DeviceGroupUpdate, DevicePolicy, DevicePolicyRequest, DevicePolicyUpdate, EdgeAlert, EdgeAlertRequest, EdgeDevice, EdgeDevicePage, EdgeDeviceRegistration, EdgeErrorGroup, EdgeLogBatch, EdgeLogPage, EdgeLogSearchPage, EdgeOverview, EdgeTrendPoint, EnrollmentToken, EnrollmentTokenRequest, Enterprise, EnterpriseRequest, EnterpriseSignup, EnterpriseSignupRequest, GroupCommand, IdentityToken, IdentityTokenRequest, ListedEnrollmentToken, ManagedDevice, ManagedDevicePage, ManagedDeviceUpdate, ManagedDeviceWithHistory, MdmOverview, OrderRequest, OrganizationRequest, PhoneOutcomeReport, ProfileRequest, PushMessageAccepted, PushMessageRequest, RumEvents, RumReceipt, RumUsage, SandboxCatalog, ScoredOrder, UpsertedProfile, WebhookDelivery, WebhookEndpoint, WebhookEndpointWithSecret, WebhookRequest, WebhookUpdate } from './types.ts'

/** Version of the OpenAPI document. */
export const API_VERSION = '0.1.0'

/** How each operation is sent, and when it may be sent again. */
export const OPERATIONS = {
  listWebhooks: {"method":"GET","path":"/webhooks","credential":"portal","repeat":"always","query":["org_id"]},
  createWebhook: {"method":"POST","path":"/webhooks","credential":"portal","repeat":"never","has_body":true},
  getWebhook: {"method":"GET","path":"/webhooks/{id}","credential":"portal","repeat":"always","query":["org_id"]},
  updateWebhook: {"method":"PATCH","path":"/webhooks/{id}","credential":"portal","repeat":"always","has_body":true},
  deleteWebhook: {"method":"DELETE","path":"/webhooks/{id}","credential":"portal","repeat":"always","query":["org_id"]},
  rollWebhookSecret: {"method":"POST","path":"/webhooks/{id}/roll-secret","credential":"portal","repeat":"never","has_body":true},
  listWebhookDeliveries: {"method":"GET","path":"/webhooks/{id}/deliveries","credential":"portal","repeat":"always","query":["org_id"]},
  testWebhook: {"method":"POST","path":"/webhooks/{id}/test","credential":"portal","repeat":"never","has_body":true},
  retryWebhookDelivery: {"method":"POST","path":"/webhooks/deliveries/{deliveryId}/retry","credential":"portal","repeat":"never","has_body":true},
  createCheck: {"method":"POST","path":"/check","credential":"api_key","repeat":"keyed","key":{"member":"event_id","is_filled":true},"has_body":true},
  createChecks: {"method":"POST","path":"/check/bulk","credential":"api_key","repeat":"keyed","key":{"member":"event_id","list":"checks","is_filled":true},"has_body":true},
  getSandbox: {"method":"GET","path":"/check/sandbox","credential":"api_key","repeat":"always"},
  getCheck: {"method":"GET","path":"/check/{id}","credential":"api_key","repeat":"always"},
  reportPhoneOutcome: {"method":"POST","path":"/check/phone/report","credential":"api_key","repeat":"keyed","key":{"member":"check_id","is_filled":false},"has_body":true},
  upsertProfile: {"method":"POST","path":"/profiles","credential":"api_key","repeat":"always","has_body":true},
  createOrder: {"method":"POST","path":"/orders","credential":"api_key","repeat":"always","has_body":true},
  createOrders: {"method":"POST","path":"/orders/bulk","credential":"api_key","repeat":"always","has_body":true},
  createCashierAction: {"method":"POST","path":"/cashier/actions","credential":"api_key","repeat":"keyed","key":{"member":"performed_at","is_filled":false},"has_body":true},
  sendEdgeLogs: {"method":"POST","path":"/edge/logs","credential":"api_key","repeat":"always","has_body":true},
  listEdgeLogs: {"method":"GET","path":"/edge/logs","credential":"portal","repeat":"always","query":["org_id","page","limit","start_date","end_date","device_id","level","category","environment","error_fingerprint"],"records":"logs"},
  searchEdgeLogs: {"method":"GET","path":"/edge/logs/search","credential":"portal","repeat":"always","query":["org_id","q","page","limit","start_date","end_date","device_id","level","category","environment","error_fingerprint"],"records":"logs"},
  listEdgeErrors: {"method":"GET","path":"/edge/errors","credential":"portal","repeat":"always","query":["org_id","start_date","end_date","device_id","level","category","environment","error_fingerprint","page","limit"],"records":""},
  getEdgeOverview: {"method":"GET","path":"/edge/overview","credential":"portal","repeat":"always","query":["org_id","start_date","end_date","device_id","level","category","environment","error_fingerprint"]},
  getEdgeTrends: {"method":"GET","path":"/edge/trends","credential":"portal","repeat":"always","query":["org_id","start_date","end_date","device_id","level","category","environment","error_fingerprint","granularity"]},
  registerEdgeDevice: {"method":"POST","path":"/edge/devices/register","credential":"api_key","repeat":"always","has_body":true},
  heartbeatEdgeDevice: {"method":"POST","path":"/edge/devices/{device_id}/heartbeat","credential":"api_key","repeat":"always"},
  listEdgeDevices: {"method":"GET","path":"/edge/devices","credential":"portal","repeat":"always","query":["org_id","page","limit","start_date","end_date"],"records":"devices"},
  listEdgeAlerts: {"method":"GET","path":"/edge/alerts","credential":"portal","repeat":"always","query":["org_id"]},
  createEdgeAlert: {"method":"POST","path":"/edge/alerts","credential":"portal","repeat":"never","has_body":true},
  deleteEdgeAlert: {"method":"DELETE","path":"/edge/alerts","credential":"portal","repeat":"always","query":["org_id","id"]},
  sendRumEvents: {"method":"POST","path":"/rum/events","credential":"api_key","repeat":"always","has_body":true},
  getRumUsage: {"method":"GET","path":"/rum/usage","credential":"api_key","repeat":"always"},
  createMdmSignupUrl: {"method":"POST","path":"/mdm/enterprise/signup-url","credential":"portal","repeat":"never","query":["org_id"],"has_body":true},
  createMdmEnterprise: {"method":"POST","path":"/mdm/enterprise","credential":"portal","repeat":"never","query":["org_id"],"has_body":true},
  getMdmEnterprise: {"method":"GET","path":"/mdm/enterprise","credential":"portal","repeat":"always","query":["org_id"]},
  listMdmPolicies: {"method":"GET","path":"/mdm/policies","credential":"portal","repeat":"always","query":["org_id"]},
  createMdmPolicy: {"method":"POST","path":"/mdm/policies","credential":"portal","repeat":"never","query":["org_id"],"has_body":true},
  updateMdmPolicy: {"method":"PATCH","path":"/mdm/policies/{policy_id}","credential":"portal","repeat":"always","query":["org_id"],"has_body":true},
  listMdmEnrollmentTokens: {"method":"GET","path":"/mdm/enrollment-tokens","credential":"portal","repeat":"always","query":["org_id"]},
  createMdmEnrollmentToken: {"method":"POST","path":"/mdm/enrollment-tokens","credential":"portal","repeat":"never","query":["org_id"],"has_body":true},
  listMdmGroups: {"method":"GET","path":"/mdm/groups","credential":"portal","repeat":"always","query":["org_id"]},
  createMdmGroup: {"method":"POST","path":"/mdm/groups","credential":"portal","repeat":"never","query":["org_id"],"has_body":true},
  updateMdmGroup: {"method":"PATCH","path":"/mdm/groups/{group_id}","credential":"portal","repeat":"always","query":["org_id"],"has_body":true},
  deleteMdmGroup: {"method":"DELETE","path":"/mdm/groups/{group_id}","credential":"portal","repeat":"always","query":["org_id"]},
  assignMdmDevices: {"method":"POST","path":"/mdm/groups/{group_id}/devices","credential":"portal","repeat":"always","query":["org_id"],"has_body":true},
  createDeviceCommand: {"method":"POST","path":"/mdm/devices/{device_id}/commands","credential":"portal","repeat":"never","query":["org_id"],"has_body":true},
  createGroupCommand: {"method":"POST","path":"/mdm/groups/{group_id}/commands","credential":"portal","repeat":"never","query":["org_id"],"has_body":true},
  listMdmDevices: {"method":"GET","path":"/mdm/devices","credential":"portal","repeat":"always","query":["org_id","page","limit","state","mode","compliance","group_id"],"records":"devices"},
  getMdmDevice: {"method":"GET","path":"/mdm/devices/{device_id}","credential":"portal","repeat":"always","query":["org_id"]},
  updateMdmDevice: {"method":"PATCH","path":"/mdm/devices/{device_id}","credential":"portal","repeat":"always","query":["org_id"],"has_body":true},
  deleteMdmDevice: {"method":"DELETE","path":"/mdm/devices/{device_id}","credential":"portal","repeat":"always","query":["org_id"]},
  getMdmOverview: {"method":"GET","path":"/mdm/overview","credential":"portal","repeat":"always","query":["org_id"]},
  listMdmAuditLog: {"method":"GET","path":"/mdm/audit-log","credential":"portal","repeat":"always","query":["org_id","page","limit","action"],"records":"entries"},
  exportMdmAuditLog: {"method":"GET","path":"/mdm/audit-log/export.csv","credential":"portal","repeat":"always","query":["org_id","action"],"is_file":true},
  exportMdmFleetInventory: {"method":"GET","path":"/mdm/reports/fleet-inventory.csv","credential":"portal","repeat":"always","query":["org_id"],"is_file":true},
  exportMdmComplianceSummary: {"method":"GET","path":"/mdm/reports/compliance-summary.csv","credential":"portal","repeat":"always","query":["org_id"],"is_file":true},
  createPushIdentityToken: {"method":"POST","path":"/push-sdk/identity-token","credential":"api_key","repeat":"always","has_body":true},
  sendPushMessage: {"method":"POST","path":"/push-sdk/messages","credential":"api_key","repeat":"always","has_body":true,"has_idempotency_key":true},
} as const

/** Size of a request of the operations that take a list. */
export const BATCHES = {
  createChecks: {"max_items":100,"max_bytes":16777216},
  createOrders: {"max_items":100,"max_bytes":16777216},
  sendEdgeLogs: {"max_items":1000,"max_bytes":5242880},
} as const

/** The operations of the API. Each returns the `content` of the response, or throws a `VigilError`. */
export type Operations = {
  /**
   * List the webhook endpoints of an organization.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  listWebhooks(params: {
    /** Organization that you are a member of */
    org_id: string
  }, options?: CallOptions): Promise<WebhookEndpoint[]>
  /**
   * Create a webhook endpoint; its signing secret is shown once.
   *
   * Sent again after a failure: no, because a repeated request would create another one.
   */
  createWebhook(body: WebhookRequest, options?: CallOptions): Promise<WebhookEndpointWithSecret>
  /**
   * Get a webhook endpoint.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  getWebhook(params: {
    id: string
    /** Organization that you are a member of */
    org_id: string
  }, options?: CallOptions): Promise<WebhookEndpoint>
  /**
   * Change, pause or resume a webhook endpoint.
   *
   * Sent again after a failure: yes, because a repeated change has the same result.
   */
  updateWebhook(params: {
    id: string
  }, body: WebhookUpdate, options?: CallOptions): Promise<WebhookEndpoint>
  /**
   * Delete a webhook endpoint with its deliveries.
   *
   * Sent again after a failure: yes, because a repeated deletion changes nothing; it can end with 404 although the first one succeeded.
   */
  deleteWebhook(params: {
    id: string
    /** Organization that you are a member of */
    org_id: string
  }, options?: CallOptions): Promise<Record<string, never>>
  /**
   * Replace the signing secret; the new one is shown once.
   *
   * Sent again after a failure: no, because a repeated request would replace the secret again.
   */
  rollWebhookSecret(params: {
    id: string
  }, body: OrganizationRequest, options?: CallOptions): Promise<WebhookEndpointWithSecret>
  /**
   * List the newest deliveries of an endpoint, each with its last attempt.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  listWebhookDeliveries(params: {
    id: string
    /** Organization that you are a member of */
    org_id: string
  }, options?: CallOptions): Promise<WebhookDelivery[]>
  /**
   * Queue a test `email.check.completed` event for this endpoint only.
   *
   * Sent again after a failure: no, because a repeated request would act twice.
   */
  testWebhook(params: {
    id: string
  }, body: OrganizationRequest, options?: CallOptions): Promise<WebhookDelivery>
  /**
   * Retry a failed or exhausted delivery now.
   *
   * Sent again after a failure: no, because a repeated request would act twice.
   */
  retryWebhookDelivery(params: {
    deliveryId: string
  }, body: OrganizationRequest, options?: CallOptions): Promise<WebhookDelivery>
  /**
   * Check an e-mail, a phone number and/or a device.
   *
   * Sent again after a failure: yes, because the stored result is returned for the same `event_id`, for which a random value is used if there is none.
   */
  createCheck(body: CheckRequest, options?: CallOptions): Promise<CheckResult>
  /**
   * Run several checks; results follow the order of the request.
   *
   * Sent again after a failure: yes, because the stored results are returned for the same `event_id`, for which a random value is used in each check that has none.
   */
  createChecks(body: BulkCheckRequest, options?: CallOptions): Promise<({
    success: true
    message: string
    content: CheckResult
  } | {
    success: false
    message: string
    code?: string | undefined
    /** Details of the error */
    content?: { [name: string]: unknown } | undefined
  })[]>
  /**
   * List the values that have a fixed outcome with test keys; runs no check.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  getSandbox(options?: CallOptions): Promise<SandboxCatalog>
  /**
   * Retrieve a check.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  getCheck(params: {
    /** check_id of the result */
    id: string
  }, options?: CallOptions): Promise<CheckResult>
  /**
   * Report the outcome of a phone number.
   *
   * Sent again after a failure: yes, because a report with a `check_id` counts once. Without one, it is not repeated.
   */
  reportPhoneOutcome(body: PhoneOutcomeReport, options?: CallOptions): Promise<AcceptedPhoneOutcomeReport>
  /**
   * Create or update a profile and link a device to it.
   *
   * Sent again after a failure: yes, because a repeated change has the same result.
   */
  upsertProfile(body: ProfileRequest, options?: CallOptions): Promise<UpsertedProfile>
  /**
   * Submit and score an order.
   *
   * Sent again after a failure: yes, because the stored order is returned for the same `external_order_id`.
   */
  createOrder(body: OrderRequest, options?: CallOptions): Promise<ScoredOrder>
  /**
   * Submit up to 100 orders; results are returned in request order.
   *
   * Sent again after a failure: yes, because the stored orders are returned for the same `external_order_id`.
   */
  createOrders(body: BulkOrderRequest, options?: CallOptions): Promise<({
    success: true
    message: string
    content: ScoredOrder
  } | {
    success: false
    message: string
    code?: string | undefined
    /** Details of the error */
    content?: { [name: string]: unknown } | undefined
  })[]>
  /**
   * Record and score a cashier action.
   *
   * Sent again after a failure: yes, because an identical action with `performed_at` is recorded once. Without `performed_at`, it is not repeated.
   */
  createCashierAction(body: CashierActionRequest, options?: CallOptions): Promise<CashierAction>
  /**
   * Send a batch of log entries.
   *
   * Sent again after a failure: yes, because an identical body is stored and charged once within 15 minutes.
   */
  sendEdgeLogs(body: EdgeLogBatch, options?: CallOptions): Promise<{
    /** Number of entries in the batch */
    received: number
    /** Number of entries that were accepted and stored; they are readable after about a second */
    processed: number
    /** Those that were rejected; absent when all were accepted */
    errors?: {
      /** Position in the batch, from 0 */
      index: number
      /** Path of the member inside of it, such as `error.code`; empty for the whole */
      field: string
      reason: string
    }[] | undefined
  }>
  /**
   * List logs, newest first.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  listEdgeLogs(params: {
    /** Organization that you are a member of */
    org_id: string
    page?: number | undefined
    limit?: number | undefined
    /** ISO 8601 date or time (UTC if it has no zone): logs that happened at this time or later. Without dates, logs received in the last 30 days */
    start_date?: string | undefined
    /** Logs that happened at this time or earlier, not before `start_date`; a date without a time includes the whole day */
    end_date?: string | undefined
    device_id?: string | undefined
    /** One or more of debug, info, warn, error, fatal, separated by commas */
    level?: string | undefined
    category?: string | undefined
    environment?: string | undefined
    error_fingerprint?: string | undefined
  }, options?: CallOptions): Promise<EdgeLogPage>
  /**
   * Search logs by words and fields, newest first.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  searchEdgeLogs(params: {
    /** Organization that you are a member of */
    org_id: string
    /** Words that must all occur in the message, in any case and order; "words in quotes" must be adjacent. Also `print*`, `*head*`, `field:value`, `-excluded`, `OR`, `( )`, `data.name:>5`, `time:yesterday` and `has:field`; everything else is read as words */
    q: string
    page?: number | undefined
    limit?: number | undefined
    /** ISO 8601 date or time (UTC if it has no zone): logs that happened at this time or later. Without dates, logs received in the last 30 days */
    start_date?: string | undefined
    /** Logs that happened at this time or earlier, not before `start_date`; a date without a time includes the whole day */
    end_date?: string | undefined
    device_id?: string | undefined
    /** One or more of debug, info, warn, error, fatal, separated by commas */
    level?: string | undefined
    category?: string | undefined
    environment?: string | undefined
    error_fingerprint?: string | undefined
  }, options?: CallOptions): Promise<EdgeLogSearchPage>
  /**
   * List error groups, most frequent first.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  listEdgeErrors(params: {
    /** Organization that you are a member of */
    org_id: string
    /** ISO 8601 date or time (UTC if it has no zone): logs that happened at this time or later. Without dates, logs received in the last 30 days */
    start_date?: string | undefined
    /** Logs that happened at this time or earlier, not before `start_date`; a date without a time includes the whole day */
    end_date?: string | undefined
    device_id?: string | undefined
    /** One or more of debug, info, warn, error, fatal, separated by commas */
    level?: string | undefined
    category?: string | undefined
    environment?: string | undefined
    error_fingerprint?: string | undefined
    page?: number | undefined
    limit?: number | undefined
  }, options?: CallOptions): Promise<EdgeErrorGroup[]>
  /**
   * Get the numbers of logs, devices and errors.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  getEdgeOverview(params: {
    /** Organization that you are a member of */
    org_id: string
    /** ISO 8601 date or time (UTC if it has no zone): logs that happened at this time or later. Without dates, logs received in the last 30 days */
    start_date?: string | undefined
    /** Logs that happened at this time or earlier, not before `start_date`; a date without a time includes the whole day */
    end_date?: string | undefined
    device_id?: string | undefined
    /** One or more of debug, info, warn, error, fatal, separated by commas */
    level?: string | undefined
    category?: string | undefined
    environment?: string | undefined
    error_fingerprint?: string | undefined
  }, options?: CallOptions): Promise<EdgeOverview>
  /**
   * Get the number of logs over time.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  getEdgeTrends(params: {
    /** Organization that you are a member of */
    org_id: string
    /** ISO 8601 date or time (UTC if it has no zone): logs that happened at this time or later. Without dates, logs received in the last 30 days */
    start_date?: string | undefined
    /** Logs that happened at this time or earlier, not before `start_date`; a date without a time includes the whole day */
    end_date?: string | undefined
    device_id?: string | undefined
    /** One or more of debug, info, warn, error, fatal, separated by commas */
    level?: string | undefined
    category?: string | undefined
    environment?: string | undefined
    error_fingerprint?: string | undefined
    granularity?: 'hour' | 'day' | undefined
  }, options?: CallOptions): Promise<EdgeTrendPoint[]>
  /**
   * Register a device or update its fields.
   *
   * Sent again after a failure: yes, because a repeated change has the same result.
   */
  registerEdgeDevice(body: EdgeDeviceRegistration, options?: CallOptions): Promise<EdgeDevice>
  /**
   * Report that a device is running.
   *
   * Sent again after a failure: yes, because a repeated change has the same result.
   */
  heartbeatEdgeDevice(params: {
    /** Your identifier of the device */
    device_id: string
  }, options?: CallOptions): Promise<EdgeDevice>
  /**
   * List the devices of an organization, last seen first.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  listEdgeDevices(params: {
    /** Organization that you are a member of */
    org_id: string
    page?: number | undefined
    limit?: number | undefined
    /** ISO 8601 date or time: devices last seen at this time or later */
    start_date?: string | undefined
    /** ISO 8601 date or time, not before `start_date`: devices last seen at this time or earlier */
    end_date?: string | undefined
  }, options?: CallOptions): Promise<EdgeDevicePage>
  /**
   * List the log alert rules of an organization with their status.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  listEdgeAlerts(params: {
    /** Organization that you are a member of */
    org_id: string
  }, options?: CallOptions): Promise<EdgeAlert[]>
  /**
   * Create an alert rule that fires when matching logs reach a threshold in a window.
   *
   * Sent again after a failure: no, because a repeated request would create another one.
   */
  createEdgeAlert(body: EdgeAlertRequest, options?: CallOptions): Promise<EdgeAlert>
  /**
   * Delete an alert rule.
   *
   * Sent again after a failure: yes, because a repeated deletion changes nothing; it can end with 404 although the first one succeeded.
   */
  deleteEdgeAlert(params: {
    /** Organization that you are a member of */
    org_id: string
    id: string
  }, options?: CallOptions): Promise<Record<string, never>>
  /**
   * Send events of a session in a browser or an app.
   *
   * Sent again after a failure: yes, because an identical body is stored and charged once within 15 minutes.
   */
  sendRumEvents(body: RumEvents, options?: CallOptions): Promise<RumReceipt>
  /**
   * Sessions, events and credits of the current calendar month.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  getRumUsage(options?: CallOptions): Promise<RumUsage>
  /**
   * Start the sign-up for an enterprise on a page of the provider.
   *
   * Sent again after a failure: no, because a repeated request would create another one.
   */
  createMdmSignupUrl(params: {
    /** Organization that you are a member of */
    org_id: string
  }, body: EnterpriseSignupRequest, options?: CallOptions): Promise<EnterpriseSignup>
  /**
   * Create the enterprise of a completed sign-up.
   *
   * Sent again after a failure: no, because a repeated request would create another one.
   */
  createMdmEnterprise(params: {
    /** Organization that you are a member of */
    org_id: string
  }, body: EnterpriseRequest, options?: CallOptions): Promise<Enterprise>
  /**
   * Get the enterprise of an organization, or null when it has none.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  getMdmEnterprise(params: {
    /** Organization that you are a member of */
    org_id: string
  }, options?: CallOptions): Promise<Enterprise | null>
  /**
   * The device policies of an organization, newest first.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  listMdmPolicies(params: {
    /** Organization that you are a member of */
    org_id: string
  }, options?: CallOptions): Promise<DevicePolicy[]>
  /**
   * Create a device policy, by default the baseline of its management mode.
   *
   * Sent again after a failure: no, because a repeated request would create another one.
   */
  createMdmPolicy(params: {
    /** Organization that you are a member of */
    org_id: string
  }, body: DevicePolicyRequest, options?: CallOptions): Promise<DevicePolicy>
  /**
   * Change a device policy; its devices receive the new version.
   *
   * Sent again after a failure: yes, because a repeated change has the same result.
   */
  updateMdmPolicy(params: {
    policy_id: string
    /** Organization that you are a member of */
    org_id: string
  }, body: DevicePolicyUpdate, options?: CallOptions): Promise<DevicePolicy>
  /**
   * Enrollment tokens that have not expired or been ended, newest first.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  listMdmEnrollmentTokens(params: {
    /** Organization that you are a member of */
    org_id: string
  }, options?: CallOptions): Promise<ListedEnrollmentToken[]>
  /**
   * Create an enrollment token and the QR code that devices scan.
   *
   * Sent again after a failure: no, because a repeated request would create another one.
   */
  createMdmEnrollmentToken(params: {
    /** Organization that you are a member of */
    org_id: string
  }, body: EnrollmentTokenRequest, options?: CallOptions): Promise<EnrollmentToken>
  /**
   * Groups of devices, newest first, each with its last command.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  listMdmGroups(params: {
    /** Organization that you are a member of */
    org_id: string
  }, options?: CallOptions): Promise<DeviceGroup[]>
  /**
   * Create a group; its devices receive its policy, if it has one.
   *
   * Sent again after a failure: no, because a repeated request would create another one.
   */
  createMdmGroup(params: {
    /** Organization that you are a member of */
    org_id: string
  }, body: DeviceGroupRequest, options?: CallOptions): Promise<DeviceGroup>
  /**
   * Rename a group, or change the policy of the group and its devices.
   *
   * Sent again after a failure: yes, because a repeated change has the same result.
   */
  updateMdmGroup(params: {
    group_id: string
    /** Organization that you are a member of */
    org_id: string
  }, body: DeviceGroupUpdate, options?: CallOptions): Promise<DeviceGroup>
  /**
   * Delete a group; its devices return to the policies they enrolled with.
   *
   * Sent again after a failure: yes, because a repeated deletion changes nothing; it can end with 404 although the first one succeeded.
   */
  deleteMdmGroup(params: {
    group_id: string
    /** Organization that you are a member of */
    org_id: string
  }, options?: CallOptions): Promise<Record<string, never>>
  /**
   * Assign devices to a group; they receive its policy.
   *
   * Sent again after a failure: yes, because a repeated change has the same result.
   */
  assignMdmDevices(params: {
    group_id: string
    /** Organization that you are a member of */
    org_id: string
  }, body: DeviceGroupAssignment, options?: CallOptions): Promise<DeviceGroup>
  /**
   * Send a command to a device, such as locking or wiping it.
   *
   * Sent again after a failure: no, because a repeated request would act twice.
   */
  createDeviceCommand(params: {
    device_id: string
    /** Organization that you are a member of */
    org_id: string
  }, body: DeviceCommandRequest, options?: CallOptions): Promise<DeviceCommand>
  /**
   * Send a command to all devices of a group that support it.
   *
   * Sent again after a failure: no, because a repeated request would act twice.
   */
  createGroupCommand(params: {
    group_id: string
    /** Organization that you are a member of */
    org_id: string
  }, body: DeviceCommandRequest, options?: CallOptions): Promise<GroupCommand>
  /**
   * List devices, newest enrolled first; deleted devices only with `state=deleted`.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  listMdmDevices(params: {
    /** Organization that you are a member of */
    org_id: string
    page?: number | undefined
    limit?: number | undefined
    state?: 'active' | 'disabled' | 'deleted' | 'provisioning' | 'lost' | 'preparing_for_migration' | 'deactivated_by_device_finance' | undefined
    mode?: 'fully_managed' | 'work_profile' | undefined
    compliance?: 'compliant' | 'grace_period' | 'non_compliant' | 'unknown' | undefined
    group_id?: string | undefined
  }, options?: CallOptions): Promise<ManagedDevicePage>
  /**
   * Get a device with its newest commands and events.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  getMdmDevice(params: {
    device_id: string
    /** Organization that you are a member of */
    org_id: string
  }, options?: CallOptions): Promise<ManagedDeviceWithHistory>
  /**
   * Update the metadata of a device.
   *
   * Sent again after a failure: yes, because a repeated change has the same result.
   */
  updateMdmDevice(params: {
    device_id: string
    /** Organization that you are a member of */
    org_id: string
  }, body: ManagedDeviceUpdate, options?: CallOptions): Promise<ManagedDevice>
  /**
   * Unenroll and wipe a device.
   *
   * Sent again after a failure: yes, because a repeated deletion changes nothing; it can end with 404 although the first one succeeded.
   */
  deleteMdmDevice(params: {
    device_id: string
    /** Organization that you are a member of */
    org_id: string
  }, options?: CallOptions): Promise<ManagedDevice>
  /**
   * Number of devices by state, compliance and management mode.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  getMdmOverview(params: {
    /** Organization that you are a member of */
    org_id: string
  }, options?: CallOptions): Promise<MdmOverview>
  /**
   * Administrative and system actions, newest first.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  listMdmAuditLog(params: {
    /** Organization that you are a member of */
    org_id: string
    page?: number | undefined
    limit?: number | undefined
    action?: 'enterprise.signup_started' | 'enterprise.created' | 'policy.created' | 'policy.updated' | 'policy.published' | 'policy.rejected' | 'enrollment_token.created' | 'enrollment_token.ended' | 'device.enrolled' | 'device.state_changed' | 'device.compliance_changed' | 'device.updated' | 'device.policy_assigned' | 'device.policy_applied' | 'device.policy_rejected' | 'device.deletion_requested' | 'device.deleted' | 'command.created' | 'command.sent' | 'command.completed' | 'group.created' | 'group.updated' | 'group.deleted' | 'group.devices_assigned' | 'group.command_created' | undefined
  }, options?: CallOptions): Promise<AuditLogPage>
  /**
   * Export the audit log as CSV, newest entry first.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  exportMdmAuditLog(params: {
    /** Organization that you are a member of */
    org_id: string
    action?: 'enterprise.signup_started' | 'enterprise.created' | 'policy.created' | 'policy.updated' | 'policy.published' | 'policy.rejected' | 'enrollment_token.created' | 'enrollment_token.ended' | 'device.enrolled' | 'device.state_changed' | 'device.compliance_changed' | 'device.updated' | 'device.policy_assigned' | 'device.policy_applied' | 'device.policy_rejected' | 'device.deletion_requested' | 'device.deleted' | 'command.created' | 'command.sent' | 'command.completed' | 'group.created' | 'group.updated' | 'group.deleted' | 'group.devices_assigned' | 'group.command_created' | undefined
  }, options?: CallOptions): Promise<ReadableStream<Uint8Array>>
  /**
   * Export all devices that are not deleted as CSV, newest enrolled first.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  exportMdmFleetInventory(params: {
    /** Organization that you are a member of */
    org_id: string
  }, options?: CallOptions): Promise<ReadableStream<Uint8Array>>
  /**
   * Export the compliance of each device and the settings it violates as CSV.
   *
   * Sent again after a failure: yes, because it only reads.
   */
  exportMdmComplianceSummary(params: {
    /** Organization that you are a member of */
    org_id: string
  }, options?: CallOptions): Promise<ReadableStream<Uint8Array>>
  /**
   * Create an identity token for a signed-in user, valid for five minutes.
   *
   * Sent again after a failure: yes, because each assertion is valid on its own and changes nothing.
   */
  createPushIdentityToken(body: IdentityTokenRequest, options?: CallOptions): Promise<IdentityToken>
  /**
   * Send a push notification to devices, now or at a scheduled time.
   *
   * Sent again after a failure: yes, because the first response is returned for the same idempotency key, for which a random value is used if there is none.
   */
  sendPushMessage(body: PushMessageRequest, options?: PushOptions): Promise<PushMessageAccepted>
}
