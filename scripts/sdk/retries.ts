/**
 * Which operations a client may send again after an attempt without a usable response, and why. The
 * clients get these rules with the generated operations, so both behave the same. An operation that is not
 * repeatable is sent again only if the service has certainly not carried it out: after 429, and when no
 * connection was established.
 */

export type Retry =
  | { repeat: 'always'; reason: string }
  | { repeat: 'never'; reason: string }
  | {
      /** Repeatable if the body, or each element of its list `list`, has a value in `member`. */
      repeat: 'keyed'
      member: string
      list?: string
      /** Whether a client fills in a random value where the caller has none. */
      is_filled: boolean
      reason: string
    }

const READ: Retry = { repeat: 'always', reason: 'it only reads.' }
const SET: Retry = { repeat: 'always', reason: 'a repeated change has the same result.' }
const REMOVE: Retry = {
  repeat: 'always',
  reason:
    'a repeated deletion changes nothing; it can end with 404 although the first one succeeded.',
}
const CREATE: Retry = { repeat: 'never', reason: 'a repeated request would create another one.' }
const ACT: Retry = { repeat: 'never', reason: 'a repeated request would act twice.' }
const SAME_BYTES: Retry = {
  repeat: 'always',
  reason: 'an identical body is stored and charged once within 15 minutes.',
}

/** By operation, in the order of the documented paths. The reasons refer to docs/open-points.md. */
export const RETRIES: Readonly<Record<string, Retry>> = {
  listWebhooks: READ,
  createWebhook: CREATE,
  getWebhook: READ,
  updateWebhook: SET,
  deleteWebhook: REMOVE,
  rollWebhookSecret: {
    repeat: 'never',
    reason: 'a repeated request would replace the secret again.',
  },
  listWebhookDeliveries: READ,
  testWebhook: ACT,
  retryWebhookDelivery: ACT,
  // OP-8
  createCheck: {
    repeat: 'keyed',
    member: 'event_id',
    is_filled: true,
    reason:
      'the stored result is returned for the same `event_id`, for which a random value is used if there is none.',
  },
  // OP-1, OP-8
  createChecks: {
    repeat: 'keyed',
    list: 'checks',
    member: 'event_id',
    is_filled: true,
    reason:
      'the stored results are returned for the same `event_id`, for which a random value is used in each check that has none.',
  },
  getSandbox: READ,
  getCheck: READ,
  // OP-47
  reportPhoneOutcome: {
    repeat: 'keyed',
    member: 'check_id',
    is_filled: false,
    reason: 'a report with a `check_id` counts once. Without one, it is not repeated.',
  },
  upsertProfile: SET,
  // OP-9
  createOrder: {
    repeat: 'always',
    reason: 'the stored order is returned for the same `external_order_id`.',
  },
  createOrders: {
    repeat: 'always',
    reason: 'the stored orders are returned for the same `external_order_id`.',
  },
  // OP-52
  createCashierAction: {
    repeat: 'keyed',
    member: 'performed_at',
    is_filled: false,
    reason:
      'an identical action with `performed_at` is recorded once. Without `performed_at`, it is not repeated.',
  },
  // OP-67
  sendEdgeLogs: SAME_BYTES,
  listEdgeLogs: READ,
  searchEdgeLogs: READ,
  listEdgeErrors: READ,
  getEdgeOverview: READ,
  getEdgeTrends: READ,
  // OP-68
  registerEdgeDevice: SET,
  heartbeatEdgeDevice: SET,
  listEdgeDevices: READ,
  listEdgeAlerts: READ,
  createEdgeAlert: CREATE,
  deleteEdgeAlert: REMOVE,
  sendRumEvents: SAME_BYTES,
  getRumUsage: READ,
  createMdmSignupUrl: CREATE,
  createMdmEnterprise: CREATE,
  getMdmEnterprise: READ,
  listMdmPolicies: READ,
  createMdmPolicy: CREATE,
  updateMdmPolicy: SET,
  listMdmEnrollmentTokens: READ,
  createMdmEnrollmentToken: CREATE,
  listMdmGroups: READ,
  createMdmGroup: CREATE,
  updateMdmGroup: SET,
  deleteMdmGroup: REMOVE,
  // OP-79
  assignMdmDevices: SET,
  createDeviceCommand: ACT,
  createGroupCommand: ACT,
  listMdmDevices: READ,
  getMdmDevice: READ,
  updateMdmDevice: SET,
  deleteMdmDevice: REMOVE,
  getMdmOverview: READ,
  listMdmAuditLog: READ,
  exportMdmAuditLog: READ,
  exportMdmFleetInventory: READ,
  exportMdmComplianceSummary: READ,
  createPushIdentityToken: {
    repeat: 'always',
    reason: 'each assertion is valid on its own and changes nothing.',
  },
  // OP-90
  sendPushMessage: {
    repeat: 'always',
    reason:
      'the first response is returned for the same idempotency key, for which a random value is used if there is none.',
  },
}
