/** Members of an organisation: seen by all of them, managed by admins, left by anybody. */
import { Type } from 'typebox'
import { type Accounts, type MemberChange, requireMember } from '../../modules/accounts/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { forbidden, invalidRequest, notFound } from '../../platform/http/errors.ts'
import { choice } from '../../platform/http/schemas.ts'
import { ROLES } from '../../platform/postgres/tables/accounts.ts'

const ofOrganization = Type.Object({ org_id: Type.String() })
const oneMember = Type.Object({ user_id: Type.String() })
const roleBody = Type.Object({ org_id: Type.String(), role: choice(ROLES) })

export function memberRoutes(app: App, { accounts }: { accounts: Accounts }): void {
  const config = { access: 'portal', rate_class: 'console' } as const

  app.get(
    '/console/api/members',
    { config, schema: { querystring: ofOrganization } },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Members', { members: await accounts.listMembers(org_id) })
    },
  )

  app.patch(
    '/console/api/members/:user_id',
    { config, schema: { params: oneMember, body: roleBody } },
    async (request) => {
      const { org_id, role } = request.body
      const by = userOf(request).user_id
      await requireMember(accounts, by, org_id)
      refuse(await accounts.setMember(org_id, request.params.user_id, role, by))
      return envelope('Role changed', {})
    },
  )

  app.delete(
    '/console/api/members/:user_id',
    { config, schema: { params: oneMember, querystring: ofOrganization } },
    async (request) => {
      const { org_id } = request.query
      const by = userOf(request).user_id
      await requireMember(accounts, by, org_id)
      refuse(await accounts.removeMember(org_id, request.params.user_id, by))
      return envelope('No member any more', {})
    },
  )
}

function refuse(change: MemberChange): void {
  if (change === 'not_found') throw notFound()
  if (change === 'forbidden') {
    throw forbidden('Admins manage members and admins; only owners make or remove owners')
  }
  if (change === 'last_owner') {
    throw invalidRequest('user_id', 'An organisation keeps at least one owner')
  }
}
