/** Routes of the home page and the menu of the console. */
import { Type } from 'typebox'
import type { Clock } from '../../platform/clock.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { readMonth, timeZoneParameter } from '../../platform/http/period.ts'
import { modeParameter, ownerOf } from '../access/index.ts'
import { hasPlan, type Plan } from '../accounts/index.ts'
import type { Price } from '../billing/index.ts'
import type { Attention } from './service.ts'

const CONFIG = { access: { member: 'member' }, rate_class: 'console' } as const
const OVERVIEW = {
  config: CONFIG,
  schema: {
    querystring: Type.Object({ ...modeParameter, time_zone: Type.Optional(timeZoneParameter) }),
  },
} as const
const BADGES = { config: CONFIG, schema: { querystring: Type.Object(modeParameter) } } as const

type Dependencies = {
  attention: Attention
  clock: Clock
  /** The price of credits for a plan; null if there is none. */
  priceOf: (plan: Plan) => Price | null
}

export function attentionRoutes(app: App, { attention, clock, priceOf }: Dependencies): void {
  app.get('/console/api/overview', OVERVIEW, async (request) => {
    const { role, plan, user_id } = request.member
    const viewer = {
      user_id,
      sees_credits: role !== 'member',
      sees_webhooks: hasPlan(plan, 'starter'),
      month: readMonth(clock.now(), request.query.time_zone ?? 'UTC'),
      price: priceOf(plan),
    }
    const owner = ownerOf(request.member, request.query)
    return envelope('Overview', await attention.overview(owner, viewer))
  })

  app.get('/console/api/badges', BADGES, async (request) =>
    envelope('Badges', await attention.badges(ownerOf(request.member, request.query))),
  )
}
