/** The owner of the rows that a console request concerns: the member's organization, and a mode. */
import { Type } from 'typebox'
import { choice } from '../../platform/http/schemas.ts'
import type { Owner } from '../../platform/owner.ts'
import type { Member } from './declaration.ts'

const MODES = ['live', 'test'] as const

/** Query or body parameter; the default is live. */
export const modeParameter = { mode: Type.Optional(choice(MODES)) }

export const ownerOf = (
  { org_id }: Pick<Member, 'org_id'>,
  { mode = 'live' }: { mode?: Owner['mode'] | undefined },
): Owner => ({ org_id, mode })
