/** Builds the overview page of the console within the permissions of the viewer. */
import type { Clock } from '../../platform/clock.ts'
import type { Owner } from '../../platform/owner.ts'
import type { Database } from '../../platform/postgres/db.ts'
import { DAY_MS, HOUR_MS } from '../../platform/time-units.ts'
import type { Billing, LowBalance } from '../billing/index.ts'
import type { Volume, Volumes } from '../volume/index.ts'
import { readBadges, readSteps } from './figures.store.ts'
import { type FigureViewer, type ReadDeliveryRates, readFigures } from './figures.ts'
import { attentionOf, REVIEWS_COUNTED_MAX } from './rules.ts'
import type { Badges, CreditsLeft, Overview } from './schema.ts'
import {
  countOpenReviews,
  hasSecretKey,
  hasUsage,
  listFailingEndpoints,
  listFiringAlerts,
  listRefusedCredentials,
  readSpool,
} from './store.ts'

export type Attention = {
  overview(owner: Owner, viewer: FigureViewer): Promise<Overview>
  badges(owner: Owner): Promise<Badges>
}

export type AttentionDependencies = {
  db: Database
  directory: Database
  clock: Clock
  billing: Pick<Billing, 'funds'>
  low_balance: Pick<LowBalance, 'level'>
  volumes: Pick<Volumes, 'read'>
  readDeliveryRates: ReadDeliveryRates
  credits_required: boolean
}

const SPENDING_DAYS = 7
const COMPARED_DAYS = 14
const STEP_DAYS = 90

export function createAttention(deps: AttentionDependencies): Attention {
  const { db, directory, clock, credits_required } = deps
  return {
    badges: async (owner) => await readBadges(db, owner, REVIEWS_COUNTED_MAX),
    overview: async (owner, viewer) => {
      const { sees_credits, sees_webhooks } = viewer
      const now = clock.now()
      // Devices, log alerts and credits do not exist in test mode.
      const isLive = owner.mode === 'live'
      const other: Owner = { org_id: owner.org_id, mode: isLive ? 'test' : 'live' }
      const [reviews, endpoints, alerts, push, spool, fortnight] = await Promise.all([
        countOpenReviews(db, owner, REVIEWS_COUNTED_MAX),
        sees_webhooks ? listFailingEndpoints(db, owner) : [],
        isLive ? listFiringAlerts(db, owner.org_id) : [],
        listRefusedCredentials(db, owner),
        readSpool(db, owner),
        readFortnight(deps, owner),
      ])
      const [credits, figures, has_key, has_usage, other_mode_has_usage, steps] = await Promise.all(
        [
          isLive && sees_credits ? creditsLeft(deps, owner.org_id, fortnight) : null,
          readFigures(deps, owner, viewer, alerts.length),
          hasSecretKey(directory, owner),
          hasUsage(db, owner),
          hasUsage(db, other),
          readSteps(db, owner, new Date(now.getTime() - STEP_DAYS * DAY_MS)),
        ],
      )
      const non_compliant_devices = figures.managed_devices?.non_compliant ?? 0
      const facts = { reviews, endpoints, alerts, non_compliant_devices, push, spool, credits }
      return {
        attention: attentionOf({ ...facts, credits_required }, now),
        credits,
        has_key,
        has_usage,
        other_mode_has_usage,
        steps,
        figures,
        fortnight: {
          meters: fortnight.meters.map(({ meter, quantity }) => ({ meter, quantity })),
          flagged_orders: fortnight.flagged_orders,
        },
      }
    },
  }
}

/** Ends with the current hour: the last seven days and the seven before. */
async function readFortnight({ volumes, clock }: AttentionDependencies, owner: Owner) {
  const to = new Date((Math.floor(clock.now().getTime() / HOUR_MS) + 1) * HOUR_MS)
  const from = new Date(to.getTime() - COMPARED_DAYS * DAY_MS)
  return await volumes.read(owner.org_id, owner.mode, { from, to, step: 'day' })
}

async function creditsLeft(
  { billing, low_balance }: AttentionDependencies,
  orgId: string,
  { meters }: Volume,
): Promise<CreditsLeft | null> {
  const [funds, low_balance_credits] = await Promise.all([
    billing.funds(orgId),
    low_balance.level(orgId),
  ])
  if (!funds) return null
  const days = meters.flatMap(({ credits }) => credits.slice(-SPENDING_DAYS))
  const spent = days.reduce((sum, credits) => sum + credits, 0)
  const spent_per_day = Math.round((spent / SPENDING_DAYS) * 10_000) / 10_000
  const { available_credits } = funds
  const days_left =
    spent_per_day > 0 && available_credits > 0 ? available_credits / spent_per_day : null
  return { available_credits, spent_per_day, days_left, low_balance_credits }
}
