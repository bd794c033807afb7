/** Collects the figures of the home page. */
import type { Clock } from '../../platform/clock.ts'
import type { Period } from '../../platform/http/period.ts'
import type { Mode, Owner } from '../../platform/owner.ts'
import type { Database } from '../../platform/postgres/db.ts'
import { DAY_MS, HOUR_MS } from '../../platform/time-units.ts'
import type { Price } from '../billing/index.ts'
import { countCases, readCaseSettings } from '../reviews/index.ts'
import { readCosts, type Volumes } from '../volume/index.ts'
import { findOldestCase, readDecided, readEdgeFleet, readFleet } from './figures.store.ts'
import type { Figures } from './schema.ts'

const DECIDED_DAYS = 30
const DELIVERIES_PER_ENDPOINT_MAX = 500

export type FigureViewer = {
  user_id: string
  sees_credits: boolean
  sees_webhooks: boolean
  /** The calendar month of the cost. */
  month: Period
  price: Price | null
}

/** Counts deliveries of each endpoint. No module but the application imports webhooks. */
export type ReadDeliveryRates = (
  db: Database,
  orgId: string,
  query: { from: Date; rowsMax: number; mode: Mode },
) => Promise<readonly { succeeded: number; failed: number; exhausted: number }[]>

type Dependencies = {
  db: Database
  clock: Clock
  volumes: Pick<Volumes, 'read'>
  readDeliveryRates: ReadDeliveryRates
}

export async function readFigures(
  { db, clock, volumes, readDeliveryRates }: Dependencies,
  owner: Owner,
  viewer: FigureViewer,
  firing: number,
): Promise<Figures> {
  const now = clock.now()
  const isLive = owner.mode === 'live'
  const ago = (ms: number) => new Date(now.getTime() - ms)
  const [fraud, edge_devices, managed_devices, deliveries, cost] = await Promise.all([
    fraudFigures(db, owner, { user_id: viewer.user_id, now }),
    readEdgeFleet(db, owner, ago(HOUR_MS)),
    isLive ? readFleet(db, owner.org_id) : null,
    viewer.sees_webhooks ? deliveryFigures(readDeliveryRates, db, owner, ago(DAY_MS)) : null,
    isLive && viewer.sees_credits ? costFigures({ volumes, clock }, owner, viewer) : null,
  ])
  return { fraud, alerts: { firing }, edge_devices, managed_devices, deliveries, cost }
}

async function fraudFigures(
  db: Database,
  owner: Owner,
  { user_id, now }: { user_id: string; now: Date },
): Promise<Figures['fraud']> {
  const { sla_hours } = await readCaseSettings(db, owner.org_id)
  const [counts, oldest, { is_complete, ...decided }] = await Promise.all([
    countCases(db, owner, { user_id, sla_hours, now }),
    findOldestCase(db, owner),
    readDecided(db, owner, new Date(now.getTime() - DECIDED_DAYS * DAY_MS)),
  ])
  return {
    open_cases: counts.open + counts.in_work + counts.waiting,
    overdue_cases: counts.overdue,
    at_risk: counts.amounts.filter(({ amount_cents }) => amount_cents > 0),
    oldest_at: oldest?.toISOString() ?? null,
    ...decided,
    is_complete: is_complete && counts.is_complete,
  }
}

async function deliveryFigures(
  readRates: ReadDeliveryRates,
  db: Database,
  owner: Owner,
  from: Date,
): Promise<Figures['deliveries']> {
  const rowsMax = DELIVERIES_PER_ENDPOINT_MAX
  const rates = await readRates(db, owner.org_id, { from, rowsMax, mode: owner.mode })
  if (rates.length === 0) return null
  const sum = (of: (rate: (typeof rates)[number]) => number) =>
    rates.reduce((total, rate) => total + of(rate), 0)
  const succeeded = sum((rate) => rate.succeeded)
  return { succeeded, finished: succeeded + sum(({ failed, exhausted }) => failed + exhausted) }
}

async function costFigures(
  deps: { volumes: Pick<Volumes, 'read'>; clock: Clock },
  owner: Owner,
  { month, price }: FigureViewer,
): Promise<Figures['cost']> {
  const { total_credits, forecast_credits } = await readCosts(deps, owner, month)
  // A forecast changes with each second, which no one needs on the first page.
  const forecast = forecast_credits === null ? null : Math.round(forecast_credits)
  return { credits: total_credits, forecast_credits: forecast, price }
}
