/** Starts, lists and cancels replays; a worker runs them. */

import type { Clock } from '../../../platform/clock.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Owner } from '../../../platform/owner.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { emailsOf } from '../../accounts/index.ts'
import type { CustomRule } from '../../custom-rules/index.ts'
import { findActiveRules } from '../rules/store.ts'
import { type OrderParameters, overridesOf } from '../scoring/parameters.ts'
import type { ReplayResult, RulesReplay } from './schema.ts'
import { cancelReplay, findReplay, insertReplay, listReplays, type StoredReplay } from './store.ts'
import { type ReplayWorkerDependencies, runReplays } from './worker.ts'

export type RulesReplays = {
  /**
   * Queues a replay.
   * @returns undefined while the organization has `REPLAYS_WAITING_MAX` unfinished ones
   */
  start(owner: Owner, request: ReplayRequest): Promise<RulesReplay | undefined>
  find(orgId: string, id: string): Promise<RulesReplay | undefined>
  /** Newest first. */
  list(owner: Owner, page: { before?: string | undefined; limit: number }): Promise<RulesReplay[]>
  /** Cancels a replay unless it has finished. */
  cancel(orgId: string, id: string): Promise<RulesReplay | undefined>
  /** Runs queued replays until none is left or the signal aborts. */
  run(signal: AbortSignal): Promise<void>
}

export type ReplayRequest = {
  parameters: OrderParameters
  /** Those of the active version if they are left out. */
  custom_rules?: CustomRule[] | undefined
  from: Date
  to: Date
  by: string
}

export type RulesReplaysDependencies = ReplayWorkerDependencies & {
  db: Database
  directory: Database
  newId: NewId
  clock: Clock
}

export const REPLAYS_WAITING_MAX = 5

export function createRulesReplays(deps: RulesReplaysDependencies): RulesReplays {
  const { db, directory, clock, newId } = deps
  const shown = async (rows: readonly StoredReplay[]): Promise<RulesReplay[]> => {
    const emails = await emailsOf(
      directory,
      rows.map(({ created_by }) => created_by),
    )
    return rows.map((row) => replayRecord(row, emails.get(row.created_by)))
  }
  const find = async (orgId: string, id: string): Promise<RulesReplay | undefined> => {
    const row = isUuid(id) ? await findReplay(db, orgId, id) : undefined
    return row && (await shown([row]))[0]
  }
  return {
    start: async (owner, { parameters, custom_rules: rules, from, to, by }) => {
      const now = clock.now()
      const id = newId(now)
      const overrides = overridesOf(parameters)
      const [active] = rules === undefined ? await findActiveRules(db, [owner]) : []
      const custom_rules = rules ?? active?.custom_rules ?? []
      const range = { from_at: from, to_at: to, created_by: by, created_at: now }
      const row = { id, overrides, custom_rules, ...range }
      const { org_id, mode } = owner
      const isQueued = await insertReplay(db, { org_id, mode, ...row }, REPLAYS_WAITING_MAX)
      return isQueued ? await find(org_id, id) : undefined
    },
    find,
    list: async (owner, page) => await shown(await listReplays(db, owner, page)),
    cancel: async (orgId, id) => {
      if (isUuid(id)) await cancelReplay(db, orgId, id, clock.now())
      return await find(orgId, id)
    },
    run: async (signal) => await runReplays(deps, signal),
  }
}

const LATER: Pick<ReplayResult, 'amounts' | 'checks' | 'cashier_actions'> = {
  amounts: [],
  checks: null,
  cashier_actions: null,
}

const replayRecord = (row: StoredReplay, email: string | undefined): RulesReplay => ({
  id: row.id,
  mode: row.mode,
  state: row.state,
  overrides: row.overrides,
  custom_rules: row.custom_rules,
  from: row.from_at.toISOString(),
  to: row.to_at.toISOString(),
  progress: {
    orders: row.orders_read,
    of: row.orders_total,
    until: row.read_until?.toISOString() ?? null,
  },
  // Results of an earlier version of the program lack members.
  result: row.result && { ...LATER, ...row.result },
  fault: row.fault,
  created_by: row.created_by,
  created_by_email: email ?? null,
  created_at: row.created_at.toISOString(),
  finished_at: row.finished_at?.toISOString() ?? null,
})
