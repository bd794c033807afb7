/** Builds the overview page of the console within the permissions of the viewer. */
import type { Clock } from '../../platform/clock.ts'
import type { Owner } from '../../platform/owner.ts'
import type { Database } from '../../platform/postgres/db.ts'
import { DAY_MS } from '../../platform/time-units.ts'
import type { Billing, LowBalance } from '../billing/index.ts'
import type { Volumes } from '../volume/index.ts'
import { attentionOf, REVIEWS_COUNTED_MAX } from './rules.ts'
import type { CreditsLeft, Overview } from './schema.ts'
import {
  countNonCompliantDevices,
  countOpenReviews,
  hasSecretKey,
  hasUsage,
  listFailingEndpoints,
  listFiringAlerts,
  listRefusedCredentials,
  readSpool,
} from './store.ts'

export type Attention = { overview(owner: Owner, viewer: AttentionViewer): Promise<Overview> }

export type AttentionViewer = {
  /** Owners and admins see credits. */
  sees_credits: boolean
  /** Whether the plan includes webhooks. */
  sees_webhooks: boolean
}

export type AttentionDependencies = {
  db: Database
  directory: Database
  clock: Clock
  billing: Pick<Billing, 'funds'>
  low_balance: Pick<LowBalance, 'level'>
  volumes: Pick<Volumes, 'read'>
  credits_required: boolean
}

const SPENDING_DAYS = 7

export function createAttention(deps: AttentionDependencies): Attention {
  const { db, directory, clock, credits_required } = deps
  return {
    overview: async (owner, { sees_credits, sees_webhooks }) => {
      // Devices, log alerts and credits do not exist in test mode.
      const isLive = owner.mode === 'live'
      const [reviews, endpoints, alerts, non_compliant_devices, push, spool, credits, ...activity] =
        await Promise.all([
          countOpenReviews(db, owner, REVIEWS_COUNTED_MAX),
          sees_webhooks ? listFailingEndpoints(db, owner) : [],
          isLive ? listFiringAlerts(db, owner.org_id) : [],
          isLive ? countNonCompliantDevices(db, owner.org_id) : 0,
          listRefusedCredentials(db, owner),
          readSpool(db, owner),
          isLive && sees_credits ? creditsLeft(deps, owner.org_id) : null,
          hasSecretKey(directory, owner),
          hasUsage(db, owner),
        ])
      const facts = { reviews, endpoints, alerts, non_compliant_devices, push, spool, credits }
      return {
        attention: attentionOf({ ...facts, credits_required }, clock.now()),
        credits,
        has_key: activity[0],
        has_usage: activity[1],
      }
    },
  }
}

async function creditsLeft(
  { billing, low_balance, volumes, clock }: AttentionDependencies,
  orgId: string,
): Promise<CreditsLeft | null> {
  const to = clock.now()
  const from = new Date(to.getTime() - SPENDING_DAYS * DAY_MS)
  const [funds, low_balance_credits, volume] = await Promise.all([
    billing.funds(orgId),
    low_balance.level(orgId),
    volumes.read(orgId, 'live', { from, to, step: 'day' }),
  ])
  if (!funds) return null
  const spent = volume.meters.reduce((sum, { total_credits }) => sum + total_credits, 0)
  const spent_per_day = Math.round((spent / SPENDING_DAYS) * 10_000) / 10_000
  const { available_credits } = funds
  const days_left =
    spent_per_day > 0 && available_credits > 0 ? available_credits / spent_per_day : null
  return { available_credits, spent_per_day, days_left, low_balance_credits }
}
