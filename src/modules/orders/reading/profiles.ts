/** Profiles for the console, from their stored states. */

import type { Clock } from '../../../platform/clock.ts'
import type { Owner } from '../../../platform/owner.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { readStates } from '../../../platform/states/index.ts'
import { MINUTE_MS } from '../../../platform/time-units.ts'
import { type ProfileState, profileRecord } from '../../profiles/index.ts'
import { riskLevel } from '../../risk/index.ts'
import { behaviorOf } from './behavior.ts'
import type {
  OrderListItem,
  ProfileBehavior,
  ProfileDetails,
  ProfileHead,
  ProfilePage,
} from './schema.ts'
import {
  findProfile,
  type ListedOrder,
  listOrders,
  listProfiles,
  type ProfileName,
} from './store.ts'

export type ProfileReadingDependencies = { db: Database; clock: Clock }

export type KnownProfile = { profile: ProfileHead; behavior: ProfileBehavior }

const RECENT_ORDERS = 100

/** @param orders shown with the profile; they name its devices */
export async function findKnownProfile(
  { db, clock }: ProfileReadingDependencies,
  orgId: string,
  id: string,
  orders: readonly Pick<ListedOrder, 'fingerprint_hash'>[],
): Promise<KnownProfile | undefined> {
  const [name, states] = await Promise.all([findProfile(db, orgId, id), statesOf(db, orgId, [id])])
  const state = states.get(id)
  if (!name || !state) return undefined
  const now = clock.now()
  return { profile: headOf(name, state, now), behavior: behaviorOf(state, namesOf(orders), now) }
}

export async function findProfileDetails(
  { db, clock }: ProfileReadingDependencies,
  orgId: string,
  id: string,
): Promise<ProfileDetails | undefined> {
  const [name, states] = await Promise.all([findProfile(db, orgId, id), statesOf(db, orgId, [id])])
  const state = states.get(id)
  if (!name || !state) return undefined
  const now = clock.now()
  const filters = { org_id: orgId, mode: name.mode, profile_id: id }
  const { rows } = await listOrders(db, filters, { limit: RECENT_ORDERS })
  return {
    profile: headOf(name, state, now),
    risk: riskOf(state),
    alerts: Object.entries(state.alerts)
      .map(([pattern, at]) => ({ pattern, at: new Date(at) }))
      .toSorted((a, b) => b.at.getTime() - a.at.getTime()),
    behavior: behaviorOf(state, namesOf(rows), now),
    recent: rows.map(leveled),
  }
}

/** @param query `after` is the last name of the previous page */
export async function pageOfProfiles(
  { db, clock }: ProfileReadingDependencies,
  owner: Owner,
  query: { from?: string | undefined; after?: string | undefined; limit: number },
): Promise<ProfilePage> {
  const found = await listProfiles(db, owner, { ...query, limit: query.limit + 1 })
  const shown = found.slice(0, query.limit)
  const ids = shown.map(({ id }) => id)
  const states = await statesOf(db, owner.org_id, ids)
  const now = clock.now()
  return {
    profiles: shown.flatMap((name) => {
      const state = states.get(name.id)
      return state ? [headOf(name, state, now)] : []
    }),
    next_cursor: found.length > shown.length ? (shown.at(-1)?.external_id ?? null) : null,
  }
}

export const leveled = (order: ListedOrder): OrderListItem => ({
  ...order,
  risk_level: riskLevel(order.risk_score),
})

async function statesOf(
  db: Database,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, ProfileState>> {
  const found = await readStates(
    db,
    ids.map((id) => ({ org_id, id })),
    false,
  )
  return new Map([...found].map(([id, { state }]) => [id, state as ProfileState]))
}

function headOf({ id, external_id, mode }: ProfileName, state: ProfileState, now: Date) {
  const { status: _, ...record } = profileRecord({ id, external_id }, state, now)
  return {
    ...record,
    mode,
    country_code: state.country_code,
    first_seen_at: new Date(state.first_seen_at),
    last_seen_at: new Date(state.last_seen_at),
  }
}

function riskOf({ risk }: ProfileState): ProfileDetails['risk'] {
  const entry = ([score, minute]: readonly [number, number], source: 'order' | 'check') => ({
    score,
    at: new Date(minute * MINUTE_MS),
    source,
  })
  const entries = risk.scores.map((one) => entry(one, 'order'))
  if (risk.check !== null) entries.push(entry(risk.check, 'check'))
  return entries.toSorted((a, b) => b.score - a.score)
}

const namesOf = (orders: readonly Pick<ListedOrder, 'fingerprint_hash'>[]) =>
  orders.map(({ fingerprint_hash }) => fingerprint_hash)
