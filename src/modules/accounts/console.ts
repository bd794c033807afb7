/** Organizations: owners create them and choose plans, admins rename them and read the audit log. */
import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { PAGE_ROWS_DEFAULT, pageQuery } from '../../platform/http/cursor-paging.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { forbidden, invalidRequest } from '../../platform/http/errors.ts'
import { found } from '../../platform/http/found.ts'
import { choice } from '../../platform/http/schemas.ts'
import type { AuditLog } from '../audit/index.ts'
import type { OrganizationDetails } from './schema.ts'
import type { Organizations } from './service.ts'
import { PLANS } from './tables.ts'

const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const
const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const
const USER = { access: 'user', rate_class: 'console' } as const

const NAME_MAX_CHARS = 200
const CONTROL = /\p{Cc}/u

const name = Type.String({ minLength: 1, maxLength: NAME_MAX_CHARS })
const changes = Type.Object({ name: Type.Optional(name), plan: Type.Optional(choice(PLANS)) })
const CREATE = { config: USER, schema: { body: Type.Object({ name }) } }
const CHANGE = { config: ADMIN, schema: { body: changes } }
const AUDIT = { config: ADMIN, schema: { querystring: Type.Object(pageQuery) } }

type Dependencies = { accounts: Organizations; audit_log: AuditLog }

export function organizationRoutes(app: App, { accounts, audit_log }: Dependencies): void {
  app.get('/console/api/organization', { config: MEMBER }, async (request) => {
    const { org_id } = request.member
    return envelope('Organization', await detailsOf(accounts, org_id))
  })

  app.post('/console/api/organizations', CREATE, async (request) => {
    const { user_id } = request.user
    const organization = { name: readName(request.body.name), owner: user_id }
    const created = await accounts.createOwnedOrganization(organization)
    if ('refused' in created) throw forbidden(REFUSALS[created.refused])
    return envelope('Organization created', created)
  })

  app.patch('/console/api/organization', CHANGE, async (request) => {
    const { org_id, user_id, role } = request.member
    const { plan, name: nameText } = request.body
    if (plan !== undefined && role !== 'owner') throw forbidden('Owners only')
    const newName = nameText === undefined ? undefined : readName(nameText)
    if (newName !== undefined) await accounts.renameOrganization(org_id, newName, user_id)
    if (plan !== undefined) await accounts.setPlan(org_id, plan, user_id)
    return envelope('Organization changed', await detailsOf(accounts, org_id))
  })

  app.get('/console/api/audit', AUDIT, async (request) => {
    const { org_id } = request.member
    const { cursor, limit = PAGE_ROWS_DEFAULT } = request.query
    const page = await audit_log.list(org_id, { cursor, limit })
    if (!page) throw invalidRequest('cursor', 'cursor is not one of an earlier page')
    return envelope('Audit log', page)
  })
}

const REFUSALS = {
  no_owner: 'Owners only',
  too_many: 'You have the maximum number of organizations; the operator can create more',
}

async function detailsOf(accounts: Organizations, orgId: string): Promise<OrganizationDetails> {
  const { created_at, ...rest } = found(await accounts.findOrganization(orgId))
  return { ...rest, created_at: created_at.toISOString() }
}

function readName(text: string): string {
  const trimmed = text.trim()
  if (trimmed === '') throw invalidRequest('name', 'name must not be empty')
  if (CONTROL.test(trimmed)) {
    throw invalidRequest('name', 'name must not contain control characters')
  }
  return trimmed
}
