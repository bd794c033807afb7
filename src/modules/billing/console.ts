/** Credits and ledger of an organization, for its owners and admins. */
import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { PAGE_ROWS_DEFAULT, pageQuery } from '../../platform/http/cursor-paging.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { periodQuery, readPeriod } from '../../platform/http/period.ts'
import type { Plan } from '../accounts/index.ts'
import type { Price } from './credit-price.ts'
import { EXPORTED_TRANSFERS_MAX } from './ledger-csv.ts'
import type { LowBalance } from './low-balance.ts'
import type { Billing } from './service.ts'

const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const

/** The largest sum that is exact in units of the ledger. */
const LEVEL_MAX_CREDITS = 1_000_000_000

const LEDGER = { config: ADMIN, schema: { querystring: Type.Object(pageQuery) } }

export type CreditRouteDependencies = {
  billing: Billing
  low_balance: LowBalance
  /** The price of credits for a plan; null if there is none. */
  priceOf: (plan: Plan) => Price | null
}

const EXPORT = {
  config: { ...ADMIN, fresh_factor: true },
  schema: { querystring: Type.Object(periodQuery) },
}

export function creditRoutes(
  app: App,
  { billing, low_balance, priceOf }: CreditRouteDependencies,
): void {
  app.get('/console/api/credits', { config: ADMIN }, async (request) => {
    const { org_id } = request.member
    const low_balance_credits = await low_balance.level(org_id)
    return envelope('Credits', { ...(await billing.funds(org_id)), low_balance_credits })
  })

  const level = Type.Object({
    low_balance_credits: Type.Union([
      Type.Number({ minimum: 0, maximum: LEVEL_MAX_CREDITS }),
      Type.Null(),
    ]),
  })
  app.put(
    '/console/api/credits/low-balance',
    { config: ADMIN, schema: { body: level } },
    async ({ member, body }) => {
      await low_balance.setLevel(member.org_id, body.low_balance_credits, member.user_id)
      return envelope('Level stored', body)
    },
  )

  app.get('/console/api/ledger', LEDGER, async (request) => {
    const { org_id } = request.member
    const { cursor, limit = PAGE_ROWS_DEFAULT } = request.query
    const page = await billing.ledger(org_id, { cursor, limit })
    if (!page) throw invalidRequest('cursor', 'cursor is not one of an earlier page')
    return envelope('Ledger', page)
  })

  app.get('/console/api/ledger/export', EXPORT, async (request) => {
    const { org_id, plan } = request.member
    const period = readPeriod(request.query)
    const csv = await billing.ledgerCsv(org_id, { ...period, price: priceOf(plan) })
    if (csv === undefined) {
      const limit = `the period has more than ${EXPORTED_TRANSFERS_MAX} transfers`
      throw invalidRequest('from', `from must be later: ${limit}`)
    }
    return envelope('Ledger', { csv })
  })
}
