// Generated from docs/openapi.json by `npm run sdk`. Do not edit.
/** The records and requests of the API, by the names of the OpenAPI document. */

export type WebhookEndpoint = {
  id: string
  url: string
  events: ('order.fraud.detected' | 'order.fraud.alert' | 'profile.risk.changed' | 'cashier.fraud.detected' | 'email.check.completed' | 'email.check.failed' | 'mdm.device.enrolled' | 'mdm.device.compliance_changed' | 'mdm.command.completed')[]
  description: string
  status: 'active' | 'paused'
  /** First characters of the secret, to recognize it by */
  secret_prefix: string
  created_at: string
  updated_at: string
}

export type WebhookUpdate = {
  /** Organization that you are a member of */
  org_id: string
  /** Public HTTPS URL without a user name, a password and a fragment; its port is 443, or one from 1024 that is not known for another service */
  url?: string | null | undefined
  events?: ('order.fraud.detected' | 'order.fraud.alert' | 'profile.risk.changed' | 'cashier.fraud.detected' | 'email.check.completed' | 'email.check.failed' | 'mdm.device.enrolled' | 'mdm.device.compliance_changed' | 'mdm.command.completed')[] | null | undefined
  description?: string | null | undefined
  status?: 'active' | 'paused' | null | undefined
}

export type WebhookRequest = {
  /** Organization that you are a member of */
  org_id: string
  /** Public HTTPS URL without a user name, a password and a fragment; its port is 443, or one from 1024 that is not known for another service */
  url: string
  events: ('order.fraud.detected' | 'order.fraud.alert' | 'profile.risk.changed' | 'cashier.fraud.detected' | 'email.check.completed' | 'email.check.failed' | 'mdm.device.enrolled' | 'mdm.device.compliance_changed' | 'mdm.command.completed')[]
  description?: string | null | undefined
}

export type WebhookEndpointWithSecret = {
  id: string
  url: string
  events: ('order.fraud.detected' | 'order.fraud.alert' | 'profile.risk.changed' | 'cashier.fraud.detected' | 'email.check.completed' | 'email.check.failed' | 'mdm.device.enrolled' | 'mdm.device.compliance_changed' | 'mdm.command.completed')[]
  description: string
  status: 'active' | 'paused'
  /** First characters of the secret, to recognize it by */
  secret_prefix: string
  created_at: string
  updated_at: string
  /** Signs deliveries. It is shown only in this response */
  secret: string
}

export type OrganizationRequest = {
  /** Organization that you are a member of */
  org_id: string
}

export type WebhookDelivery = {
  id: string
  event_id: string
  event_type: 'order.fraud.detected' | 'order.fraud.alert' | 'profile.risk.changed' | 'cashier.fraud.detected' | 'email.check.completed' | 'email.check.failed' | 'mdm.device.enrolled' | 'mdm.device.compliance_changed' | 'mdm.command.completed'
  status: 'pending' | 'succeeded' | 'failed' | 'exhausted'
  attempts: number
  next_attempt_at: string | null
  response_status: number | null
  response_body: string | null
  error: string | null
  latency_ms: number | null
  created_at: string
}

export type PortalLinkRequest = {
  hours?: number | null | undefined
  note?: string | null | undefined
}

export type PortalLink = {
  id: string
  /** Open it in a browser or a frame. Its fragment is a token that is not stored */
  url: string
  expires_at: string
}

/** At least one of phone, email or device is required. The client IP is taken from trusted forwarding headers; `ip_address` must not be sent. */
export type CheckRequest = {
  email?: string | null | undefined
  /** E.164 */
  phone?: string | null | undefined
  /** Fingerprint and platform signals; `fingerprint_hash` identifies the device. `signed_report`: the report of the device SDK (OP-164) */
  device?: { [name: string]: unknown } | null | undefined
  /** Behavioral signals from an SDK */
  behavior?: { [name: string]: unknown } | null | undefined
  event_type?: string | null | undefined
  /** A repeated request gets the stored result, without charge (OP-8) */
  event_id?: string | null | undefined
  /** Additional JSON context */
  metadata?: { [name: string]: unknown } | null | undefined
}

export type PhoneSignals = {
  is_valid: boolean
  /** Carrier that the range was allocated to; null when unknown or when the number was ported */
  carrier: string | null
  line_type: 'mobile' | 'landline' | 'voip' | null
  country_code: string | null
  /** Swap within the last 7 days */
  recent_sim_swap: boolean
  sim_swap_date: string | null
  ported: boolean
  ported_date: string | null
}

export type CheckResult = {
  check_id: string
  email?: string | undefined
  risk_score: number
  risk_level: 'low' | 'medium' | 'high' | 'critical'
  /** 0 = no evidence of risk, 100 = certain; unknown = 0 (OP-6) */
  signals: {
    domain_age_score: number
    mx_score: number
    disposable_score: number
    velocity_score: number
    phone?: PhoneSignals | undefined
  }
  tier: string
  credits_used: number
  is_sandbox: boolean
}

export type BulkCheckRequest = {
  checks: CheckRequest[]
}

export type SandboxCatalog = {
  phone_numbers: {
    phone: string
    description: string
    /** null when no check completes */
    risk_score: number | null
    risk_level: 'low' | 'medium' | 'high' | 'critical' | null
  }[]
  emails: {
    email: string
    description: string
    /** null when no check completes */
    risk_score: number | null
    risk_level: 'low' | 'medium' | 'high' | 'critical' | null
  }[]
  /** Effect of each event type, by name */
  event_types: { [name: string]: string }
  /** Complete requests to POST /check with a test key, and their responses */
  examples: { [name: string]: {
    request: { [name: string]: unknown }
    response: { [name: string]: unknown }
  } }
}

export type PhoneOutcomeReport = {
  /** E.164 */
  phone: string
  outcome: 'fraud' | 'sim_swap_fraud' | 'account_takeover' | 'spam' | 'bot' | 'legitimate'
  check_id?: string | null | undefined
  /** Additional JSON context */
  metadata?: { [name: string]: unknown } | null | undefined
  confidence?: number | null | undefined
}

export type AcceptedPhoneOutcomeReport = {
  /** E.164 */
  phone: string
  outcome: 'fraud' | 'sim_swap_fraud' | 'account_takeover' | 'spam' | 'bot' | 'legitimate'
  check_id?: string | undefined
  /** Additional JSON context */
  metadata?: { [name: string]: unknown } | undefined
  confidence: number
}

export type ProfileRequest = {
  /** Your user identifier, unique per organization */
  external_id: string
  profile_type?: 'customer' | 'cashier' | 'employee' | 'system' | null | undefined
  /** Hash of the device fingerprint; links the device to the profile */
  fingerprint_hash?: string | null | undefined
  /** Hashed IP address */
  ip_hash?: string | null | undefined
  /** ISO 3166-1 alpha-2, in either case */
  country_code?: string | null | undefined
  latitude?: number | null | undefined
  longitude?: number | null | undefined
}

export type UpsertedProfile = {
  profile: {
    id: string
    external_id: string
    profile_type: 'customer' | 'cashier' | 'employee' | 'system'
    status: 'active'
    risk_score: number
    risk_level: 'low' | 'medium' | 'high' | 'critical'
    device_count: number
    total_orders: number
  }
  is_new: boolean
  device_linked: boolean
  /** Name of a suspicious device pattern; null if there is none */
  device_anomaly: string | null
}

export type OrderRequest = {
  /** Your order ID, unique per organization */
  external_order_id: string
  /** external_id of the profile; omit it for anonymous point-of-sale orders */
  external_id?: string | null | undefined
  /** Below zero when more is returned than bought */
  amount_cents: number
  /** ISO 4217 code, in either case; defaults to USD */
  currency?: string | null | undefined
  order_type?: 'online' | 'in_store' | 'phone' | 'other' | null | undefined
  payment_method?: 'card' | 'cash' | 'mobile' | 'crypto' | 'other' | null | undefined
  item_count?: number | null | undefined
  location_latitude?: number | null | undefined
  location_longitude?: number | null | undefined
  /** Country name */
  location_country?: string | null | undefined
  /** City name */
  location_city?: string | null | undefined
  /** Name of the store or location */
  location_name?: string | null | undefined
  /** Hash of the device fingerprint */
  fingerprint_hash?: string | null | undefined
  /** Hashed IP address */
  ip_hash?: string | null | undefined
  /** ID of the point-of-sale device */
  edge_device_id?: string | null | undefined
  /** external_id of the cashier */
  cashier_external_id?: string | null | undefined
  /** RFC 3339; defaults to now */
  ordered_at?: string | null | undefined
  items?: {
    external_item_id?: string | null | undefined
    item_category?: string | null | undefined
    /** Below zero for returned goods */
    quantity: number
    /** Below zero for vouchers */
    unit_price_cents: number
    total_price_cents: number
    discount_cents?: number | null | undefined
    discount_type?: 'none' | 'percentage' | 'fixed' | 'override' | 'employee' | null | undefined
  }[] | null | undefined
}

export type ScoredOrder = {
  order: {
    id: string
    external_order_id: string
    status: 'pending'
    ordered_at: string
  }
  risk: {
    risk_score: number
    risk_level: 'low' | 'medium' | 'high' | 'critical'
    signals: {
      velocity: number
      amount_anomaly: number
      location_anomaly: number
      device_anomaly: number
      time_anomaly: number
      pattern: number
    }
    flags: ('high_velocity' | 'amount_anomaly' | 'location_anomaly' | 'device_anomaly' | 'time_anomaly' | 'pattern_anomaly')[]
    /** True when the score is 50 or more */
    flagged_for_review: boolean
  }
}

export type BulkOrderRequest = {
  orders: OrderRequest[]
}

export type CashierActionRequest = {
  /** external_id of the cashier */
  cashier_external_id: string
  action_type: 'void' | 'refund' | 'discount_override' | 'price_override' | 'no_sale' | 'cash_drop' | 'cash_pickup' | 'drawer_open' | 'shift_start' | 'shift_end'
  /** Point-of-sale device id */
  edge_device_id?: string | null | undefined
  /** Your id of the order that the action concerns */
  order_external_id?: string | null | undefined
  /** The sign makes no difference to the score */
  amount_cents?: number | null | undefined
  reason?: string | null | undefined
  /** RFC 3339; default now */
  performed_at?: string | null | undefined
}

export type CashierAction = {
  action: {
    id: string
    action_type: 'void' | 'refund' | 'discount_override' | 'price_override' | 'no_sale' | 'cash_drop' | 'cash_pickup' | 'drawer_open' | 'shift_start' | 'shift_end'
    /** null when not sent */
    amount_cents: number | null
    performed_at: string
  }
  fraud: {
    risk_score: number
    risk_level: 'low' | 'medium' | 'high' | 'critical'
    signals: {
      excessive_voids: number
      excessive_refunds: number
      discount_abuse: number
      off_shift: number
      velocity_anomaly: number
      drawer_anomaly: number
      round_number_refund: number
    }
    flags: ('excessive_voids' | 'excessive_refunds' | 'discount_abuse' | 'off_shift_activity' | 'drawer_anomaly' | 'round_number_refund')[]
  }
}

export type EdgeLogBatch = {
  logs: {
    device_id: string
    level: 'debug' | 'info' | 'warn' | 'error' | 'fatal'
    message: string
    /** ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size; default: the time of receipt */
    timestamp?: string | number | null | undefined
    category?: string | null | undefined
    environment?: string | null | undefined
    error?: {
      type?: string | null | undefined
      stack?: string | null | undefined
      code?: string | null | undefined
    } | null | string | undefined
    data?: { [name: string]: unknown } | null | string | undefined
    tags?: string[] | null | string | undefined
    trace_id?: string | null | undefined
    span_id?: string | null | undefined
  }[]
}

export type EdgeLog = {
  id: string
  device_id: string
  level: 'debug' | 'info' | 'warn' | 'error' | 'fatal'
  message: string
  /** By the clock of the device */
  timestamp: string
  category: string | null
  environment: string | null
  error: {
    type: string | null
    stack: string | null
    code: string | null
  } | null
  data: { [name: string]: unknown } | null
  tags: string[]
  trace_id: string | null
  span_id: string | null
  received_at: string
  /** Fingerprint of the error group; null for levels below `error` */
  error_fingerprint: string | null
}

export type EdgeLogPage = {
  /** Newest first */
  logs: EdgeLog[]
  pagination: {
    page: number
    limit: number
    total: number
    pages: number
  }
}

export type EdgeLogSearchPage = {
  /** Newest first */
  logs: EdgeLog[]
  pagination: {
    page: number
    limit: number
    total: number
    pages: number
  }
  /** How `q` was read */
  query: {
    /** The whole query in words */
    read_as: string
    /** Its conditions, in order */
    terms: {
      /** Index of its first UTF-16 code unit in `q` */
      start: number
      /** Index after its last one */
      end: number
      meaning: string
      is_excluded: boolean
      /** Normalized words of messages, with `*` where a word can go on */
      words: string[]
    }[]
    /** Parts that may have been meant differently, such as an unknown field */
    notes: {
      /** Index of its first UTF-16 code unit in `q` */
      start: number
      /** Index after its last one */
      end: number
      text: string
    }[]
  }
  /** If nothing was found: similar queries that find something */
  suggestions: {
    /** A query that finds logs */
    q: string
    /** How many, and how it differs from `q` */
    text: string
    total: number
    /** Whether the dates have to be left out for it */
    without_dates: boolean
  }[]
}

export type EdgeErrorGroup = {
  fingerprint: string
  /** Type of the newest error of the group */
  error_type: string | null
  /** First 1,000 characters of the message of the newest error */
  message: string
  count: number
  affected_devices: number
  first_seen: string
  last_seen: string
  environments: string[]
}

export type EdgeOverview = {
  logs: {
    total: number
    /** All levels, including those without logs */
    by_level: {
      level: 'debug' | 'info' | 'warn' | 'error' | 'fatal'
      count: number
    }[]
  }
  devices: {
    total: number
    active: number
    with_errors: number
  }
  errors: {
    total: number
    unique_types: number
    /** Percentage of logs whose level is `error` or `fatal` */
    error_rate: number
  }
  trends: {
    logs_24h: number
    /** Change in percent from the preceding 24 hours; 100 if those had no logs */
    logs_24h_change: number
  }
}

export type EdgeTrendPoint = {
  timestamp: string
  total: number
  /** All levels, including those without logs */
  by_level: {
    level: 'debug' | 'info' | 'warn' | 'error' | 'fatal'
    count: number
  }[]
}

export type EdgeDeviceRegistration = {
  /** Your identifier of the device, unique per organization */
  device_id: string
  device_type?: 'pos' | 'kiosk' | 'iot' | 'mobile' | 'desktop' | 'server' | 'gateway' | 'other' | null | undefined
  name?: string | null | undefined
  firmware_version?: string | null | undefined
  location?: {
    name?: string | null | undefined
    address?: string | null | undefined
  } | null | undefined
  tags?: string[] | null | undefined
}

export type EdgeDevice = {
  device_id: string
  device_type: 'pos' | 'kiosk' | 'iot' | 'mobile' | 'desktop' | 'server' | 'gateway' | 'other' | null
  name: string | null
  firmware_version: string | null
  location: {
    name: string | null
    address: string | null
  } | null
  tags: string[]
  /** Time of the last registration, heartbeat or log, by the clock of the service */
  last_seen_at: string
  status: 'active' | 'inactive'
}

export type EdgeDevicePage = {
  devices: EdgeDevice[]
  pagination: {
    page: number
    limit: number
    total: number
    pages: number
  }
}

export type EdgeAlert = {
  id: string
  name: string
  /** Filters a log must match to be counted; an empty object matches all logs */
  condition: {
    /** One level, or several separated by commas */
    level?: string | undefined
    category?: string | undefined
    environment?: string | undefined
    device_id?: string | undefined
    error_fingerprint?: string | undefined
    /** A query as in GET /edge/logs/search */
    q?: string | undefined
  }
  /** The alert fires when at least this number of logs match within the window, or for the kind absence, when fewer match */
  threshold: number
  window_minutes: number
  kind: 'count' | 'absence' | 'ratio' | 'new_group'
  ratio_percent: number | null
  /** Until then, nothing is notified */
  muted_until: string | null
  status: 'ok' | 'firing'
  /** Time at which it last began to fire */
  last_fired_at: string | null
  /** Time at which it last stopped firing */
  last_resolved_at: string | null
}

export type EdgeAlertRequest = {
  /** Organization that you are a member of */
  org_id: string
  name: string
  /** Filters a log must match to be counted; an empty object matches all logs */
  condition: {
    /** One level, or several separated by commas */
    level?: string | null | undefined
    category?: string | null | undefined
    environment?: string | null | undefined
    device_id?: string | null | undefined
    error_fingerprint?: string | null | undefined
    /** A query as in GET /edge/logs/search */
    q?: string | null | undefined
  }
  /** The alert fires when at least this number of logs match within the window, or for the kind absence, when fewer match */
  threshold: number
  window_minutes: number
  kind?: 'count' | 'absence' | 'ratio' | 'new_group' | null | undefined
  /** Required for the kind ratio, and only there: the least share of the logs of the same category, environment and device */
  ratio_percent?: number | null | undefined
}

export type RumView = {
  name?: string | null | undefined
  url?: string | null | undefined
  referrer?: string | null | undefined
}

export type RumSessionStartEvent = {
  type: 'session_start'
  /** ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size */
  timestamp: string | number
  view?: RumView | null | undefined
}

export type RumSessionEndEvent = {
  type: 'session_end'
  /** ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size */
  timestamp: string | number
  view?: RumView | null | undefined
}

/** A view with a name or a url */
export type RumNamedView = {
  name?: string | null | undefined
  url?: string | null | undefined
  referrer?: string | null | undefined
}

export type RumViewEvent = {
  type: 'view'
  /** ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size */
  timestamp: string | number
  view: RumNamedView
}

export type RumActionEvent = {
  type: 'action'
  /** ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size */
  timestamp: string | number
  view?: RumView | null | undefined
  action?: {
    type?: string | null | undefined
    target?: string | null | undefined
  } | null | undefined
}

export type RumErrorEvent = {
  type: 'error'
  /** ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size */
  timestamp: string | number
  view?: RumView | null | undefined
  error: {
    message: string
    stack?: string | null | undefined
    type?: string | null | undefined
  }
}

export type RumResourceEvent = {
  type: 'resource'
  /** ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size */
  timestamp: string | number
  view?: RumView | null | undefined
  resource?: {
    url?: string | null | undefined
    method?: string | null | undefined
    status?: number | null | undefined
    duration_ms?: number | null | undefined
    size_bytes?: number | null | undefined
  } | null | undefined
}

export type RumVital = {
  name: string
  /** At most 600000 for LCP, 600000 for INP, 100 for CLS, 600000 for FCP, 600000 for TTFB */
  value: number
  id?: string | null | undefined
}

export type RumVitalEvent = {
  type: 'vital'
  /** ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size */
  timestamp: string | number
  view?: RumView | null | undefined
  vital: RumVital
}

export type RumLongTaskEvent = {
  type: 'long_task'
  /** ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size */
  timestamp: string | number
  view?: RumView | null | undefined
  long_task?: {
    duration_ms?: number | null | undefined
  } | null | undefined
}

export type RumLogEvent = {
  type: 'log'
  /** ISO 8601 (UTC if it has no zone), or Unix time in seconds, milliseconds, microseconds or nanoseconds, recognized by its size */
  timestamp: string | number
  view?: RumView | null | undefined
  log?: {
    level?: string | null | undefined
    message?: string | null | undefined
  } | null | undefined
}

/** At most 16384 bytes. Any event can have the `view` on which it happened; in an event of type `view`, it must have a name or a url. Other members are stored. */
export type RumEvent = RumSessionStartEvent | RumSessionEndEvent | RumViewEvent | RumActionEvent | RumErrorEvent | RumResourceEvent | RumVitalEvent | RumLongTaskEvent | RumLogEvent

export type RumEvents = {
  session_id: string
  events: RumEvent[]
}

export type RumReceipt = {
  /** Events in the request */
  received: number
  /** Events that were accepted and stored */
  processed: number
  /** Those that were rejected; absent when all were accepted */
  errors?: {
    /** Position in the batch, from 0 */
    index: number
    /** Path of the member inside of it, such as `error.code`; empty for the whole */
    field: string
    reason: string
  }[] | undefined
}

/** Usage in the calendar month in UTC, for the mode of the key */
export type RumUsage = {
  sessions_this_month: number
  events_this_month: number
  /** Whole credits, rounded down */
  credits_used_this_month: number
}

export type EnterpriseSignupRequest = {
  /** URL to which the provider sends the administrator with an `enterpriseToken` */
  callback_url: string
}

export type EnterpriseSignup = {
  /** Page of the provider, which cannot be shown in a frame */
  signup_url: string
  /** Needed to create the enterprise */
  signup_url_name: string
}

export type EnterpriseRequest = {
  signup_url_name: string
  /** The `enterpriseToken` that the provider passed to the callback */
  enterprise_token: string
}

export type Enterprise = {
  /** Name of the enterprise at the provider */
  name: string
  display_name: string
  created_at: string
}

export type DevicePolicy = {
  id: string
  name: string
  description: string
  management_mode: 'fully_managed' | 'work_profile'
  /** A policy of the Android Management API */
  policy_json: { [name: string]: unknown }
  /** Increases with each change of `policy_json` */
  version: number
  publish_state: 'waiting' | 'published' | 'rejected'
  /** Why the provider rejected this version */
  publish_error: string | null
  created_at: string
  updated_at: string
}

export type AndroidManagementAdvancedSecurityOverrides = {
  commonCriteriaMode?: 'COMMON_CRITERIA_MODE_UNSPECIFIED' | 'COMMON_CRITERIA_MODE_DISABLED' | 'COMMON_CRITERIA_MODE_ENABLED' | undefined
  contentProtectionPolicy?: 'CONTENT_PROTECTION_POLICY_UNSPECIFIED' | 'CONTENT_PROTECTION_DISABLED' | 'CONTENT_PROTECTION_ENFORCED' | 'CONTENT_PROTECTION_USER_CHOICE' | undefined
  developerSettings?: 'DEVELOPER_SETTINGS_UNSPECIFIED' | 'DEVELOPER_SETTINGS_DISABLED' | 'DEVELOPER_SETTINGS_ALLOWED' | undefined
  googlePlayProtectVerifyApps?: 'GOOGLE_PLAY_PROTECT_VERIFY_APPS_UNSPECIFIED' | 'VERIFY_APPS_ENFORCED' | 'VERIFY_APPS_USER_CHOICE' | undefined
  mtePolicy?: 'MTE_POLICY_UNSPECIFIED' | 'MTE_USER_CHOICE' | 'MTE_ENFORCED' | 'MTE_DISABLED' | undefined
  personalAppsThatCanReadWorkNotifications?: string[] | undefined
  untrustedAppsPolicy?: 'UNTRUSTED_APPS_POLICY_UNSPECIFIED' | 'DISALLOW_INSTALL' | 'ALLOW_INSTALL_IN_PERSONAL_PROFILE_ONLY' | 'ALLOW_INSTALL_DEVICE_WIDE' | undefined
}

export type AndroidManagementAlwaysOnVpnPackage = {
  lockdownEnabled?: boolean | undefined
  packageName?: string | undefined
}

export type AndroidManagementCustomAppConfig = {
  userUninstallSettings?: 'USER_UNINSTALL_SETTINGS_UNSPECIFIED' | 'DISALLOW_UNINSTALL_BY_USER' | 'ALLOW_UNINSTALL_BY_USER' | undefined
}

export type AndroidManagementExtensionConfig = {
  notificationReceiver?: string | undefined
  signingKeyFingerprintsSha256?: string[] | undefined
}

export type AndroidManagementInstallConstraint = {
  chargingConstraint?: 'CHARGING_CONSTRAINT_UNSPECIFIED' | 'CHARGING_NOT_REQUIRED' | 'INSTALL_ONLY_WHEN_CHARGING' | undefined
  deviceIdleConstraint?: 'DEVICE_IDLE_CONSTRAINT_UNSPECIFIED' | 'DEVICE_IDLE_NOT_REQUIRED' | 'INSTALL_ONLY_WHEN_DEVICE_IDLE' | undefined
  networkTypeConstraint?: 'NETWORK_TYPE_CONSTRAINT_UNSPECIFIED' | 'INSTALL_ON_ANY_NETWORK' | 'INSTALL_ONLY_ON_UNMETERED_NETWORK' | undefined
}

export type AndroidManagementManagedConfigurationTemplate = {
  configurationVariables?: { [name: string]: string } | undefined
  templateId?: string | undefined
}

export type AndroidManagementPermissionGrant = {
  permission?: string | undefined
  policy?: 'PERMISSION_POLICY_UNSPECIFIED' | 'PROMPT' | 'GRANT' | 'DENY' | undefined
}

export type AndroidManagementRole = {
  roleType?: 'ROLE_TYPE_UNSPECIFIED' | 'COMPANION_APP' | 'KIOSK' | 'MOBILE_THREAT_DEFENSE_ENDPOINT_DETECTION_RESPONSE' | 'SYSTEM_HEALTH_MONITORING' | undefined
}

export type AndroidManagementApplicationSigningKeyCert = {
  signingKeyCertFingerprintSha256?: string | undefined
}

export type AndroidManagementApplicationPolicy = {
  accessibleTrackIds?: string[] | undefined
  alwaysOnVpnLockdownExemption?: 'ALWAYS_ON_VPN_LOCKDOWN_EXEMPTION_UNSPECIFIED' | 'VPN_LOCKDOWN_ENFORCED' | 'VPN_LOCKDOWN_EXEMPTION' | undefined
  autoUpdateMode?: 'AUTO_UPDATE_MODE_UNSPECIFIED' | 'AUTO_UPDATE_DEFAULT' | 'AUTO_UPDATE_POSTPONED' | 'AUTO_UPDATE_HIGH_PRIORITY' | undefined
  connectedWorkAndPersonalApp?: 'CONNECTED_WORK_AND_PERSONAL_APP_UNSPECIFIED' | 'CONNECTED_WORK_AND_PERSONAL_APP_DISALLOWED' | 'CONNECTED_WORK_AND_PERSONAL_APP_ALLOWED' | undefined
  credentialProviderPolicy?: 'CREDENTIAL_PROVIDER_POLICY_UNSPECIFIED' | 'CREDENTIAL_PROVIDER_ALLOWED' | undefined
  customAppConfig?: AndroidManagementCustomAppConfig | undefined
  defaultPermissionPolicy?: 'PERMISSION_POLICY_UNSPECIFIED' | 'PROMPT' | 'GRANT' | 'DENY' | undefined
  delegatedScopes?: ('DELEGATED_SCOPE_UNSPECIFIED' | 'CERT_INSTALL' | 'MANAGED_CONFIGURATIONS' | 'BLOCK_UNINSTALL' | 'PERMISSION_GRANT' | 'PACKAGE_ACCESS' | 'ENABLE_SYSTEM_APP' | 'NETWORK_ACTIVITY_LOGS' | 'SECURITY_LOGS' | 'CERT_SELECTION')[] | undefined
  disabled?: boolean | undefined
  extensionConfig?: AndroidManagementExtensionConfig | undefined
  installConstraint?: AndroidManagementInstallConstraint[] | undefined
  installPriority?: number | undefined
  installType?: 'INSTALL_TYPE_UNSPECIFIED' | 'PREINSTALLED' | 'FORCE_INSTALLED' | 'BLOCKED' | 'AVAILABLE' | 'REQUIRED_FOR_SETUP' | 'KIOSK' | 'CUSTOM' | undefined
  lockTaskAllowed?: boolean | undefined
  managedConfiguration?: { [name: string]: unknown } | undefined
  managedConfigurationTemplate?: AndroidManagementManagedConfigurationTemplate | undefined
  minimumVersionCode?: number | undefined
  packageName?: string | undefined
  permissionGrants?: AndroidManagementPermissionGrant[] | undefined
  preferentialNetworkId?: 'PREFERENTIAL_NETWORK_ID_UNSPECIFIED' | 'NO_PREFERENTIAL_NETWORK' | 'PREFERENTIAL_NETWORK_ID_ONE' | 'PREFERENTIAL_NETWORK_ID_TWO' | 'PREFERENTIAL_NETWORK_ID_THREE' | 'PREFERENTIAL_NETWORK_ID_FOUR' | 'PREFERENTIAL_NETWORK_ID_FIVE' | undefined
  roles?: AndroidManagementRole[] | undefined
  signingKeyCerts?: AndroidManagementApplicationSigningKeyCert[] | undefined
  userControlSettings?: 'USER_CONTROL_SETTINGS_UNSPECIFIED' | 'USER_CONTROL_ALLOWED' | 'USER_CONTROL_DISALLOWED' | undefined
  workProfileWidgets?: 'WORK_PROFILE_WIDGETS_UNSPECIFIED' | 'WORK_PROFILE_WIDGETS_ALLOWED' | 'WORK_PROFILE_WIDGETS_DISALLOWED' | undefined
}

export type AndroidManagementChoosePrivateKeyRule = {
  packageNames?: string[] | undefined
  privateKeyAlias?: string | undefined
  urlPattern?: string | undefined
}

export type AndroidManagementApiLevelCondition = {
  minApiLevel?: number | undefined
}

export type AndroidManagementNonComplianceDetailCondition = {
  nonComplianceReason?: 'NON_COMPLIANCE_REASON_UNSPECIFIED' | 'API_LEVEL' | 'MANAGEMENT_MODE' | 'USER_ACTION' | 'INVALID_VALUE' | 'APP_NOT_INSTALLED' | 'UNSUPPORTED' | 'APP_INSTALLED' | 'PENDING' | 'APP_INCOMPATIBLE' | 'APP_NOT_UPDATED' | 'DEVICE_INCOMPATIBLE' | 'APP_SIGNING_CERT_MISMATCH' | 'PROJECT_NOT_PERMITTED' | undefined
  packageName?: string | undefined
  settingName?: string | undefined
}

export type AndroidManagementComplianceRule = {
  apiLevelCondition?: AndroidManagementApiLevelCondition | undefined
  disableApps?: boolean | undefined
  nonComplianceDetailCondition?: AndroidManagementNonComplianceDetailCondition | undefined
  packageNamesToDisable?: string[] | undefined
}

export type AndroidManagementPackageNameList = {
  packageNames?: string[] | undefined
}

export type AndroidManagementCrossProfilePolicies = {
  crossProfileAppFunctions?: 'CROSS_PROFILE_APP_FUNCTIONS_UNSPECIFIED' | 'CROSS_PROFILE_APP_FUNCTIONS_DISALLOWED' | 'CROSS_PROFILE_APP_FUNCTIONS_ALLOWED' | undefined
  crossProfileCopyPaste?: 'CROSS_PROFILE_COPY_PASTE_UNSPECIFIED' | 'COPY_FROM_WORK_TO_PERSONAL_DISALLOWED' | 'CROSS_PROFILE_COPY_PASTE_ALLOWED' | undefined
  crossProfileDataSharing?: 'CROSS_PROFILE_DATA_SHARING_UNSPECIFIED' | 'CROSS_PROFILE_DATA_SHARING_DISALLOWED' | 'DATA_SHARING_FROM_WORK_TO_PERSONAL_DISALLOWED' | 'CROSS_PROFILE_DATA_SHARING_ALLOWED' | undefined
  exemptionsToShowWorkContactsInPersonalProfile?: AndroidManagementPackageNameList | undefined
  showWorkContactsInPersonalProfile?: 'SHOW_WORK_CONTACTS_IN_PERSONAL_PROFILE_UNSPECIFIED' | 'SHOW_WORK_CONTACTS_IN_PERSONAL_PROFILE_DISALLOWED' | 'SHOW_WORK_CONTACTS_IN_PERSONAL_PROFILE_ALLOWED' | 'SHOW_WORK_CONTACTS_IN_PERSONAL_PROFILE_DISALLOWED_EXCEPT_SYSTEM' | undefined
  workProfileWidgetsDefault?: 'WORK_PROFILE_WIDGETS_DEFAULT_UNSPECIFIED' | 'WORK_PROFILE_WIDGETS_DEFAULT_ALLOWED' | 'WORK_PROFILE_WIDGETS_DEFAULT_DISALLOWED' | undefined
}

export type AndroidManagementDefaultApplication = {
  packageName?: string | undefined
}

export type AndroidManagementDefaultApplicationSetting = {
  defaultApplicationScopes?: ('DEFAULT_APPLICATION_SCOPE_UNSPECIFIED' | 'SCOPE_FULLY_MANAGED' | 'SCOPE_WORK_PROFILE' | 'SCOPE_PERSONAL_PROFILE')[] | undefined
  defaultApplicationType?: 'DEFAULT_APPLICATION_TYPE_UNSPECIFIED' | 'DEFAULT_ASSISTANT' | 'DEFAULT_BROWSER' | 'DEFAULT_CALL_REDIRECTION' | 'DEFAULT_CALL_SCREENING' | 'DEFAULT_DIALER' | 'DEFAULT_HOME' | 'DEFAULT_SMS' | 'DEFAULT_WALLET' | undefined
  defaultApplications?: AndroidManagementDefaultApplication[] | undefined
}

export type AndroidManagementApnSetting = {
  alwaysOnSetting?: 'ALWAYS_ON_SETTING_UNSPECIFIED' | 'NOT_ALWAYS_ON' | 'ALWAYS_ON' | undefined
  apn?: string | undefined
  apnTypes?: ('APN_TYPE_UNSPECIFIED' | 'ENTERPRISE' | 'BIP' | 'CBS' | 'DEFAULT' | 'DUN' | 'EMERGENCY' | 'FOTA' | 'HIPRI' | 'IA' | 'IMS' | 'MCX' | 'MMS' | 'RCS' | 'SUPL' | 'VSIM' | 'XCAP')[] | undefined
  authType?: 'AUTH_TYPE_UNSPECIFIED' | 'NONE' | 'PAP' | 'CHAP' | 'PAP_OR_CHAP' | undefined
  carrierId?: number | undefined
  displayName?: string | undefined
  mmsProxyAddress?: string | undefined
  mmsProxyPort?: number | undefined
  mmsc?: string | undefined
  mtuV4?: number | undefined
  mtuV6?: number | undefined
  mvnoType?: 'MVNO_TYPE_UNSPECIFIED' | 'GID' | 'ICCID' | 'IMSI' | 'SPN' | undefined
  networkTypes?: ('NETWORK_TYPE_UNSPECIFIED' | 'EDGE' | 'GPRS' | 'GSM' | 'HSDPA' | 'HSPA' | 'HSPAP' | 'HSUPA' | 'IWLAN' | 'LTE' | 'NR' | 'TD_SCDMA' | 'UMTS')[] | undefined
  numericOperatorId?: string | undefined
  password?: string | undefined
  protocol?: 'PROTOCOL_UNSPECIFIED' | 'IP' | 'IPV4V6' | 'IPV6' | 'NON_IP' | 'PPP' | 'UNSTRUCTURED' | undefined
  proxyAddress?: string | undefined
  proxyPort?: number | undefined
  roamingProtocol?: 'PROTOCOL_UNSPECIFIED' | 'IP' | 'IPV4V6' | 'IPV6' | 'NON_IP' | 'PPP' | 'UNSTRUCTURED' | undefined
  username?: string | undefined
}

export type AndroidManagementApnPolicy = {
  apnSettings?: AndroidManagementApnSetting[] | undefined
  overrideApns?: 'OVERRIDE_APNS_UNSPECIFIED' | 'OVERRIDE_APNS_DISABLED' | 'OVERRIDE_APNS_ENABLED' | undefined
}

export type AndroidManagementPreferentialNetworkServiceConfig = {
  fallbackToDefaultConnection?: 'FALLBACK_TO_DEFAULT_CONNECTION_UNSPECIFIED' | 'FALLBACK_TO_DEFAULT_CONNECTION_ALLOWED' | 'FALLBACK_TO_DEFAULT_CONNECTION_DISALLOWED' | undefined
  nonMatchingNetworks?: 'NON_MATCHING_NETWORKS_UNSPECIFIED' | 'NON_MATCHING_NETWORKS_ALLOWED' | 'NON_MATCHING_NETWORKS_DISALLOWED' | undefined
  preferentialNetworkId?: 'PREFERENTIAL_NETWORK_ID_UNSPECIFIED' | 'NO_PREFERENTIAL_NETWORK' | 'PREFERENTIAL_NETWORK_ID_ONE' | 'PREFERENTIAL_NETWORK_ID_TWO' | 'PREFERENTIAL_NETWORK_ID_THREE' | 'PREFERENTIAL_NETWORK_ID_FOUR' | 'PREFERENTIAL_NETWORK_ID_FIVE' | undefined
}

export type AndroidManagementPreferentialNetworkServiceSettings = {
  defaultPreferentialNetworkId?: 'PREFERENTIAL_NETWORK_ID_UNSPECIFIED' | 'NO_PREFERENTIAL_NETWORK' | 'PREFERENTIAL_NETWORK_ID_ONE' | 'PREFERENTIAL_NETWORK_ID_TWO' | 'PREFERENTIAL_NETWORK_ID_THREE' | 'PREFERENTIAL_NETWORK_ID_FOUR' | 'PREFERENTIAL_NETWORK_ID_FIVE' | undefined
  preferentialNetworkServiceConfigs?: AndroidManagementPreferentialNetworkServiceConfig[] | undefined
}

export type AndroidManagementPrivateDnsSettings = {
  privateDnsHost?: string | undefined
  privateDnsMode?: 'PRIVATE_DNS_MODE_UNSPECIFIED' | 'PRIVATE_DNS_USER_CHOICE' | 'PRIVATE_DNS_AUTOMATIC' | 'PRIVATE_DNS_SPECIFIED_HOST' | undefined
}

export type AndroidManagementWifiRoamingSetting = {
  wifiRoamingMode?: 'WIFI_ROAMING_MODE_UNSPECIFIED' | 'WIFI_ROAMING_DISABLED' | 'WIFI_ROAMING_DEFAULT' | 'WIFI_ROAMING_AGGRESSIVE' | undefined
  wifiSsid?: string | undefined
}

export type AndroidManagementWifiRoamingPolicy = {
  wifiRoamingSettings?: AndroidManagementWifiRoamingSetting[] | undefined
}

export type AndroidManagementWifiSsid = {
  wifiSsid?: string | undefined
}

export type AndroidManagementWifiSsidPolicy = {
  wifiSsidPolicyType?: 'WIFI_SSID_POLICY_TYPE_UNSPECIFIED' | 'WIFI_SSID_DENYLIST' | 'WIFI_SSID_ALLOWLIST' | undefined
  wifiSsids?: AndroidManagementWifiSsid[] | undefined
}

export type AndroidManagementDeviceConnectivityManagement = {
  apnPolicy?: AndroidManagementApnPolicy | undefined
  bluetoothSharing?: 'BLUETOOTH_SHARING_UNSPECIFIED' | 'BLUETOOTH_SHARING_ALLOWED' | 'BLUETOOTH_SHARING_DISALLOWED' | undefined
  configureWifi?: 'CONFIGURE_WIFI_UNSPECIFIED' | 'ALLOW_CONFIGURING_WIFI' | 'DISALLOW_ADD_WIFI_CONFIG' | 'DISALLOW_CONFIGURING_WIFI' | undefined
  preferentialNetworkServiceSettings?: AndroidManagementPreferentialNetworkServiceSettings | undefined
  privateDnsSettings?: AndroidManagementPrivateDnsSettings | undefined
  tetheringSettings?: 'TETHERING_SETTINGS_UNSPECIFIED' | 'ALLOW_ALL_TETHERING' | 'DISALLOW_WIFI_TETHERING' | 'DISALLOW_ALL_TETHERING' | undefined
  usbDataAccess?: 'USB_DATA_ACCESS_UNSPECIFIED' | 'ALLOW_USB_DATA_TRANSFER' | 'DISALLOW_USB_FILE_TRANSFER' | 'DISALLOW_USB_DATA_TRANSFER' | undefined
  wifiDirectSettings?: 'WIFI_DIRECT_SETTINGS_UNSPECIFIED' | 'ALLOW_WIFI_DIRECT' | 'DISALLOW_WIFI_DIRECT' | undefined
  wifiRoamingPolicy?: AndroidManagementWifiRoamingPolicy | undefined
  wifiSsidPolicy?: AndroidManagementWifiSsidPolicy | undefined
}

export type AndroidManagementUserFacingMessage = {
  defaultMessage?: string | undefined
  localizedMessages?: { [name: string]: string } | undefined
}

export type AndroidManagementDeviceRadioState = {
  airplaneModeState?: 'AIRPLANE_MODE_STATE_UNSPECIFIED' | 'AIRPLANE_MODE_USER_CHOICE' | 'AIRPLANE_MODE_DISABLED' | undefined
  cellularTwoGState?: 'CELLULAR_TWO_G_STATE_UNSPECIFIED' | 'CELLULAR_TWO_G_USER_CHOICE' | 'CELLULAR_TWO_G_DISABLED' | undefined
  minimumWifiSecurityLevel?: 'MINIMUM_WIFI_SECURITY_LEVEL_UNSPECIFIED' | 'OPEN_NETWORK_SECURITY' | 'PERSONAL_NETWORK_SECURITY' | 'ENTERPRISE_NETWORK_SECURITY' | 'ENTERPRISE_BIT192_NETWORK_SECURITY' | undefined
  ultraWidebandState?: 'ULTRA_WIDEBAND_STATE_UNSPECIFIED' | 'ULTRA_WIDEBAND_USER_CHOICE' | 'ULTRA_WIDEBAND_DISABLED' | undefined
  userInitiatedAddEsimSettings?: 'USER_INITIATED_ADD_ESIM_SETTINGS_UNSPECIFIED' | 'USER_INITIATED_ADD_ESIM_ALLOWED' | 'USER_INITIATED_ADD_ESIM_DISALLOWED' | undefined
  wifiState?: 'WIFI_STATE_UNSPECIFIED' | 'WIFI_STATE_USER_CHOICE' | 'WIFI_ENABLED' | 'WIFI_DISABLED' | undefined
}

export type AndroidManagementScreenBrightnessSettings = {
  screenBrightness?: number | undefined
  screenBrightnessMode?: 'SCREEN_BRIGHTNESS_MODE_UNSPECIFIED' | 'BRIGHTNESS_USER_CHOICE' | 'BRIGHTNESS_AUTOMATIC' | 'BRIGHTNESS_FIXED' | undefined
}

export type AndroidManagementScreenTimeoutSettings = {
  screenTimeout?: string | undefined
  screenTimeoutMode?: 'SCREEN_TIMEOUT_MODE_UNSPECIFIED' | 'SCREEN_TIMEOUT_USER_CHOICE' | 'SCREEN_TIMEOUT_ENFORCED' | undefined
}

export type AndroidManagementDisplaySettings = {
  screenBrightnessSettings?: AndroidManagementScreenBrightnessSettings | undefined
  screenTimeoutSettings?: AndroidManagementScreenTimeoutSettings | undefined
}

export type AndroidManagementKioskCustomization = {
  deviceSettings?: 'DEVICE_SETTINGS_UNSPECIFIED' | 'SETTINGS_ACCESS_ALLOWED' | 'SETTINGS_ACCESS_BLOCKED' | undefined
  powerButtonActions?: 'POWER_BUTTON_ACTIONS_UNSPECIFIED' | 'POWER_BUTTON_AVAILABLE' | 'POWER_BUTTON_BLOCKED' | undefined
  statusBar?: 'STATUS_BAR_UNSPECIFIED' | 'NOTIFICATIONS_AND_SYSTEM_INFO_ENABLED' | 'NOTIFICATIONS_AND_SYSTEM_INFO_DISABLED' | 'SYSTEM_INFO_ONLY' | undefined
  systemErrorWarnings?: 'SYSTEM_ERROR_WARNINGS_UNSPECIFIED' | 'ERROR_AND_WARNINGS_ENABLED' | 'ERROR_AND_WARNINGS_MUTED' | undefined
  systemNavigation?: 'SYSTEM_NAVIGATION_UNSPECIFIED' | 'NAVIGATION_ENABLED' | 'NAVIGATION_DISABLED' | 'HOME_BUTTON_ONLY' | undefined
}

export type AndroidManagementContentProviderEndpoint = {
  packageName?: string | undefined
  signingCertsSha256?: string[] | undefined
  uri?: string | undefined
}

export type AndroidManagementOncCertificateProvider = {
  certificateReferences?: string[] | undefined
  contentProviderEndpoint?: AndroidManagementContentProviderEndpoint | undefined
}

export type AndroidManagementPasswordRequirements = {
  maximumFailedPasswordsForWipe?: number | undefined
  passwordExpirationTimeout?: string | undefined
  passwordHistoryLength?: number | undefined
  passwordMinimumLength?: number | undefined
  passwordMinimumLetters?: number | undefined
  passwordMinimumLowerCase?: number | undefined
  passwordMinimumNonLetter?: number | undefined
  passwordMinimumNumeric?: number | undefined
  passwordMinimumSymbols?: number | undefined
  passwordMinimumUpperCase?: number | undefined
  passwordQuality?: 'PASSWORD_QUALITY_UNSPECIFIED' | 'BIOMETRIC_WEAK' | 'SOMETHING' | 'NUMERIC' | 'NUMERIC_COMPLEX' | 'ALPHABETIC' | 'ALPHANUMERIC' | 'COMPLEX' | 'COMPLEXITY_LOW' | 'COMPLEXITY_MEDIUM' | 'COMPLEXITY_HIGH' | undefined
  passwordScope?: 'SCOPE_UNSPECIFIED' | 'SCOPE_DEVICE' | 'SCOPE_PROFILE' | undefined
  requirePasswordUnlock?: 'REQUIRE_PASSWORD_UNLOCK_UNSPECIFIED' | 'USE_DEFAULT_DEVICE_TIMEOUT' | 'REQUIRE_EVERY_DAY' | undefined
  unifiedLockSettings?: 'UNIFIED_LOCK_SETTINGS_UNSPECIFIED' | 'ALLOW_UNIFIED_WORK_AND_PERSONAL_LOCK' | 'REQUIRE_SEPARATE_WORK_LOCK' | undefined
}

export type AndroidManagementPersistentPreferredActivity = {
  actions?: string[] | undefined
  categories?: string[] | undefined
  receiverActivity?: string | undefined
}

export type AndroidManagementPersonalApplicationPolicy = {
  installType?: 'INSTALL_TYPE_UNSPECIFIED' | 'BLOCKED' | 'AVAILABLE' | undefined
  packageName?: string | undefined
}

export type AndroidManagementPersonalUsagePolicies = {
  accountTypesWithManagementDisabled?: string[] | undefined
  bluetoothSharing?: 'BLUETOOTH_SHARING_UNSPECIFIED' | 'BLUETOOTH_SHARING_ALLOWED' | 'BLUETOOTH_SHARING_DISALLOWED' | undefined
  cameraDisabled?: boolean | undefined
  maxDaysWithWorkOff?: number | undefined
  personalApplications?: AndroidManagementPersonalApplicationPolicy[] | undefined
  personalPlayStoreMode?: 'PLAY_STORE_MODE_UNSPECIFIED' | 'BLACKLIST' | 'BLOCKLIST' | 'ALLOWLIST' | undefined
  privateSpacePolicy?: 'PRIVATE_SPACE_POLICY_UNSPECIFIED' | 'PRIVATE_SPACE_ALLOWED' | 'PRIVATE_SPACE_DISALLOWED' | undefined
  screenCaptureDisabled?: boolean | undefined
}

export type AndroidManagementBlockAction = {
  blockAfterDays?: number | undefined
  blockScope?: 'BLOCK_SCOPE_UNSPECIFIED' | 'BLOCK_SCOPE_WORK_PROFILE' | 'BLOCK_SCOPE_DEVICE' | undefined
}

export type AndroidManagementWipeAction = {
  preserveFrp?: boolean | undefined
  /** Greater than `blockAfterDays` */
  wipeAfterDays: number
}

export type AndroidManagementPolicyEnforcementRule = {
  blockAction: AndroidManagementBlockAction
  settingName: 'accountTypesWithManagementDisabled' | 'addUserDisabled' | 'adjustVolumeDisabled' | 'advancedSecurityOverrides' | 'alwaysOnVpnPackage' | 'androidDevicePolicyTracks' | 'appAutoUpdatePolicy' | 'appFunctions' | 'applications' | 'assistContentPolicy' | 'autoDateAndTimeZone' | 'autoTimeRequired' | 'blockApplicationsEnabled' | 'bluetoothConfigDisabled' | 'bluetoothContactSharingDisabled' | 'bluetoothDisabled' | 'cameraAccess' | 'cameraDisabled' | 'cellBroadcastsConfigDisabled' | 'choosePrivateKeyRules' | 'complianceRules' | 'createWindowsDisabled' | 'credentialProviderPolicyDefault' | 'credentialsConfigDisabled' | 'crossProfilePolicies' | 'dataRoamingDisabled' | 'debuggingFeaturesAllowed' | 'defaultApplicationSettings' | 'defaultPermissionPolicy' | 'deviceConnectivityManagement' | 'deviceOwnerLockScreenInfo' | 'deviceRadioState' | 'displaySettings' | 'encryptionPolicy' | 'ensureVerifyAppsEnabled' | 'enterpriseDisplayNameVisibility' | 'factoryResetDisabled' | 'frpAdminEmails' | 'funDisabled' | 'installAppsDisabled' | 'installUnknownSourcesAllowed' | 'keyguardDisabled' | 'keyguardDisabledFeatures' | 'kioskCustomLauncherEnabled' | 'kioskCustomization' | 'locationMode' | 'longSupportMessage' | 'maximumTimeToLock' | 'microphoneAccess' | 'minimumApiLevel' | 'mobileNetworksConfigDisabled' | 'modifyAccountsDisabled' | 'mountPhysicalMediaDisabled' | 'networkEscapeHatchEnabled' | 'networkResetDisabled' | 'oncCertificateProviders' | 'openNetworkConfiguration' | 'outgoingBeamDisabled' | 'outgoingCallsDisabled' | 'passwordPolicies' | 'passwordRequirements' | 'permissionGrants' | 'permittedAccessibilityServices' | 'permittedInputMethods' | 'persistentPreferredActivities' | 'personalUsagePolicies' | 'playStoreMode' | 'preferentialNetworkService' | 'printingPolicy' | 'privateKeySelectionEnabled' | 'recommendedGlobalProxy' | 'removeUserDisabled' | 'safeBootDisabled' | 'screenCaptureDisabled' | 'setUserIconDisabled' | 'setWallpaperDisabled' | 'setupActions' | 'shareLocationDisabled' | 'shortSupportMessage' | 'skipFirstUseHintsEnabled' | 'smsDisabled' | 'statusBarDisabled' | 'statusReportingSettings' | 'stayOnPluggedModes' | 'systemUpdate' | 'tetheringConfigDisabled' | 'uninstallAppsDisabled' | 'unmuteMicrophoneDisabled' | 'usageLog' | 'usbFileTransferDisabled' | 'usbMassStorageEnabled' | 'vpnConfigDisabled' | 'wifiConfigDisabled' | 'wifiConfigsLockdownEnabled' | 'wipeDataFlags' | 'workAccountSetupConfig'
  wipeAction: AndroidManagementWipeAction
}

export type AndroidManagementProxyInfo = {
  excludedHosts?: string[] | undefined
  host?: string | undefined
  pacUri?: string | undefined
  port?: number | undefined
}

export type AndroidManagementLaunchAppAction = {
  packageName?: string | undefined
}

export type AndroidManagementSetupAction = {
  description?: AndroidManagementUserFacingMessage | undefined
  launchApp?: AndroidManagementLaunchAppAction | undefined
  title?: AndroidManagementUserFacingMessage | undefined
}

export type AndroidManagementApplicationReportingSettings = {
  includeRemovedApps?: boolean | undefined
}

export type AndroidManagementStatusReportingSettings = {
  applicationReportingSettings?: AndroidManagementApplicationReportingSettings | undefined
  applicationReportsEnabled?: boolean | undefined
  commonCriteriaModeEnabled?: boolean | undefined
  defaultApplicationInfoReportingEnabled?: boolean | undefined
  deviceSettingsEnabled?: boolean | undefined
  displayInfoEnabled?: boolean | undefined
  hardwareStatusEnabled?: boolean | undefined
  memoryInfoEnabled?: boolean | undefined
  networkInfoEnabled?: boolean | undefined
  powerManagementEventsEnabled?: boolean | undefined
  softwareInfoEnabled?: boolean | undefined
  systemPropertiesEnabled?: boolean | undefined
}

export type AndroidManagementDate = {
  day?: number | undefined
  month?: number | undefined
  year?: number | undefined
}

export type AndroidManagementFreezePeriod = {
  endDate?: AndroidManagementDate | undefined
  startDate?: AndroidManagementDate | undefined
}

export type AndroidManagementSystemUpdate = {
  endMinutes?: number | undefined
  freezePeriods?: AndroidManagementFreezePeriod[] | undefined
  startMinutes?: number | undefined
  type?: 'SYSTEM_UPDATE_TYPE_UNSPECIFIED' | 'AUTOMATIC' | 'WINDOWED' | 'POSTPONE' | undefined
}

export type AndroidManagementUsageLog = {
  enabledLogTypes?: ('LOG_TYPE_UNSPECIFIED' | 'SECURITY_LOGS' | 'NETWORK_ACTIVITY_LOGS')[] | undefined
  uploadOnCellularAllowed?: ('LOG_TYPE_UNSPECIFIED' | 'SECURITY_LOGS' | 'NETWORK_ACTIVITY_LOGS')[] | undefined
}

export type AndroidManagementWorkAccountSetupConfig = {
  authenticationType?: 'AUTHENTICATION_TYPE_UNSPECIFIED' | 'AUTHENTICATION_TYPE_NOT_ENFORCED' | 'GOOGLE_AUTHENTICATED' | undefined
  requiredAccountEmail?: string | undefined
}

export type AndroidManagementPolicy = {
  accountTypesWithManagementDisabled?: string[] | undefined
  addUserDisabled?: boolean | undefined
  adjustVolumeDisabled?: boolean | undefined
  advancedSecurityOverrides?: AndroidManagementAdvancedSecurityOverrides | undefined
  alwaysOnVpnPackage?: AndroidManagementAlwaysOnVpnPackage | undefined
  androidDevicePolicyTracks?: ('APP_TRACK_UNSPECIFIED' | 'PRODUCTION' | 'BETA')[] | undefined
  appAutoUpdatePolicy?: 'APP_AUTO_UPDATE_POLICY_UNSPECIFIED' | 'CHOICE_TO_THE_USER' | 'NEVER' | 'WIFI_ONLY' | 'ALWAYS' | undefined
  appFunctions?: 'APP_FUNCTIONS_UNSPECIFIED' | 'APP_FUNCTIONS_DISALLOWED' | 'APP_FUNCTIONS_ALLOWED' | undefined
  applications?: AndroidManagementApplicationPolicy[] | undefined
  assistContentPolicy?: 'ASSIST_CONTENT_POLICY_UNSPECIFIED' | 'ASSIST_CONTENT_DISALLOWED' | 'ASSIST_CONTENT_ALLOWED' | undefined
  autoDateAndTimeZone?: 'AUTO_DATE_AND_TIME_ZONE_UNSPECIFIED' | 'AUTO_DATE_AND_TIME_ZONE_USER_CHOICE' | 'AUTO_DATE_AND_TIME_ZONE_ENFORCED' | undefined
  autoTimeRequired?: boolean | undefined
  blockApplicationsEnabled?: boolean | undefined
  bluetoothConfigDisabled?: boolean | undefined
  bluetoothContactSharingDisabled?: boolean | undefined
  bluetoothDisabled?: boolean | undefined
  cameraAccess?: 'CAMERA_ACCESS_UNSPECIFIED' | 'CAMERA_ACCESS_USER_CHOICE' | 'CAMERA_ACCESS_DISABLED' | 'CAMERA_ACCESS_ENFORCED' | undefined
  cameraDisabled?: boolean | undefined
  cellBroadcastsConfigDisabled?: boolean | undefined
  choosePrivateKeyRules?: AndroidManagementChoosePrivateKeyRule[] | undefined
  complianceRules?: AndroidManagementComplianceRule[] | undefined
  createWindowsDisabled?: boolean | undefined
  credentialProviderPolicyDefault?: 'CREDENTIAL_PROVIDER_POLICY_DEFAULT_UNSPECIFIED' | 'CREDENTIAL_PROVIDER_DEFAULT_DISALLOWED' | 'CREDENTIAL_PROVIDER_DEFAULT_DISALLOWED_EXCEPT_SYSTEM' | undefined
  credentialsConfigDisabled?: boolean | undefined
  crossProfilePolicies?: AndroidManagementCrossProfilePolicies | undefined
  dataRoamingDisabled?: boolean | undefined
  debuggingFeaturesAllowed?: boolean | undefined
  defaultApplicationSettings?: AndroidManagementDefaultApplicationSetting[] | undefined
  defaultPermissionPolicy?: 'PERMISSION_POLICY_UNSPECIFIED' | 'PROMPT' | 'GRANT' | 'DENY' | undefined
  deviceConnectivityManagement?: AndroidManagementDeviceConnectivityManagement | undefined
  deviceOwnerLockScreenInfo?: AndroidManagementUserFacingMessage | undefined
  deviceRadioState?: AndroidManagementDeviceRadioState | undefined
  displaySettings?: AndroidManagementDisplaySettings | undefined
  encryptionPolicy?: 'ENCRYPTION_POLICY_UNSPECIFIED' | 'ENABLED_WITHOUT_PASSWORD' | 'ENABLED_WITH_PASSWORD' | undefined
  ensureVerifyAppsEnabled?: boolean | undefined
  enterpriseDisplayNameVisibility?: 'ENTERPRISE_DISPLAY_NAME_VISIBILITY_UNSPECIFIED' | 'ENTERPRISE_DISPLAY_NAME_VISIBLE' | 'ENTERPRISE_DISPLAY_NAME_HIDDEN' | undefined
  factoryResetDisabled?: boolean | undefined
  frpAdminEmails?: string[] | undefined
  funDisabled?: boolean | undefined
  installAppsDisabled?: boolean | undefined
  installUnknownSourcesAllowed?: boolean | undefined
  keyguardDisabled?: boolean | undefined
  keyguardDisabledFeatures?: ('KEYGUARD_DISABLED_FEATURE_UNSPECIFIED' | 'CAMERA' | 'NOTIFICATIONS' | 'UNREDACTED_NOTIFICATIONS' | 'TRUST_AGENTS' | 'DISABLE_FINGERPRINT' | 'DISABLE_REMOTE_INPUT' | 'FACE' | 'IRIS' | 'BIOMETRICS' | 'SHORTCUTS' | 'ALL_FEATURES')[] | undefined
  kioskCustomLauncherEnabled?: boolean | undefined
  kioskCustomization?: AndroidManagementKioskCustomization | undefined
  locationMode?: 'LOCATION_MODE_UNSPECIFIED' | 'HIGH_ACCURACY' | 'SENSORS_ONLY' | 'BATTERY_SAVING' | 'OFF' | 'LOCATION_USER_CHOICE' | 'LOCATION_ENFORCED' | 'LOCATION_DISABLED' | undefined
  longSupportMessage?: AndroidManagementUserFacingMessage | undefined
  maximumTimeToLock?: string | number | undefined
  microphoneAccess?: 'MICROPHONE_ACCESS_UNSPECIFIED' | 'MICROPHONE_ACCESS_USER_CHOICE' | 'MICROPHONE_ACCESS_DISABLED' | 'MICROPHONE_ACCESS_ENFORCED' | undefined
  minimumApiLevel?: number | undefined
  mobileNetworksConfigDisabled?: boolean | undefined
  modifyAccountsDisabled?: boolean | undefined
  mountPhysicalMediaDisabled?: boolean | undefined
  networkEscapeHatchEnabled?: boolean | undefined
  networkResetDisabled?: boolean | undefined
  oncCertificateProviders?: AndroidManagementOncCertificateProvider[] | undefined
  openNetworkConfiguration?: { [name: string]: unknown } | undefined
  outgoingBeamDisabled?: boolean | undefined
  outgoingCallsDisabled?: boolean | undefined
  passwordPolicies?: AndroidManagementPasswordRequirements[] | undefined
  passwordRequirements?: AndroidManagementPasswordRequirements | undefined
  permissionGrants?: AndroidManagementPermissionGrant[] | undefined
  permittedAccessibilityServices?: AndroidManagementPackageNameList | undefined
  permittedInputMethods?: AndroidManagementPackageNameList | undefined
  persistentPreferredActivities?: AndroidManagementPersistentPreferredActivity[] | undefined
  personalUsagePolicies?: AndroidManagementPersonalUsagePolicies | undefined
  playStoreMode?: 'PLAY_STORE_MODE_UNSPECIFIED' | 'WHITELIST' | 'BLACKLIST' | undefined
  policyEnforcementRules?: AndroidManagementPolicyEnforcementRule[] | undefined
  preferentialNetworkService?: 'PREFERENTIAL_NETWORK_SERVICE_UNSPECIFIED' | 'PREFERENTIAL_NETWORK_SERVICE_DISABLED' | 'PREFERENTIAL_NETWORK_SERVICE_ENABLED' | undefined
  printingPolicy?: 'PRINTING_POLICY_UNSPECIFIED' | 'PRINTING_DISALLOWED' | 'PRINTING_ALLOWED' | undefined
  privateKeySelectionEnabled?: boolean | undefined
  recommendedGlobalProxy?: AndroidManagementProxyInfo | undefined
  removeUserDisabled?: boolean | undefined
  safeBootDisabled?: boolean | undefined
  screenCaptureDisabled?: boolean | undefined
  setUserIconDisabled?: boolean | undefined
  setWallpaperDisabled?: boolean | undefined
  setupActions?: AndroidManagementSetupAction[] | undefined
  shareLocationDisabled?: boolean | undefined
  shortSupportMessage?: AndroidManagementUserFacingMessage | undefined
  skipFirstUseHintsEnabled?: boolean | undefined
  smsDisabled?: boolean | undefined
  statusBarDisabled?: boolean | undefined
  statusReportingSettings?: AndroidManagementStatusReportingSettings | undefined
  stayOnPluggedModes?: ('BATTERY_PLUGGED_MODE_UNSPECIFIED' | 'AC' | 'USB' | 'WIRELESS')[] | undefined
  systemUpdate?: AndroidManagementSystemUpdate | undefined
  tetheringConfigDisabled?: boolean | undefined
  uninstallAppsDisabled?: boolean | undefined
  unmuteMicrophoneDisabled?: boolean | undefined
  usageLog?: AndroidManagementUsageLog | undefined
  usbFileTransferDisabled?: boolean | undefined
  usbMassStorageEnabled?: boolean | undefined
  vpnConfigDisabled?: boolean | undefined
  wifiConfigDisabled?: boolean | undefined
  wifiConfigsLockdownEnabled?: boolean | undefined
  wipeDataFlags?: ('WIPE_DATA_FLAG_UNSPECIFIED' | 'WIPE_ESIMS')[] | undefined
  workAccountSetupConfig?: AndroidManagementWorkAccountSetupConfig | undefined
}

export type DevicePolicyRequest = {
  name: string
  management_mode: 'fully_managed' | 'work_profile'
  description?: string | null | undefined
  /** A policy of the Android Management API, without `name` and `version` */
  policy_json?: AndroidManagementPolicy | null | undefined
}

export type DevicePolicyUpdate = {
  name?: string | null | undefined
  management_mode?: 'fully_managed' | 'work_profile' | null | undefined
  description?: string | null | undefined
  /** A policy of the Android Management API, without `name` and `version` */
  policy_json?: AndroidManagementPolicy | null | undefined
}

export type ListedEnrollmentToken = {
  id: string
  policy_id: string
  management_mode: 'fully_managed' | 'work_profile'
  duration_hours: number
  one_time: boolean
  /** `used`: it was for one device, which has enrolled */
  state: 'active' | 'used' | 'ended' | 'expired'
  token_value: string | null
  qr_content: string | null
  expires_at: string
  created_at: string
}

export type EnrollmentTokenRequest = {
  /** Determines the mode in which devices are managed */
  policy_id: string
  /** May be a fraction, but at least one minute */
  duration_hours?: number | null | undefined
  /** Whether the token enrolls only one device */
  one_time?: boolean | null | undefined
}

export type EnrollmentToken = {
  id: string
  policy_id: string
  management_mode: 'fully_managed' | 'work_profile'
  duration_hours: number
  one_time: boolean
  /** `used`: it was for one device, which has enrolled */
  state: 'active' | 'used' | 'ended' | 'expired'
  /** Anyone who has it can enroll a device */
  token_value: string
  /** JSON text that the enrollment QR code encodes */
  qr_content: string
  expires_at: string
  created_at: string
}

export type GroupCommand = {
  id: string
  group_id: string
  type: 'LOCK' | 'REBOOT' | 'RESET_PASSWORD' | 'RELINQUISH_OWNERSHIP' | 'CLEAR_APP_DATA' | 'WIPE'
  /** Number of devices the command was created for */
  total: number
  /** Number of devices of the group that do not support the command */
  skipped: number
  queued: number
  sent: number
  acknowledged: number
  failed: number
  expired: number
  cancelled: number
  created_at: string
}

export type DeviceGroup = {
  id: string
  name: string
  policy_id: string | null
  /** Excludes deleted devices */
  device_count: number
  last_command: GroupCommand | null
  created_at: string
  updated_at: string
}

export type DeviceGroupRequest = {
  name: string
  policy_id?: string | null | undefined
}

export type DeviceGroupUpdate = {
  name?: string | null | undefined
  policy_id?: string | null | undefined
}

export type DeviceGroupAssignment = {
  /** Each device leaves the group that it is in */
  device_ids: string[]
}

export type ClearAppDataRequest = {
  type: 'CLEAR_APP_DATA'
  /** Apps whose data is deleted */
  package_names: string[]
  new_password?: null | undefined
}

export type ResetPasswordRequest = {
  type: 'RESET_PASSWORD'
  package_names?: null | undefined
  new_password?: string | null | undefined
}

export type PlainCommandRequest = {
  type: 'LOCK' | 'REBOOT' | 'RELINQUISH_OWNERSHIP' | 'WIPE'
  package_names?: null | undefined
  new_password?: null | undefined
}

export type DeviceCommandRequest = ClearAppDataRequest | ResetPasswordRequest | PlainCommandRequest

export type DeviceCommand = {
  id: string
  device_id: string
  group_command_id: string | null
  type: 'LOCK' | 'REBOOT' | 'RESET_PASSWORD' | 'RELINQUISH_OWNERSHIP' | 'CLEAR_APP_DATA' | 'WIPE'
  package_names: string[]
  status: 'queued' | 'sent' | 'acknowledged' | 'failed' | 'expired' | 'cancelled'
  error: string | null
  created_at: string
  sent_at: string | null
  completed_at: string | null
  expires_at: string
}

export type ManagedDevice = {
  id: string
  name: string | null
  state: 'active' | 'disabled' | 'deleted' | 'provisioning' | 'lost' | 'preparing_for_migration' | 'deactivated_by_device_finance'
  management_mode: 'fully_managed' | 'work_profile'
  ownership_type: 'company_owned' | 'personally_owned'
  assigned_user_id: string | null
  custom_attributes: { [name: string]: unknown }
  group_id: string | null
  policy_id: string | null
  applied_policy_id: string | null
  policy_error: string | null
  compliance_state: 'compliant' | 'grace_period' | 'non_compliant' | 'unknown'
  non_compliance_details: {
    /** Name of the violated member of the policy */
    setting_name: string
    field_path: string | null
    package_name: string | null
    /** The provider's `nonComplianceReason` */
    reason: string
    specific_reason: string | null
    installation_failure_reason: string | null
    /** Time of the first report of the violation */
    first_seen_at: string
    grace_period_expires_at: string
  }[]
  grace_period_expires_at: string | null
  brand: string | null
  manufacturer: string | null
  model: string | null
  serial_number: string | null
  os_version: string | null
  security_patch_level: string | null
  enrolled_at: string
  last_report_at: string | null
  deletion_requested_at: string | null
  deleted_at: string | null
}

export type ManagedDevicePage = {
  devices: ManagedDevice[]
  pagination: {
    page: number
    limit: number
    total: number
    pages: number
  }
}

export type AuditEntry = {
  id: string
  action: 'enterprise.signup_started' | 'enterprise.created' | 'policy.created' | 'policy.updated' | 'policy.published' | 'policy.rejected' | 'enrollment_token.created' | 'enrollment_token.ended' | 'device.enrolled' | 'device.state_changed' | 'device.compliance_changed' | 'device.updated' | 'device.policy_assigned' | 'device.policy_applied' | 'device.policy_rejected' | 'device.deletion_requested' | 'device.deleted' | 'command.created' | 'command.sent' | 'command.completed' | 'group.created' | 'group.updated' | 'group.deleted' | 'group.devices_assigned' | 'group.command_created'
  actor_type: 'user' | 'system' | 'provider'
  actor_id: string | null
  target_type: string
  target_id: string | null
  before: { [name: string]: unknown } | null
  after: { [name: string]: unknown } | null
  created_at: string
}

export type ManagedDeviceWithHistory = {
  device: ManagedDevice
  commands: DeviceCommand[]
  events: AuditEntry[]
}

export type ManagedDeviceUpdate = {
  name?: string | null | undefined
  ownership_type?: 'company_owned' | 'personally_owned' | null | undefined
  assigned_user_id?: string | null | undefined
  custom_attributes?: { [name: string]: unknown } | null | undefined
}

export type MdmOverview = {
  /** Excludes deleted devices */
  total_devices: number
  active_devices: number
  provisioning_devices: number
  non_compliant_devices: number
  by_mode: {
    fully_managed: number
    work_profile: number
  }
}

export type AuditLogPage = {
  entries: AuditEntry[]
  pagination: {
    page: number
    limit: number
    total: number
    pages: number
  }
}

export type IdentityTokenRequest = {
  /** UUID of the application */
  application_id: string
  /** Your id of the user who has signed in */
  external_user_id: string
}

export type IdentityToken = {
  /** Identifies the user of one subscription of the application until it expires */
  identity_token: string
  expires_at: string
}

/** Requires exactly one of `application_id` and `push_configuration_id`, exactly one of `all`, `external_user_ids` and `subscription_ids`, and at least one of `title`, `body` and `data`. Content that FCM or APNs would reject (more than 4096 bytes, reserved names in `data`) is an error. */
export type PushMessageRequest = {
  application_id?: string | null | undefined
  /** Alternative to `application_id` */
  push_configuration_id?: string | null | undefined
  /** Sends to all subscribed devices */
  all?: boolean | null | undefined
  /** Sends to all subscribed devices of these users; unknown users are ignored */
  external_user_ids?: string[] | null | undefined
  /** Sends to exactly these subscriptions; unknown ones are ignored */
  subscription_ids?: string[] | null | undefined
  title?: string | null | undefined
  body?: string | null | undefined
  /** Data for the app. Without title and body, nothing is shown to the user */
  data?: { [name: string]: string } | null | undefined
  image?: string | null | undefined
  /** What the app opens when the notification is tapped */
  deep_link?: string | null | undefined
  /** How long the notification stays relevant, from the time of sending; 0 delivers only to devices that are online */
  ttl_seconds?: number | null | undefined
  /** A notification replaces the previous one with the same key */
  collapse_key?: string | null | undefined
  priority?: 'high' | 'normal' | null | undefined
  badge?: number | null | undefined
  sound?: string | null | undefined
  /** Android only */
  channel_id?: string | null | undefined
  /** RFC 3339, at most 90 days ahead; a time in the past sends immediately */
  send_at?: string | null | undefined
}

export type PushMessageAccepted = {
  message_id: string
  status: 'queued' | 'scheduled'
  /** Number of currently reachable subscriptions in the target */
  targeted: number
}

export type AppRegistration = {
  /** The application that the app belongs to */
  application_id: string
  /** A random UUID (version 4) that the app creates and stores before the request, and uses for nothing else. Repeating the request with it returns the same subscription and secret. */
  registration_id: string
  platform: 'android' | 'ios'
  /** The token of the device: of FCM for `android`, of APNs in hexadecimal digits for `ios` */
  token: string
  permission?: 'granted' | 'provisional' | 'denied' | null | undefined
  /** Language tag (BCP 47), such as `de-CH` */
  locale?: string | null | undefined
  /** Version of the app, such as `2.1.0` */
  app_version?: string | null | undefined
  /** Name of the time zone of the device (IANA), such as `Europe/Zurich` */
  time_zone?: string | null | undefined
}

export type AppRegistered = {
  /** Proves the subscription in all later requests. It is not returned again. */
  subscription_secret: string
  subscription_id: string
  platform: 'android' | 'ios'
  permission: 'granted' | 'provisional' | 'denied'
  /** Whether messages are sent to it: permission and token permit it */
  is_reachable: boolean
  external_user_id: string | null
  locale: string | null
  app_version: string | null
  time_zone: string | null
}

/** Omitted members do not change. */
export type AppRefresh = {
  /** The application that the app belongs to */
  application_id: string
  /** The secret that registration returned */
  subscription_secret: string
  /** The current token of the device */
  token?: string | null | undefined
  permission?: 'granted' | 'provisional' | 'denied' | null | undefined
  /** Language tag (BCP 47), such as `de-CH` */
  locale?: string | null | undefined
  /** Version of the app, such as `2.1.0` */
  app_version?: string | null | undefined
  /** Name of the time zone of the device (IANA), such as `Europe/Zurich` */
  time_zone?: string | null | undefined
}

export type AppSubscription = {
  subscription_id: string
  platform: 'android' | 'ios'
  permission: 'granted' | 'provisional' | 'denied'
  /** Whether messages are sent to it: permission and token permit it */
  is_reachable: boolean
  external_user_id: string | null
  locale: string | null
  app_version: string | null
  time_zone: string | null
}

export type AppIdentification = {
  /** The application that the app belongs to */
  application_id: string
  /** The secret that registration returned */
  subscription_secret: string
  /** Identity assertion that the backend of the app received, valid for five minutes */
  identity_token: string
}

export type AppProof = {
  /** The application that the app belongs to */
  application_id: string
  /** The secret that registration returned */
  subscription_secret: string
}

export type AppEnding = {
  /** The application that the app belongs to */
  application_id: string
  /** The secret that registration returned */
  subscription_secret: string
}

export type AppUnsubscribed = Record<string, never>

export type AppReceipts = {
  /** The application that the app belongs to */
  application_id: string
  /** The secret that registration returned */
  subscription_secret: string
  receipts: {
    /** `vigil_message_id` of the notification */
    message_id: string
    kind: 'received' | 'clicked'
  }[]
}

export type AppReceiptsCounted = {
  /** Receipts in the request */
  received: number
  /** Receipts of messages that were sent to the subscription */
  known: number
}

export type PushMessageState = {
  message_id: string
  application_id: string
  status: 'scheduled' | 'queued' | 'sending' | 'sent' | 'partially_failed' | 'failed' | 'cancelled'
  target: 'all' | 'external_user_ids' | 'subscription_ids'
  send_at: string
  created_at: string
  completed_at: string | null
  /** Reachable subscriptions in the target when the message was created */
  targeted: number
  /** Subscriptions that the message was or will be sent to */
  recipients: number
  /** Recipients without an outcome */
  pending: number
  /** Recipients of a canceled message without an outcome */
  cancelled: number
  /** Recipients whose provider accepted the notification */
  accepted: number
  /** Recipients whose notification failed */
  failed: number
  /** Recipients whose app reported that it received the notification */
  received: number
  /** Recipients whose app reported that the user tapped the notification */
  clicked: number
  /** Failures by reason */
  failures: {
    provider: 'fcm' | 'apns'
    reason: string | null
    count: number
  }[]
  /** There are more failures than `failures` counts */
  is_partial: boolean
}
