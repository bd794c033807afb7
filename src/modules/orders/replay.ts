/**
 * History scored again, with today's rules or a draft of others, beside what it was scored with: what
 * would change if they had been in force. Nothing is written.
 */
import type { Db } from '../../platform/postgres/db.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import { readStates, type StateId } from '../../platform/states/index.ts'
import { readHistory } from './history.ts'
import { comparing, countDecision, emptyReplay } from './replay-counts.ts'
import type { Replay } from './replays/schema.ts'
import { parametersOfOrders } from './rules/of-order.ts'
import { findRulesInForce } from './rules/store.ts'
import { type OrderParameters, storedOrderParameters } from './scoring/parameters.ts'
import type { OrganizationState } from './scoring/states.ts'
import { createScratch } from './scratch.ts'

type Owner = { org_id: string; mode: Mode }

export type ReplayQuery = {
  /** Organisations are replayed one after another. */
  owners: readonly Owner[]
  /** Compared are the orders that arrived from here on, and before `to`. */
  from: Date
  to: Date
  /** Left out: the rules in force, of each organisation its own. */
  parameters?: OrderParameters | undefined
  /**
   * Told every `progress_every` orders and decisions. What it answers is waited for; when it throws,
   * the replay ends.
   */
  onProgress?: (progress: ReplayProgress) => Promise<void> | void
  progress_every?: number
  /** Called between two orders or decisions; what it answers is waited for. */
  pace?: () => Promise<void> | undefined
  /** Of profiles, devices and whatever else is remembered of one organisation. Left out: no limit. */
  states_max?: number
}

/** `total`: of the organisation under way, as far as known. `until`: when the last one arrived. */
export type ReplayProgress = { orders: number; total: number; until: Date }

/** More would have to be remembered than may be. */
export class HistoryTooLarge extends Error {}

const PROGRESS_EVERY = 10_000
/** Nodes that score at the same time may differ by so much; what is later changes nothing before. */
const NODES_APART_MS = 60_000

export async function replay(
  { db, stateId }: { db: Db; stateId: StateId },
  query: ReplayQuery,
): Promise<Replay> {
  const counted = emptyReplay()
  const every = query.progress_every ?? PROGRESS_EVERY
  const states_max = query.states_max ?? Number.POSITIVE_INFINITY
  let read = 0
  let entries = 0
  for (const owner of query.owners) {
    const parameters = query.parameters ?? (await inForce(db, owner))
    const parametersThen = await parametersOfOrders(db, owner)
    const compare = comparing(counted, parametersThen, parameters)
    const scratch = createScratch({ stateId, parametersOf: () => parameters })
    const known = await countKnown(db, stateId, owner)
    let before: number | undefined
    let until: Date | undefined
    const dueBefore = query.to.getTime() + NODES_APART_MS
    for await (const entry of readHistory(db, owner)) {
      const { order, label, previous } = entry
      const scored = order.created_at.getTime() < dueBefore ? scratch.apply(entry) : undefined
      if (scratch.states.size > states_max) throw new HistoryTooLarge()
      const isCompared = order.created_at >= query.from && order.created_at < query.to
      if (label === undefined) {
        read += 1
        // Orders that are no longer kept are known all the same.
        before ??= order.seq - read
        until = order.created_at
        if (scored !== undefined && isCompared) compare(order, scored)
      } else if (isCompared) {
        const now = scratch.scoreOf(order)
        if (previous !== undefined) countDecision(counted, order, now, previous, -1)
        countDecision(counted, order, now, label, 1)
      }
      entries += 1
      if (entries % every === 0) {
        const total = Math.max(read, known - (before ?? 0))
        await query.onProgress?.({ orders: read, total, until: until ?? order.created_at })
      }
      const rest = query.pace?.()
      if (rest) await rest
    }
  }
  return counted
}

async function inForce(db: Db, owner: Owner): Promise<OrderParameters> {
  const [rules] = await findRulesInForce(db, [owner])
  return storedOrderParameters(rules?.overrides ?? {})
}

async function countKnown(db: Db, stateId: StateId, owner: Owner): Promise<number> {
  const id = stateId(owner, 'organization')
  const states = await readStates(db, [{ org_id: owner.org_id, id }], false)
  return (states.get(id)?.state as OrganizationState | undefined)?.orders ?? 0
}
