import { canonicalJson } from '../../platform/canonical-json.ts'
import type { Clock } from '../../platform/clock.ts'
import { readTime } from '../../platform/date-time.ts'
import { AppError } from '../../platform/http/errors.ts'
import type { NewId } from '../../platform/ids.ts'
import { type Imported, importedOf } from '../../platform/imported.ts'
import type { Owner } from '../../platform/owner.ts'
import type { Database } from '../../platform/postgres/db.ts'
import {
  type Lane,
  NotTakenError,
  readStates,
  type StateId,
  withRowsOf,
} from '../../platform/states/index.ts'
import type { RuleSource } from '../custom-rules/index.ts'
import type { EntrySet, Lists } from '../lists/index.ts'
import type { CashierRequest, RecordedAction } from './schema.ts'
import { locationOfAction } from './scoring/cashier-state.ts'
import { CASHIER_PARAMETERS } from './scoring/parameters.ts'
import type { CashierState, TillState } from './scoring/states.ts'
import { cashierKeys, cashiersKey } from './state-keys.ts'
import { type ActionJob, actionStep, recordedAction, type SoldOrderReader } from './step.ts'
import { actionWriter, findAction } from './store.ts'

export type Cashier = {
  record(owner: Owner, request: CashierRequest): Promise<RecordedAction>
  /**
   * Scores a past action as if it had arrived at its `performed_at`, which it must have: without
   * reviews and events. Actions of one cashier or till are imported one after another.
   */
  import(owner: Owner, request: CashierRequest): Promise<Imported>
}

export type CashierDependencies = {
  db: Database
  lane: Lane
  clock: Clock
  newId: NewId
  stateId: StateId
  /** Reads orders by the organization's own id. */
  soldOrders: SoldOrderReader
  lists: Pick<Lists, 'entries'>
  rules: RuleSource
  /** Returns the local hour, 0-23. */
  localHour: (time: Date) => number
}

export function createCashier(deps: CashierDependencies): Cashier {
  const { db, lane, clock, newId, stateId, soldOrders, localHour } = deps
  const stepDependencies = { newId, soldOrders, parameters: CASHIER_PARAMETERS }

  const prepare = async (
    owner: Owner,
    request: CashierRequest,
    past?: Date,
  ): Promise<ActionJob> => {
    const received_at = past ?? clock.now()
    const { performed_at: sent } = request
    const performed_at = past ?? (sent === undefined ? received_at : readTime(sent, 'performed_at'))
    const location = await findLocation(db, stateId, owner, request)
    const entries = await deps.lists.entries(owner)
    const rules = await deps.rules.active(owner)
    return {
      ...owner,
      id: newId(received_at),
      request,
      keys: {
        ...cashierKeys(stateId, owner, { ...request, location }),
        organization: cashiersKey(stateId, owner),
      },
      action_hash:
        sent === undefined ? undefined : stateId(owner, 'action', canonicalJson(request)),
      location,
      lists: matchesOf(entries, request, received_at),
      local_hour: localHour(performed_at),
      performed_at,
      received_at,
      rules,
    }
  }

  return {
    record: async (owner, request) => {
      const job = await prepare(owner, request)
      try {
        const recorded = await lane.submit(actionStep(stepDependencies, job))
        deps.rules.switchOffSlow(owner, job.rules)
        return recorded
      } catch (error) {
        if (error instanceof AppError || error instanceof NotTakenError) throw error
        // The commit may have taken place although its response was lost.
        const stored = await findAction(db, owner.org_id, job.id).catch(() => undefined)
        if (stored) return recordedAction(stored)
        throw error
      }
    },
    import: async (owner, request) => {
      const past = readTime(request.performed_at ?? '', 'performed_at')
      const job = await prepare(owner, request, past)
      const step = withRowsOf(actionStep(stepDependencies, job), [actionWriter], clock.now())
      return await importedOf(lane.submit(step), ({ action }) => action.id === job.id)
    },
  }
}

const matchesOf = (entries: EntrySet, request: CashierRequest, at: Date) =>
  entries.match(
    {
      cashier: request.cashier_external_id,
      ...(request.edge_device_id !== undefined && { terminal: request.edge_device_id }),
    },
    at,
  )

/**
 * Finds the location of the peers, which determines the key of their state. The step must name its
 * keys, so this happens before it: if an order moves the till in between, this action is compared
 * with the cashiers of the previous location.
 */
async function findLocation(
  db: Database,
  stateId: StateId,
  owner: Owner,
  request: CashierRequest,
): Promise<string> {
  const { org_id } = owner
  const keys = cashierKeys(stateId, owner, { ...request, location: undefined })
  const ids = [keys.cashier, keys.till].filter((id) => id !== undefined)
  const found = await readStates(
    db,
    ids.map((id) => ({ org_id, id })),
    false,
  )
  const at = (id: string | undefined) => (id === undefined ? undefined : found.get(id)?.state)
  return locationOfAction(
    request.edge_device_id,
    at(keys.till) as TillState | undefined,
    at(keys.cashier) as CashierState | undefined,
  )
}
