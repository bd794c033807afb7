/** Takes events in: each is examined on its own, and those that are good are stored, counted and priced. */
import type { Clock } from '../../platform/clock.ts'
import type { KeyPrincipal } from '../../platform/http/access.ts'
import { tooManyRequests } from '../../platform/http/errors.ts'
import type { Validators } from '../../platform/http/validation.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import {
  type CreditRule,
  creditsUsedUp,
  findMonth,
  lacksCredits,
  toCredits,
} from '../billing/index.ts'
import { bodyHash, examine, type Intake, type Receipt } from '../intake/index.ts'
import { deviceClassOf } from './device-class.ts'
import { createEventReader, type EventRow } from './event.ts'
import { priceEvents } from './pricing.ts'
import type { RumBody, RumUsage } from './schema.ts'
import { seenSession } from './sessions.ts'
import { SESSION_METER } from './store.ts'

export type RumDependencies = CreditRule & {
  db: Db
  clock: Clock
  newId: NewId
  intake: Intake
  validators: Validators
  rum_credits_per_1000: number
  json_max_depth: number
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
  const isPriced = deps.rum_credits_per_1000 > 0
  return {
    submit: async ({ org_id, mode }, { body, bytes, user_agent }) => {
      const retryAfter = intake.fullFor()
      if (retryAfter !== undefined) throw tooManyRequests(retryAfter)
      if (isPriced && (await lacksCredits(deps, { org_id, mode }))) throw creditsUsedUp()
      const received_at = clock.now()
      const session_id = body.session_id.toWellFormed()
      const session = { org_id, mode, session_id, received_at }
      const context = { ...session, device_class: deviceClassOf(user_agent) }
      const rows: EventRow[] = []
      const examined = await examine({
        list: 'events',
        elements: body.events,
        message: RECEIVED,
        take: (event) => {
          const result = readEvent(event, context)
          if ('fault' in result) return result.fault
          rows.push(result.row)
          return undefined
        },
      })
      return await intake.submit({
        org_id,
        mode,
        target: TARGET,
        body_hash: bodyHash(TARGET, bytes),
        received: body.events.length,
        ...examined,
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

/** Ids of a batch are in the order of its events, which decides where their times are the same. */
function linesOf(rows: readonly EventRow[], newId: NewId, now: Date): Buffer {
  const ids = rows.map(() => newId(now)).toSorted()
  const lines = rows.map((row, index) => `${JSON.stringify({ ...row, id: ids[index] })}\n`)
  return Buffer.from(lines.join(''))
}
