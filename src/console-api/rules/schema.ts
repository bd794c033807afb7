/** What is asked of the rules lab. */
import { Type } from 'typebox'
import { choice, opaqueObject } from '../../platform/http/schemas.ts'

export const NOTE_MAX_CHARS = 1000
export const LISTED_DEFAULT = 20
const LISTED_MAX = 100
const VERSION_MAX = 2_147_483_647

const MODES = ['live', 'test'] as const
const scope = { org_id: Type.String(), mode: Type.Optional(choice(MODES)) }
const time = () => Type.String({ format: 'date-time' })
const version = () => Type.Integer({ minimum: 0, maximum: VERSION_MAX })
const applying = {
  ...scope,
  base_version: version(),
  note: Type.Optional(Type.String({ maxLength: NOTE_MAX_CHARS })),
}
const overrides = opaqueObject('What is other than the defaults: section, then name, then number.')

export const scopeQuery = Type.Object(scope)
export const pageQuery = Type.Object({
  ...scope,
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
})
export const applyBody = Type.Object({ ...applying, overrides })
export const rollBackBody = Type.Object({ ...applying, version: version() })
export const replayBody = Type.Object({ ...scope, overrides, from: time(), to: time() })
export const oneReplay = Type.Object({ id: Type.String() })
export const organizationQuery = Type.Object({ org_id: Type.String() })
