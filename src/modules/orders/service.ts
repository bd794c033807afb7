import { canonicalJson } from '../../platform/canonical-json.ts'
import type { Clock } from '../../platform/clock.ts'
import { readTime } from '../../platform/date-time.ts'
import { AppError } from '../../platform/http/errors.ts'
import type { NewId } from '../../platform/ids.ts'
import { type Imported, importedOf } from '../../platform/imported.ts'
import type { LocalHours } from '../../platform/local-time.ts'
import type { Owner } from '../../platform/owner.ts'
import type { Database } from '../../platform/postgres/db.ts'
import { type Lane, NotTakenError, type StateId, withRowsOf } from '../../platform/states/index.ts'
import {
  type CreditRule,
  creditsUsedUp,
  isOutOfCredits,
  ORDER_CREDITS,
  type Payer,
} from '../billing/index.ts'
import type { RuledSubjects } from '../custom-rules/index.ts'
import { type EntrySet, type Lists } from '../lists/index.ts'
import { profileWriter, reputationKeys } from '../profiles/index.ts'
import type { ReputationStore } from '../reputation/index.ts'
import { createCountries } from './countries.ts'
import { requestContext } from './facts.ts'
import { orderKeys } from './keys.ts'
import { withLists } from './list-identities.ts'
import { createPositions } from './positions.ts'
import { type ReplayQuery, replay } from './replays/replay.ts'
import type { Replay } from './replays/schema.ts'
import type { ActiveRules } from './rules/active-rules.ts'
import type { OrderRules } from './rules/service.ts'
import type { OrderRequest, ScoredOrder } from './schema.ts'
import { type OrderJob, orderStep, scoredOrder } from './step.ts'
import { findOrders, orderWriter } from './store.ts'

export type Orders = {
  /** Orders are scored in the sequence of their submission. */
  score(owner: Payer, request: OrderRequest): Promise<ScoredOrder>
  /**
   * Scores past orders as if each had arrived at its `ordered_at`, which it must have: without credits,
   * reviews and events.
   */
  importAll(owner: Owner, requests: readonly OrderRequest[]): Promise<Imported[]>
  /** Scores stored orders, checks and cashier actions again and reports what would change. */
  replay(query: ReplayQuery): Promise<Replay>
}

export type OrdersDependencies = CreditRule & {
  db: Database
  lane: Lane
  clock: Clock
  newId: NewId
  stateId: StateId
  reputation: ReputationStore
  hours: LocalHours
  rules: Pick<OrderRules, 'active' | 'switchOffSlow'>
  lists: Pick<Lists, 'entries'>
  ruled: RuledSubjects
}

export function createOrders(deps: OrdersDependencies): Orders {
  const sources = {
    hours: deps.hours,
    countries: createCountries(),
    positions: createPositions(),
  }

  const prepare = (
    owner: Payer,
    request: OrderRequest,
    rules: ActiveRules,
    entries: EntrySet,
    past?: Date,
  ): OrderJob => {
    const received_at = past ?? deps.clock.now()
    const ordered_at =
      past ??
      (request.ordered_at === undefined ? received_at : readTime(request.ordered_at, 'ordered_at'))
    const keys = orderKeys(deps.stateId, owner, request)
    return {
      ...owner,
      id: deps.newId(received_at),
      request,
      context: withLists(
        requestContext(sources, request, ordered_at),
        request,
        entries,
        received_at,
      ),
      keys,
      device_id: keys.device,
      reputation_keys: reputationKeys(deps.reputation, owner, request),
      ordered_at,
      received_at,
      credits: owner.mode === 'live' ? ORDER_CREDITS : 0,
      rules,
    }
  }

  const findSame = async (
    owner: Owner,
    request: OrderRequest,
  ): Promise<ScoredOrder | undefined> => {
    const { external_order_id } = request
    const [stored] = await findOrders(deps.db, [{ ...owner, external_order_id }])
    const isSame = stored && canonicalJson(stored.request) === canonicalJson(request)
    return isSame ? scoredOrder(stored) : undefined
  }

  return {
    replay: async (query) => await replay(deps, query),
    score: async (owner, request) => {
      const rules = await deps.rules.active(owner)
      const job = prepare(owner, request, rules, await deps.lists.entries(owner))
      if (await isOutOfCredits(deps, owner)) {
        // A retry of an order that was paid for still gets its stored answer.
        const stored = await findSame(owner, request)
        if (stored) return stored
        throw creditsUsedUp()
      }
      try {
        const scored = await deps.lane.submit(orderStep(deps, job))
        deps.rules.switchOffSlow(owner, rules)
        return scored
      } catch (error) {
        if (error instanceof AppError || error instanceof NotTakenError) throw error
        // The commit can have succeeded although its answer was lost.
        const stored = await findSame(owner, request).catch(() => undefined)
        if (stored) return stored
        throw error
      }
    },
    importAll: async (owner, requests) => {
      const rules = await deps.rules.active(owner)
      const entries = await deps.lists.entries(owner)
      const imported_at = deps.clock.now()
      // Submitted without waiting for anything in between, so that they keep their order.
      return await Promise.all(
        requests.map((request) => {
          const past = readTime(request.ordered_at ?? '', 'ordered_at')
          const job = prepare(owner, request, rules, entries, past)
          const step = withRowsOf(orderStep(deps, job), IMPORTED_ROWS, imported_at)
          return importedOf(deps.lane.submit(step), ({ order }) => order.id === job.id)
        }),
      )
    },
  }
}

/** Without usage, reviews and events. */
const IMPORTED_ROWS: readonly unknown[] = [orderWriter, profileWriter]
