/**
 * Organisations: made by owners, renamed by admins, on the plan that owners choose. What was done in
 * one is read by its admins.
 */
import { Type } from 'typebox'
import {
  type Accounts,
  type OrganizationDetails,
  requireAdmin,
  requireMember,
} from '../../modules/accounts/index.ts'
import type { AuditLog } from '../../modules/audit/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { forbidden, invalidRequest } from '../../platform/http/errors.ts'
import { choice } from '../../platform/http/schemas.ts'
import { PLANS } from '../../platform/postgres/tables/accounts.ts'
import { found } from '../found.ts'

export type OrganizationRouteDependencies = { accounts: Accounts; audit_log: AuditLog }

const NAME_MAX_CHARS = 200
const LISTED_DEFAULT = 50
const LISTED_MAX = 200
const CONTROL = /\p{Cc}/u

const name = Type.String({ minLength: 1, maxLength: NAME_MAX_CHARS })
const createBody = Type.Object({ name })
const changeBody = Type.Object({
  org_id: Type.String(),
  name: Type.Optional(name),
  plan: Type.Optional(choice(PLANS)),
})
const auditQuery = Type.Object({
  org_id: Type.String(),
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
})

export function organizationRoutes(app: App, deps: OrganizationRouteDependencies): void {
  const { accounts, audit_log } = deps
  const config = { access: 'portal', rate_class: 'console' } as const

  app.get(
    '/console/api/organization',
    { config, schema: { querystring: Type.Object({ org_id: Type.String() }) } },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Organisation', await detailsOf(accounts, org_id))
    },
  )

  app.post(
    '/console/api/organizations',
    { config, schema: { body: createBody } },
    async (request) => {
      const { user_id } = userOf(request)
      const own = await accounts.listOrganizations(user_id)
      // Whoever answers for the plan and credits of one may for two; others were let in to one only.
      if (!own.some(({ role }) => role === 'owner')) throw forbidden('Owners only')
      const made = await accounts.createOwnedOrganization({
        name: named(request.body.name),
        owner: user_id,
      })
      return envelope('Organisation created', made)
    },
  )

  app.patch(
    '/console/api/organization',
    { config, schema: { body: changeBody } },
    async (request) => {
      const { org_id, plan, ...given } = request.body
      const { user_id } = userOf(request)
      const { role } = await requireMember(accounts, user_id, org_id)
      if (role === 'member') throw forbidden('Owners and admins only')
      if (plan !== undefined && role !== 'owner') throw forbidden('Owners only')
      const newName = given.name === undefined ? undefined : named(given.name)
      if (newName !== undefined) await accounts.renameOrganization(org_id, newName, user_id)
      if (plan !== undefined) await accounts.setPlan(org_id, plan, user_id)
      return envelope('Organisation changed', await detailsOf(accounts, org_id))
    },
  )

  app.get(
    '/console/api/audit',
    { config, schema: { querystring: auditQuery } },
    async (request) => {
      const { org_id, cursor, limit = LISTED_DEFAULT } = request.query
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      const page = await audit_log.list(org_id, { cursor, limit })
      if (!page) throw invalidRequest('cursor', 'cursor is not one of an earlier page')
      return envelope('Audit log', page)
    },
  )
}

async function detailsOf(accounts: Accounts, orgId: string): Promise<OrganizationDetails> {
  const { created_at, ...rest } = found(await accounts.findOrganization(orgId))
  return { ...rest, created_at: created_at.toISOString() }
}

function named(given: string): string {
  const text = given.trim()
  if (text === '') throw invalidRequest('name', 'name must not be empty')
  if (CONTROL.test(text)) {
    throw invalidRequest('name', 'name must not contain control characters')
  }
  return text
}
