/**
 * The form of a configuration file: a list for each kind of item. `docs/configuration.schema.json` is this
 * schema, for editors.
 */
import { Type } from 'typebox'
import { REQUIRED_PROVIDERS, ROLES } from '../../modules/accounts/tables.ts'
import { APPLICATION_TYPES } from '../../modules/applications/tables.ts'
import { ALERT_KINDS, searchFilters as filters } from '../../modules/edge/index.ts'
import { EVENT_TYPES } from '../../modules/events/index.ts'
import { SCOPES } from '../../modules/keys/index.ts'
import { KEY_TYPES } from '../../modules/keys/tables.ts'
import { LISTS } from '../../modules/lists/tables.ts'
import { MANAGEMENT_MODES } from '../../modules/mdm/tables.ts'
import { SEVERITIES, SUBJECT_NAMES } from '../../modules/notifications/index.ts'
import { CHANNEL_KINDS } from '../../modules/notifications/tables.ts'
import { eventFilter } from '../../modules/webhooks/index.ts'
import { choice, maybe, strictObject } from '../../platform/http/schemas.ts'

const text = (description?: string) =>
  Type.String({ minLength: 1, ...(description !== undefined && { description }) })
const mode = choice(['live', 'test'])
const object = (description: string) => Type.Object({}, { additionalProperties: true, description })
const reference = Type.String({
  pattern: '^\\$\\{[A-Z_][A-Z0-9_]*\\}$',
  description:
    'The name of an environment variable that has the secret, such as ${SLACK_URL}. It is read when the item is created or this name changes',
})
const textOrNull = (description: string) =>
  Type.Optional(Type.Union([text(), Type.Null()], { description }))
const role = choice(ROLES)

/** Values of these kinds are stored as hashes, so files cannot be compared with them. */
export const LISTED_IN_FILES = [
  'domain',
  'network',
  'profile',
  'terminal',
  'cashier',
  'country',
] as const

const items = {
  members: strictObject({ email: text(), role }),
  api_keys: strictObject({
    name: text('Unique among the keys of the organization'),
    type: choice(KEY_TYPES),
    note: Type.Optional(Type.String()),
    scopes: Type.Optional(
      Type.Union([Type.Array(choice(SCOPES), { minItems: 1 }), Type.Null()], {
        description: 'null or absent: everything that the type of the key may do',
      }),
    ),
    networks: Type.Optional(Type.Union([Type.Array(text(), { minItems: 1 }), Type.Null()])),
    expires_at: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
  order_rules: strictObject({
    mode,
    overrides: object('Numbers that differ from the shipped rules, by section and name'),
    custom_rules: Type.Optional(
      Type.Array(object('A custom rule, see docs/rules.md'), {
        description: 'All custom rules in their order; without it, they stay as they are',
      }),
    ),
    automatic: Type.Optional(
      Type.Boolean({ description: 'Whether learned weights that are better are applied' }),
    ),
  }),
  list_entries: strictObject({
    mode,
    list: choice(LISTS),
    kind: choice(LISTED_IN_FILES),
    value: text(),
    reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    expires_at: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
  alert_rules: strictObject({
    name: text(),
    condition: object('Filters and a query, as in POST /v1/edge/alerts'),
    threshold: Type.Integer({ minimum: 1 }),
    window_minutes: Type.Integer({ minimum: 1 }),
    kind: Type.Optional(choice(ALERT_KINDS)),
    ratio_percent: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  }),
  push_applications: strictObject({
    name: text(),
    environment: mode,
    type: Type.Optional(choice(APPLICATION_TYPES)),
    android_package_name: textOrNull('The name of the app at Google'),
    ios_bundle_id: textOrNull('The name of the app at Apple'),
  }),
  notification_channels: strictObject({
    name: text(),
    kind: choice(CHANNEL_KINDS),
    to: Type.Optional(Type.Array(text(), { minItems: 1 })),
    url: Type.Optional(reference),
    routing_key: Type.Optional(reference),
    application: Type.Optional(text('The name of a live push application')),
    external_user_ids: Type.Optional(Type.Array(text(), { minItems: 1 })),
    per_hour_max: Type.Optional(Type.Integer({ minimum: 1 })),
  }),
  notification_routes: strictObject({
    subject: Type.Optional(
      Type.Union([choice(SUBJECT_NAMES), Type.Null()], {
        description: 'null or absent: all subjects without a route of their own',
      }),
    ),
    alert_rule: Type.Optional(Type.Union([text('The name of an alert rule'), Type.Null()])),
    channels: Type.Array(text('The name of a channel')),
    min_severity: choice(SEVERITIES),
    repeat_minutes: Type.Optional(Type.Integer({ minimum: 0 })),
    quiet_hours: Type.Optional(
      Type.Union([strictObject({ from: text(), until: text(), time_zone: text() }), Type.Null()]),
    ),
  }),
  webhook_endpoints: strictObject({
    url: text(),
    mode,
    events: Type.Array(choice(EVENT_TYPES), { minItems: 1 }),
    description: Type.Optional(Type.String()),
    status: Type.Optional(choice(['active', 'paused'])),
    filter: maybe(eventFilter),
    headers: Type.Optional(
      Type.Array(text('The name of a header, set in the console, because files have no values')),
    ),
    rate_per_second: maybe(Type.Integer({ minimum: 1 })),
  }),
  device_policies: strictObject({
    name: text(),
    management_mode: choice(MANAGEMENT_MODES),
    description: Type.Optional(Type.String()),
    policy_json: object('A policy of the Android Management API'),
  }),
  device_groups: strictObject({
    name: text(),
    policy: Type.Optional(Type.Union([text('The name of a device policy'), Type.Null()])),
  }),
  saved_searches: strictObject({ name: text(), filters }),
  log_dashboard: strictObject({
    panels: Type.Array(strictObject({ name: text(), view: filters }), {
      description: 'All panels in their order',
    }),
  }),
  case_settings: strictObject({
    sla_hours: Type.Integer({ minimum: 1 }),
    reason_codes: Type.Array(strictObject({ code: text(), label: text() }), { minItems: 1 }),
  }),
  credit_settings: strictObject({
    low_balance_credits: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
      description: 'null: what was used in the last seven days',
    }),
  }),
  sign_in_provider: strictObject({
    issuer: text(),
    client_id: text(),
    client_secret: Type.Optional(reference),
    scopes: Type.Optional(text()),
    email_domains: Type.Optional(Type.Array(text(), { description: 'Empty or absent: all' })),
    role_claim: textOrNull('The claim with the groups; null leaves roles as they are'),
    roles: Type.Optional(Type.Array(strictObject({ group: text(), role }))),
    default_role: Type.Optional(Type.Union([role, Type.Null()])),
    trusts_factor: Type.Optional(Type.Boolean()),
  }),
  sign_in_policy: strictObject({
    requires_second_factor: Type.Optional(Type.Boolean()),
    required_provider: Type.Optional(Type.Union([choice(REQUIRED_PROVIDERS), Type.Null()])),
    break_glass: textOrNull('E-mail of the owner who may sign in without the provider'),
  }),
}

/** Kinds that exist once in an organization. */
const SINGLE = new Set([
  'log_dashboard',
  'case_settings',
  'credit_settings',
  'sign_in_provider',
  'sign_in_policy',
])

export const documentSchema = strictObject(
  Object.fromEntries(
    Object.entries(items).map(([kind, item]) => [
      kind,
      Type.Optional(Type.Array(item, SINGLE.has(kind) ? { maxItems: 1 } : {})),
    ]),
  ),
  {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Configuration of an organization of Vigil',
  },
)
