/** Replays that people ask for: started, looked at, cancelled. A worker runs them. */
import type { Clock } from '../../../platform/clock.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { type OrderParameters, overridesOf } from '../scoring/parameters.ts'
import type { RulesReplay } from './schema.ts'
import {
  cancelReplay,
  findReplay,
  insertReplay,
  listReplays,
  type Owner,
  type StoredReplay,
} from './store.ts'
import { type ReplayWorkerDependencies, runReplays } from './worker.ts'

export type RulesReplays = {
  /** Undefined while `REPLAYS_WAITING_MAX` of the organisation are not finished. */
  start(owner: Owner, asked: AskedReplay): Promise<RulesReplay | undefined>
  find(orgId: string, id: string): Promise<RulesReplay | undefined>
  /** Newest first. */
  list(owner: Owner, page: { before?: string | undefined; limit: number }): Promise<RulesReplay[]>
  /** One that is finished stays as it is. */
  cancel(orgId: string, id: string): Promise<RulesReplay | undefined>
  /** Runs what waits, one after another, until nothing does. */
  run(signal: AbortSignal): Promise<void>
}

export type AskedReplay = { parameters: OrderParameters; from: Date; to: Date; by: string }

export type RulesReplaysDependencies = ReplayWorkerDependencies & {
  db: Database
  newId: NewId
  clock: Clock
}

export const REPLAYS_WAITING_MAX = 5

export function createRulesReplays(deps: RulesReplaysDependencies): RulesReplays {
  const { db, clock, newId } = deps
  const find = async (orgId: string, id: string): Promise<RulesReplay | undefined> => {
    const row = isUuid(id) ? await findReplay(db, orgId, id) : undefined
    return row && shownReplay(row)
  }
  return {
    start: async (owner, { parameters, from, to, by }) => {
      const now = clock.now()
      const id = newId(now)
      const overrides = overridesOf(parameters)
      const row = { id, overrides, from_at: from, to_at: to, created_by: by, created_at: now }
      const { org_id, mode } = owner
      const isQueued = await insertReplay(db, { org_id, mode, ...row }, REPLAYS_WAITING_MAX)
      return isQueued ? await find(org_id, id) : undefined
    },
    find,
    list: async (owner, page) => (await listReplays(db, owner, page)).map(shownReplay),
    cancel: async (orgId, id) => {
      if (isUuid(id)) await cancelReplay(db, orgId, id, clock.now())
      return await find(orgId, id)
    },
    run: async (signal) => await runReplays(deps, signal),
  }
}

const shownReplay = (row: StoredReplay): RulesReplay => ({
  id: row.id,
  mode: row.mode,
  state: row.state,
  overrides: row.overrides,
  from: row.from_at.toISOString(),
  to: row.to_at.toISOString(),
  progress: {
    orders: row.orders_read,
    of: row.orders_total,
    until: row.read_until?.toISOString() ?? null,
  },
  result: row.result,
  fault: row.fault,
  created_by: row.created_by,
  created_by_email: row.created_by_email,
  created_at: row.created_at.toISOString(),
  finished_at: row.finished_at?.toISOString() ?? null,
})
