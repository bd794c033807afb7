import { Type } from 'typebox'
import { type Members, requireMember } from '../../modules/accounts/index.ts'
import { choice } from '../../platform/http/schemas.ts'

/** Query parameter: live, unless the query says otherwise. */
export const mode = Type.Optional(choice(['live', 'test']))

type Asked = { org_id: string; mode?: 'live' | 'test' }

/** Whose logs, for a member of the organisation. */
export async function scopeOf(accounts: Members, userId: string, asked: Asked) {
  const membership = await requireMember(accounts, userId, asked.org_id)
  // As it is stored: ids are the same in upper case, and the tail compares them as texts.
  return { org_id: membership.org_id, mode: asked.mode ?? 'live' }
}
