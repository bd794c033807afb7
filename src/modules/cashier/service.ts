/** Use case of cashier actions: record one and judge it. */
import { canonicalJson } from '../../platform/canonical-json.ts'
import type { Clock } from '../../platform/clock.ts'
import { AppError } from '../../platform/http/errors.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import { type Lane, NotTakenError, readStates, type StateId } from '../../platform/states/index.ts'
import { readTime } from '../../platform/time-text.ts'
import type { CashierRequest, RecordedAction } from './schema.ts'
import { locationOfAction } from './scoring/memory.ts'
import { CASHIER_PARAMETERS } from './scoring/parameters.ts'
import type { CashierState, TillState } from './scoring/states.ts'
import { cashierKeys, cashiersKey } from './state-keys.ts'
import { actionStep, recordedAction, type SoldOrderReader } from './step.ts'
import { findAction } from './store.ts'

type Owner = { org_id: string; mode: Mode }

export type Cashier = {
  record(owner: Owner, request: CashierRequest): Promise<RecordedAction>
}

export type CashierDependencies = {
  db: Database
  lane: Lane
  clock: Clock
  newId: NewId
  stateId: StateId
  /** Orders by the id that the organisation gave them. */
  soldOrders: SoldOrderReader
  /** 0-23 by the clock on the wall. */
  localHour: (time: Date) => number
}

export function createCashier(deps: CashierDependencies): Cashier {
  const { db, lane, clock, newId, stateId, soldOrders, localHour } = deps
  const stepDependencies = { newId, soldOrders, parameters: CASHIER_PARAMETERS }

  return {
    record: async (owner, request) => {
      const received_at = clock.now()
      const { performed_at: told } = request
      const performed_at = told === undefined ? received_at : readTime(told, 'performed_at')
      const location = await findLocation(db, stateId, owner, request)
      const id = newId(received_at)
      const step = actionStep(stepDependencies, {
        ...owner,
        id,
        request,
        keys: {
          ...cashierKeys(stateId, owner, { ...namesOf(request), location }),
          organization: cashiersKey(stateId, owner),
        },
        action_hash:
          told === undefined ? undefined : stateId(owner, 'action', canonicalJson(request)),
        location,
        local_hour: localHour(performed_at),
        performed_at,
        received_at,
      })
      try {
        return await lane.submit(step)
      } catch (error) {
        if (error instanceof AppError || error instanceof NotTakenError) throw error
        // The answer of a commit may be lost although it took place.
        const stored = await findAction(db, owner.org_id, id).catch(() => undefined)
        if (stored) return recordedAction(stored)
        throw error
      }
    },
  }
}

/**
 * Where the peers are, which decides under which key their state is: looked up before the step,
 * which has to name its keys. Should an order move the till in between, this one action is compared
 * with the cashiers of the former place.
 */
async function findLocation(
  db: Database,
  stateId: StateId,
  owner: Owner,
  request: CashierRequest,
): Promise<string> {
  const { org_id } = owner
  const keys = cashierKeys(stateId, owner, { ...namesOf(request), location: undefined })
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

const namesOf = ({ cashier_external_id, edge_device_id }: CashierRequest) => ({
  cashier_external_id,
  edge_device_id,
})
