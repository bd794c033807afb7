/** Takes events in: each is examined on its own, and those that are good are stored, counted and priced. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../platform/clock.ts'
import type { KeyPrincipal } from '../../platform/http/access.ts'
import { forbidden, invalidRequest, tooManyRequests } from '../../platform/http/errors.ts'
import type { Validators } from '../../platform/http/validation.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { type Billing, findMonth, toCredits } from '../billing/index.ts'
import { bodyHash, type Intake, type Receipt } from '../intake/index.ts'
import { deviceClassOf } from './device-class.ts'
import { createEventReader, type EventFault, type EventRow, type ReadEvent } from './event.ts'
import { priceEvents } from './pricing.ts'
import type { RumBody, RumUsage } from './schema.ts'
import { seenSession } from './sessions.ts'
import { SESSION_METER } from './store.ts'

export type RumDependencies = {
  db: Db
  clock: Clock
  newId: NewId
  intake: Intake
  billing: Pick<Billing, 'usageAvailable'>
  validators: Validators
  rum_credits_per_1000: number
  json_max_depth: number
  credits_required: boolean
}

type Owner = Pick<KeyPrincipal, 'org_id' | 'mode'>

export type Submission = {
  body: RumBody
  /** As it was sent, decompressed. */
  bytes: Buffer
  user_agent: string | undefined
}

export type Rum = {
  /**
   * @throws AppError 400 when nothing is valid, 403 when events cost credits that are required and
   *   used up, 429 when too much waits to be stored
   */
  submit(owner: Owner, submission: Submission): Promise<Receipt>
  usage(owner: Owner): Promise<RumUsage>
}

const TARGET = 'rum_events'
const EVENT_METER = 'rum_event'
export const RECEIVED = 'Events received'

export function createRum(deps: RumDependencies): Rum {
  const { db, clock, newId, intake } = deps
  const readEvent = createEventReader(deps.validators.compileBody, deps)
  const price = priceEvents(deps.rum_credits_per_1000)
  const isPaidAhead = deps.credits_required && deps.rum_credits_per_1000 > 0
  return {
    submit: async ({ org_id, mode }, { body, bytes, user_agent }) => {
      const retryAfter = intake.fullFor()
      if (retryAfter !== undefined) throw tooManyRequests(retryAfter)
      if (isPaidAhead && mode === 'live' && !(await deps.billing.usageAvailable(org_id))) {
        throw forbidden('The credits of this organisation are used up')
      }
      const received_at = clock.now()
      const session_id = body.session_id.toWellFormed()
      const session = { org_id, mode, session_id, received_at }
      const context = { ...session, device_class: deviceClassOf(user_agent) }
      const { rows, faults } = await readAll(body.events, (event) => readEvent(event, context))
      const [first] = faults
      if (rows.length === 0 && first) throw refusal(first)
      return await intake.submit({
        org_id,
        mode,
        target: TARGET,
        body_hash: bodyHash(TARGET, bytes),
        received: body.events.length,
        processed: rows.length,
        message: receiptMessage(body.events.length, faults),
        payload: linesOf(rows, newId, received_at),
        meter: EVENT_METER,
        price,
        occurred_at: received_at,
        rows: [seenSession(session)],
      })
    },
    usage: async ({ org_id, mode }) => {
      const month = clock.now()
      const [sessions, events] = await Promise.all([
        findMonth(db, org_id, { mode, meter: SESSION_METER, month }),
        findMonth(db, org_id, { mode, meter: EVENT_METER, month }),
      ])
      return {
        sessions_this_month: sessions.quantity,
        events_this_month: events.quantity,
        credits_used_this_month: Math.floor(toCredits(events.cost_units)),
      }
    },
  }
}

type PlacedFault = EventFault & { index: number }

/** Other requests get their turn in between: large errors take their time to be grouped. */
const EVENTS_PER_LOOK = 16
const TURN_MAX_MS = 4

async function readAll(
  events: readonly unknown[],
  read: (event: unknown) => ReturnType<ReadEvent>,
) {
  const rows: EventRow[] = []
  const faults: PlacedFault[] = []
  let turnBegan = performance.now()
  for (const [index, event] of events.entries()) {
    const result = read(event)
    if ('row' in result) rows.push(result.row)
    else faults.push({ ...result.fault, index })
    if (index % EVENTS_PER_LOOK === 0 && performance.now() - turnBegan > TURN_MAX_MS) {
      await nextTurn()
      turnBegan = performance.now()
    }
  }
  return { rows, faults }
}

const fieldOf = ({ index, field }: PlacedFault): string =>
  field === '' ? `events.${index}` : `events.${index}.${field}`

const reasonOf = (fault: PlacedFault): string => `${fieldOf(fault)} ${fault.problem}`

const refusal = (fault: PlacedFault) => invalidRequest(fieldOf(fault), reasonOf(fault))

function receiptMessage(received: number, faults: readonly PlacedFault[]): string {
  const [first] = faults
  if (!first) return RECEIVED
  return `${RECEIVED}; ${faults.length} of ${received} refused, the first: ${reasonOf(first)}`
}

/** Ids of a batch are in the order of its events, which decides where their times are the same. */
function linesOf(rows: readonly EventRow[], newId: NewId, now: Date): Buffer {
  const ids = rows.map(() => newId(now)).toSorted()
  const lines = rows.map((row, index) => `${JSON.stringify({ ...row, id: ids[index] })}\n`)
  return Buffer.from(lines.join(''))
}
