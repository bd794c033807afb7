/** Contract of the console's notifications: channels, routes, what happened, and what was sent. */
import { type Static, Type } from 'typebox'
import { choice, IDENTIFIER_MAX_CHARS, maybe } from '../../platform/http/schemas.ts'
import { SEVERITIES, type Severity, SUBJECT_NAMES } from './catalog.ts'
import type { QuietHours } from './quiet-hours.ts'
import type { ChannelConfig, ChannelKind, Item } from './tables.ts'
import { CHANNEL_KINDS } from './tables.ts'

const NAME_MAX_CHARS = 200
const URL_MAX_CHARS = 2048
const KEY_MAX_CHARS = 200
const EMAIL_MAX_CHARS = 320
const RECIPIENTS_MAX = 20
const PER_HOUR_MAX = 1000
const REPEAT_MINUTES_MAX = 10_080
const MUTE_MINUTES_MAX = 43_200
const CHANNELS_PER_ROUTE_MAX = 20

const name = Type.String({ minLength: 1, maxLength: NAME_MAX_CHARS })
const url = Type.Optional(Type.String({ minLength: 1, maxLength: URL_MAX_CHARS }))
const uuid = () => Type.String({ format: 'uuid' })

/** Which members are needed depends on `kind`; the service names the missing one. */
const target = {
  to: Type.Optional(
    Type.Array(
      Type.String({
        minLength: 3,
        maxLength: EMAIL_MAX_CHARS,
        pattern: '^[^@\\s,<>"]+@[^@\\s,<>"]+$',
        'x-wanted': 'an e-mail address such as desk@example.com',
      }),
      {
        minItems: 1,
        maxItems: RECIPIENTS_MAX,
      },
    ),
  ),
  url,
  routing_key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: KEY_MAX_CHARS,
      pattern: '^[A-Za-z0-9]+$',
      'x-wanted': 'a key of letters and digits, such as R0123456789ABCDEF0123456789ABCDE',
    }),
  ),
  application_id: Type.Optional(uuid()),
  external_user_ids: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: IDENTIFIER_MAX_CHARS }), {
      minItems: 1,
      maxItems: RECIPIENTS_MAX,
    }),
  ),
}
const per_hour_max = Type.Optional(Type.Integer({ minimum: 1, maximum: PER_HOUR_MAX }))

export const newChannel = Type.Object({
  kind: choice(CHANNEL_KINDS),
  name,
  ...target,
  per_hour_max,
})
export const channelChange = Type.Object({ name: Type.Optional(name), ...target, per_hour_max })
export type NewChannel = Static<typeof newChannel>
export type ChannelChange = Static<typeof channelChange>

const clock = Type.String({
  pattern: '^([01]\\d|2[0-3]):[0-5]\\d$',
  'x-wanted': 'a time such as 22:00',
})
const quiet_hours = maybe(
  Type.Object({
    from: clock,
    until: clock,
    time_zone: Type.String({ minLength: 1, maxLength: 64 }),
  }),
)
const routing = {
  min_severity: choice(SEVERITIES),
  repeat_minutes: Type.Optional(Type.Integer({ minimum: 0, maximum: REPEAT_MINUTES_MAX })),
  quiet_hours,
}
export const newRoute = Type.Object({
  subject: maybe(choice(SUBJECT_NAMES)),
  rule_id: maybe(uuid()),
  channel_ids: Type.Array(uuid(), { maxItems: CHANNELS_PER_ROUTE_MAX }),
  ...routing,
})
export type NewRoute = Static<typeof newRoute>

/** A person chooses subjects; null stands for all others. */
export const ownRoute = Type.Object({
  subject: maybe(choice(SUBJECT_NAMES)),
  is_on: Type.Boolean(),
  ...routing,
})
export type OwnRoute = Static<typeof ownRoute>

export const mute = Type.Object({
  minutes: Type.Integer({ minimum: 0, maximum: MUTE_MINUTES_MAX }),
})

const base64url = (chars: number) =>
  Type.String({
    maxLength: chars,
    pattern: `^[A-Za-z0-9_-]{${chars}}$`,
    'x-wanted': `a text of ${chars} characters of base64url`,
  })

/** What `pushManager.subscribe` of the browser returned, with the key that it received. */
export const newBrowser = Type.Object({
  name,
  sealed_key: Type.String({ minLength: 1, maxLength: URL_MAX_CHARS }),
  endpoint: Type.String({ minLength: 1, maxLength: URL_MAX_CHARS }),
  p256dh: base64url(87),
  auth: base64url(22),
})
export type NewBrowser = Static<typeof newBrowser>

/** @property sealed_key is sent back with the subscription */
export type BrowserKey = { public_key: string; sealed_key: string }

export type Channel = {
  id: string
  kind: ChannelKind
  name: string
  config: ChannelConfig
  per_hour_max: number
  verified_at: string | null
  failing_since: string | null
  last_error: string | null
  created_at: string
  updated_at: string
}

/** The signing secret of a webhook channel is shown once. */
export type ChannelWithSecret = Channel & { secret?: string }

export type TestResult = {
  is_accepted: boolean
  response_status: number | null
  /** Answer of the provider, up to 2 KB. */
  response_body: string | null
  error: string | null
  latency_ms: number
  channel: Channel
}

export type ShownRoute = {
  id: string
  subject: string | null
  rule_id: string | null
  channel_ids: string[]
  min_severity: Severity
  repeat_minutes: number
  quiet_hours: QuietHours | null
  muted_until: string | null
}

export type ShownNotification = {
  id: string
  subject: string
  severity: Severity
  is_lasting: boolean
  title: string
  detail: string | null
  link: string
  rule_id: string | null
  started_at: string
  resolved_at: string | null
  acknowledged_at: string | null
  /** E-mail; null when no one acknowledged it, or the person was deleted. */
  acknowledged_by: string | null
  /** Number of channels that were notified. */
  channels_told: number
}

export type ShownMessage = {
  id: string
  channel_id: string
  /** Null when the channel was deleted. */
  channel_name: string | null
  subject: string
  step: string
  hold: string | null
  items: Item[]
  status: 'pending' | 'succeeded' | 'failed'
  attempts: number
  due_at: string | null
  attempted_at: string | null
  response_status: number | null
  response_body: string | null
  error: string | null
  latency_ms: number | null
  created_at: string
}

/** Number of notifications that last now, for the menu and the title of the page. */
export type Firing = {
  count: number
  unacknowledged: number
  /** Severity of the worst one that no one acknowledged. */
  severity: Severity | null
}
