/** Members of an organization: all members see the list, admins manage it, and anyone can leave. */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { forbidden, invalidRequest, notFound } from '../../../platform/http/errors.ts'
import { choice } from '../../../platform/http/schemas.ts'
import { ROLES } from '../tables.ts'
import type { MemberChange, Memberships } from './service.ts'

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const

const params = Type.Object({ user_id: Type.String() })
const ONE_MEMBER = { config: MEMBER, schema: { params } }
const ROLE = {
  config: { ...MEMBER, fresh_factor: true },
  schema: { params, body: Type.Object({ role: choice(ROLES) }) },
} as const

export function memberRoutes(app: App, { accounts }: { accounts: Memberships }): void {
  app.get('/console/api/members', { config: MEMBER }, async (request) => {
    const { org_id } = request.member
    return envelope('Members', { members: await accounts.listMembers(org_id) })
  })

  app.patch('/console/api/members/:user_id', ROLE, async (request) => {
    const { org_id, user_id: by } = request.member
    refuse(await accounts.setMember(org_id, request.params.user_id, request.body.role, by))
    return envelope('Role changed', {})
  })

  app.delete('/console/api/members/:user_id', ONE_MEMBER, async (request) => {
    const { org_id, user_id: by } = request.member
    refuse(await accounts.removeMember(org_id, request.params.user_id, by))
    return envelope('Member removed', {})
  })
}

function refuse(change: MemberChange): void {
  if (change === 'not_found') throw notFound()
  if (change === 'forbidden') {
    throw forbidden(
      'Admins can manage members and admins; only owners can appoint or remove owners',
    )
  }
  if (change === 'last_owner') {
    throw invalidRequest('user_id', 'An organization must have at least one owner')
  }
}
