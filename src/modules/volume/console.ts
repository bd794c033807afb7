/** Usage over time, for members of the organization. */

import { Type } from 'typebox'
import type { Clock } from '../../platform/clock.ts'
import { readTime } from '../../platform/date-time.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { type Period, periodQuery, readPeriod } from '../../platform/http/period.ts'
import { choice } from '../../platform/http/schemas.ts'
import { DAY_MS } from '../../platform/time-units.ts'
import { modeParameter } from '../access/index.ts'
import type { Plan } from '../accounts/index.ts'
import type { Price } from '../billing/index.ts'
import { readCosts } from './costs.ts'
import { COST_LINES_MAX, costsAsCsv, costsOfKeys, type KeyNames, readShares } from './key-costs.ts'
import { VOLUME_STEPS_MAX, type Volumes } from './service.ts'

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const
const time = () => Type.String({ format: 'date-time' })
const step = choice(['hour', 'day'])
const volumeQuery = Type.Object({ ...modeParameter, from: time(), to: time(), step })

const DAYS_DEFAULT = 30
const DAYS_MAX = 90
const usageQuery = Type.Object({
  ...modeParameter,
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: DAYS_MAX })),
})

export type VolumeRouteDependencies = {
  volumes: Volumes
  clock: Clock
  /** The price of credits for a plan; null if there is none. */
  priceOf: (plan: Plan) => Price | null
  /** Of all keys of an organization, also revoked ones, by their ids. */
  namesOfKeys: (orgId: string) => Promise<KeyNames>
}

const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const

export function volumeRoutes(app: App, deps: VolumeRouteDependencies): void {
  const { volumes, clock, priceOf } = deps
  const usage = { config: MEMBER, schema: { querystring: usageQuery } }
  app.get('/console/api/usage', usage, async (request) => {
    const { org_id } = request.member
    const { mode = 'live', days = DAYS_DEFAULT } = request.query
    const to = clock.now()
    const today = Math.floor(to.getTime() / DAY_MS) * DAY_MS
    const from = new Date(today - (days - 1) * DAY_MS)
    return envelope('Usage', await volumes.read(org_id, mode, { from, to, step: 'day' }))
  })

  const readAll = async (org_id: string, period: Period) => {
    const owner = { org_id, mode: 'live' } as const
    const found = await readCosts(deps, owner, period)
    const shares = await readShares(volumes, owner, period, found.meters)
    return { ...found, shares, names: await deps.namesOfKeys(org_id) }
  }

  const costs = { config: ADMIN, schema: { querystring: Type.Object(periodQuery) } }
  app.get('/console/api/costs', costs, async (request) => {
    const { org_id, plan } = request.member
    const { shares, names, ...found } = await readAll(org_id, readPeriod(request.query))
    const keys = costsOfKeys(shares, found.days.length, names)
    return envelope('Costs', { ...found, keys, price: priceOf(plan) })
  })

  const exporting = { ...costs, config: { ...ADMIN, fresh_factor: true } }
  app.get('/console/api/costs/export', exporting, async (request) => {
    const { org_id, plan } = request.member
    const { shares, days, names } = await readAll(org_id, readPeriod(request.query))
    const csv = costsAsCsv(shares, { days, names, price: priceOf(plan) })
    if (csv === undefined) {
      const limit = `the period has more than ${COST_LINES_MAX} lines`
      throw invalidRequest('from', `from must be later: ${limit}`)
    }
    return envelope('Costs', { csv })
  })

  const ofPeriod = { config: MEMBER, schema: { querystring: volumeQuery } }
  app.get('/console/api/volume', ofPeriod, async (request) => {
    const { org_id } = request.member
    const { mode = 'live', step: unit } = request.query
    const from = readTime(request.query.from, 'from')
    const to = readTime(request.query.to, 'to')
    if (from >= to) throw invalidRequest('to', 'to must be after from')
    const period = { from, to, step: unit }
    const volume = await volumes.read(org_id, mode, period).catch((error: unknown) => {
      if (!(error instanceof RangeError)) throw error
      throw invalidRequest('from', `from and to must be at most ${VOLUME_STEPS_MAX} steps apart`)
    })
    return envelope('Volume', volume)
  })
}
