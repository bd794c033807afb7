/**
 * Credits of an organisation and what moved them, for its owners and admins; what was used by the day,
 * for all members.
 */
import { Type } from 'typebox'
import { type Accounts, requireAdmin, requireMember } from '../../modules/accounts/index.ts'
import type { Billing } from '../../modules/billing/index.ts'
import type { Volumes } from '../../modules/volume/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { choice } from '../../platform/http/schemas.ts'

export type CreditRouteDependencies = {
  accounts: Accounts
  billing: Billing
  volumes: Volumes
  clock: Clock
}

const LISTED_DEFAULT = 50
const LISTED_MAX = 200

const DAYS_DEFAULT = 30
const DAYS_MAX = 90
const DAY_MS = 86_400_000

const usageQuery = Type.Object({
  org_id: Type.String(),
  mode: Type.Optional(choice(['live', 'test'])),
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: DAYS_MAX })),
})
const ofOrganization = Type.Object({ org_id: Type.String() })
const ledgerQuery = Type.Object({
  org_id: Type.String(),
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LISTED_MAX })),
})

export function creditRoutes(app: App, deps: CreditRouteDependencies): void {
  const { accounts, billing, volumes, clock } = deps
  const config = { access: 'portal', rate_class: 'console' } as const

  app.get(
    '/console/api/credits',
    { config, schema: { querystring: ofOrganization } },
    async (request) => {
      const { org_id } = request.query
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      return envelope('Credits', await billing.funds(org_id))
    },
  )

  app.get(
    '/console/api/ledger',
    { config, schema: { querystring: ledgerQuery } },
    async (request) => {
      const { org_id, cursor, limit = LISTED_DEFAULT } = request.query
      await requireAdmin(accounts, userOf(request).user_id, org_id)
      const page = await billing.ledger(org_id, { cursor, limit })
      if (!page) throw invalidRequest('cursor', 'cursor is not one of an earlier page')
      return envelope('Ledger', page)
    },
  )

  app.get(
    '/console/api/usage',
    { config, schema: { querystring: usageQuery } },
    async (request) => {
      const { org_id, mode = 'live', days = DAYS_DEFAULT } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      const to = clock.now()
      const today = Math.floor(to.getTime() / DAY_MS) * DAY_MS
      const from = new Date(today - (days - 1) * DAY_MS)
      return envelope('Usage', await volumes.read(org_id, mode, { from, to, step: 'day' }))
    },
  )
}
