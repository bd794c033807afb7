/** Use cases of RUM events: examine each, store and count the valid ones, and report the usage. */
import type { Clock } from '../../platform/clock.ts'
import { createExactText } from '../../platform/exact-text.ts'
import { tooManyRequests } from '../../platform/http/errors.ts'
import type { Validators } from '../../platform/http/validation.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Owner } from '../../platform/owner.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { withPauses } from '../../platform/turns.ts'
import {
  type CreditRule,
  creditsUsedUp,
  findMonth,
  isOutOfCredits,
  type Payer,
  priceOfRumEvents,
  toCredits,
} from '../billing/index.ts'
import { bodyHash, examine, type Intake, type Receipt } from '../intake/index.ts'
import { deviceClassOf } from './device-class.ts'
import { createEventReader } from './event.ts'
import type { RumBody, RumUsage } from './schema.ts'
import { sessionRow } from './sessions.ts'
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

export type Submission = {
  body: RumBody
  /** The body as sent, decompressed. */
  bytes: Buffer
  user_agent: string | undefined
}

export type Rum = {
  /**
   * @throws AppError 400 when no event is valid, 403 when required credits are used up, 429 when too
   *   much data waits for the analytics engine
   */
  submit(owner: Payer, submission: Submission): Promise<Receipt>
  usage(owner: Owner): Promise<RumUsage>
}

const TARGET = 'rum_events'
const EVENT_METER = 'rum_event'
export const RECEIVED = 'Events received'

export function createRum(deps: RumDependencies): Rum {
  const { db, clock, newId, intake } = deps
  const readEvent = createEventReader(deps.validators.compileBody, deps)
  const price = priceOfRumEvents(deps.rum_credits_per_1000)
  const nextTurn = withPauses(intake.nextTurn)
  const isPriced = deps.rum_credits_per_1000 > 0
  return {
    submit: async ({ org_id, mode, key_id }, { body, bytes, user_agent }) => {
      const retryAfter = intake.fullFor(org_id)
      if (retryAfter !== undefined) throw tooManyRequests(retryAfter)
      if (isPriced && (await isOutOfCredits(deps, { org_id, mode }))) throw creditsUsedUp()
      const received_at = clock.now()
      const session_id = body.session_id.toWellFormed()
      const session = { org_id, mode, session_id, received_at }
      const groupOnReceipt = intake.grouping.forBatch(org_id)
      const eventText = createExactText(
        bytes,
        ({ events }: { events: readonly unknown[] }, index) => events[index],
      )
      const device_class = deviceClassOf(user_agent)
      const context = { ...session, device_class, groupOnReceipt, eventText }
      const lines: Buffer[] = []
      let is_ungrouped = false
      // Ids follow the order of the events, because they determine the order of events at the same time.
      const ids = body.events.map(() => newId(received_at)).toSorted()
      const examined = await examine({
        list: 'events',
        elements: body.events,
        message: RECEIVED,
        nextTurn,
        take: (event, index) => {
          const result = readEvent(event, context, index)
          if ('fault' in result) return result.fault
          is_ungrouped ||= result.row.error_fingerprint === undefined
          lines.push(Buffer.from(`${JSON.stringify({ ...result.row, id: ids[lines.length] })}\n`))
          return undefined
        },
      })
      return await intake.submit({
        org_id,
        mode,
        key_id,
        target: TARGET,
        is_ungrouped,
        body_hash: bodyHash(TARGET, bytes),
        received: body.events.length,
        ...examined,
        payload: Buffer.concat(lines),
        meter: EVENT_METER,
        price,
        occurred_at: received_at,
        rows: [sessionRow(session)],
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
