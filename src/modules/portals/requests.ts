/** Requests about customer portals and their links. */
import { type Static, Type } from 'typebox'
import { choice, maybe, nullable } from '../../platform/http/schemas.ts'
import { EVENT_TYPES } from '../events/index.ts'
import { eventFilter } from '../webhooks/index.ts'

const NAME_MAX_CHARS = 100
const ENDPOINTS_MAX = 20
const ORIGINS_MAX = 20
const ORIGIN_MAX_CHARS = 255
const HOUR_DAYS = 24
const DAYS_MAX = 90
export const LINK_HOURS_DEFAULT = 7 * HOUR_DAYS
export const LINK_HOURS_MAX = DAYS_MAX * HOUR_DAYS

const fields = {
  name: Type.String({ minLength: 1, maxLength: NAME_MAX_CHARS }),
  events: Type.Array(choice(EVENT_TYPES), { minItems: 1, maxItems: EVENT_TYPES.length }),
  filter: nullable(eventFilter),
  endpoints_max: Type.Integer({ minimum: 1, maximum: ENDPOINTS_MAX }),
  allowed_origins: Type.Array(Type.String({ maxLength: ORIGIN_MAX_CHARS }), {
    maxItems: ORIGINS_MAX,
  }),
}
export const createPortal = Type.Object({ mode: choice(['live', 'test']), ...fields })
export type PortalRequest = Static<typeof createPortal>
export const changePortal = Type.Partial(Type.Object(fields))
export type PortalChanges = Static<typeof changePortal>

export const linkFields = {
  hours: maybe(
    Type.Integer({
      minimum: 1,
      maximum: LINK_HOURS_MAX,
      description: 'How long the link works; by default seven days',
    }),
  ),
  note: maybe(Type.String({ maxLength: NAME_MAX_CHARS, description: 'Whom the link is for' })),
}
export const createLink = Type.Object(linkFields)
export type LinkRequest = Static<typeof createLink>
