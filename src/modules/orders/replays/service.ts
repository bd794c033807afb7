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
import {
  cancelReplay,
  findReplay,
  hasReplay,
  insertFinished,
  insertReplay,
  listReplays,
  type NewReplay,
  type StoredReplay,
} from './store.ts'
import { type ReplayWorkerDependencies, runReplays } from './worker.ts'

export type RulesReplays = {
  /**
   * Queues a replay.
   * @returns undefined while the organization has `REPLAYS_WAITING_MAX` unfinished ones
   */
  start(owner: Owner, request: ReplayRequest): Promise<RulesReplay | undefined>
  /** Stores a replay that was run outside of the queue. */
  record(owner: Owner, request: ReplayRequest, result: ReplayResult): Promise<void>
  /** Whether a finished replay shows what these rules change. */
  isReplayed(
    owner: Owner,
    draft: Pick<ReplayRequest, 'parameters' | 'custom_rules'>,
  ): Promise<boolean>
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
  const rulesOf = async (
    owner: Owner,
    { parameters, custom_rules: rules }: Pick<ReplayRequest, 'parameters' | 'custom_rules'>,
  ) => {
    const [active] = rules === undefined ? await findActiveRules(db, [owner]) : []
    return {
      overrides: overridesOf(parameters),
      custom_rules: rules ?? active?.custom_rules ?? [],
    }
  }
  const newReplay = async (
    { org_id, mode }: Owner,
    { from, to, by, ...draft }: ReplayRequest,
  ): Promise<NewReplay> => {
    const created_at = clock.now()
    const range = { from_at: from, to_at: to, created_by: by, created_at }
    const rules = await rulesOf({ org_id, mode }, draft)
    return { org_id, mode, id: newId(created_at), ...rules, ...range }
  }
  return {
    start: async (owner, request) => {
      const row = await newReplay(owner, request)
      const isQueued = await insertReplay(db, row, REPLAYS_WAITING_MAX)
      return isQueued ? await find(row.org_id, row.id) : undefined
    },
    record: async (owner, request, result) => {
      await insertFinished(db, await newReplay(owner, request), result)
    },
    isReplayed: async (owner, draft) => await hasReplay(db, owner, await rulesOf(owner, draft)),
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
