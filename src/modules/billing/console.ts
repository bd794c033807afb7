/** Credits and ledger of an organization, for its owners and admins. */
import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { PAGE_ROWS_DEFAULT, pageQuery } from '../../platform/http/cursor-paging.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import type { Billing } from './service.ts'

const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const

const LEDGER = { config: ADMIN, schema: { querystring: Type.Object(pageQuery) } }

export function creditRoutes(app: App, { billing }: { billing: Billing }): void {
  app.get('/console/api/credits', { config: ADMIN }, async (request) => {
    const { org_id } = request.member
    return envelope('Credits', await billing.funds(org_id))
  })

  app.get('/console/api/ledger', LEDGER, async (request) => {
    const { org_id } = request.member
    const { cursor, limit = PAGE_ROWS_DEFAULT } = request.query
    const page = await billing.ledger(org_id, { cursor, limit })
    if (!page) throw invalidRequest('cursor', 'cursor is not one of an earlier page')
    return envelope('Ledger', page)
  })
}
