/** Accepts messages: each request takes effect at most once, completely or not at all. */

import type { Clock } from '../../../platform/clock.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Mode } from '../../../platform/owner.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { HOUR_SECONDS } from '../../../platform/time-units.ts'
import { otherEnvironment, unknownApplication } from '../../applications/index.ts'
import { findPushApplication, type PushApplication } from '../configurations/store.ts'
import { expandStep, type Step } from '../expansion/step.ts'
import { countAudience } from '../expansion/store.ts'
import { findContentFault } from './content.ts'
import { updateAnswer } from './idempotency.store.ts'
import { fingerprintOf, reserveKey } from './idempotency.ts'
import { type ParsedMessage, readRequest } from './request.ts'
import type { Accepted, MessageRequest } from './schema.ts'
import { insertMessage, setTargeted } from './store.ts'

export type MessageDependencies = {
  db: Database
  clock: Clock
  newId: NewId
  /** Wakes the expander, because a message may be due. */
  hint: () => void
  push_schedule_days: number
  push_retry_hours: number
}

export type MessageSender = {
  org_id: string
  /** Mode of the API key; undefined for console users, who reach applications of both environments. */
  mode?: Mode
}

export type Messages = {
  /**
   * @param key as `readIdempotencyKey` read it
   * @param request without unknown fields
   * @returns `is_replay` is true for a repeated request, which returns the first answer and does nothing
   * @throws AppError 400 naming the field
   */
  create(
    sender: MessageSender,
    key: string,
    request: MessageRequest,
  ): Promise<{ answer: Accepted; is_replay: boolean }>
}

/** Up to this number of targets, recipients are created with the message; more are left to the expander. */
const IMMEDIATE_TARGETS_MAX = 100

export function createMessages(deps: MessageDependencies): Messages {
  const { db, clock, newId, hint } = deps
  return {
    create: async (sender, key, request) => {
      const now = clock.now()
      const message = readRequest(request, now, deps.push_schedule_days)
      const id = newId(now)
      const created = await db.transaction().execute(async (tx) => {
        const application = await findPushApplication(tx, sender.org_id, request)
        const mode = sender.mode ?? application?.environment
        if (mode === undefined) throw unknownApplication(fieldOf(request))
        const use = { org_id: sender.org_id, mode, key, fingerprint: fingerprintOf(request) }
        const first = await reserveKey(tx, use, id)
        // Checked before the application, so that a replay works after the application was deleted.
        if (first) return { answer: first, is_replay: true }
        if (!application) throw unknownApplication(fieldOf(request))
        const { environment } = application
        if (environment !== mode) throw otherEnvironment(fieldOf(request), environment, mode)
        refuseUnsendable(application, message, request, now)
        const answer = await storeMessage(tx, { ...deps, id }, application, message)
        await updateAnswer(tx, use, answer)
        return { answer, is_replay: false }
      })
      if (!created.is_replay && message.send_at === undefined) hint()
      return created
    },
  }
}

const fieldOf = ({ application_id }: MessageRequest) =>
  application_id === undefined ? 'push_configuration_id' : 'application_id'

function refuseUnsendable(
  application: PushApplication,
  { content }: ParsedMessage,
  request: MessageRequest,
  now: Date,
): void {
  if (application.push_configuration_id === null) {
    const field = fieldOf(request)
    throw invalidRequest(field, `${field} has no push configuration`)
  }
  const fault = findContentFault(content, application, now)
  if (fault) throw invalidRequest(fault.field, `${fault.field} ${fault.message}`)
}

async function storeMessage(
  tx: Db,
  { id, push_retry_hours }: MessageDependencies & { id: string },
  { org_id, application_id }: PushApplication,
  message: ParsedMessage,
): Promise<Accepted> {
  const { target, target_ids, send_at } = message
  const give_up_seconds = giveUpSeconds(message, push_retry_hours)
  await insertMessage(tx, { id, org_id, application_id, ...message, give_up_seconds })
  const isSmall = target !== 'all' && target_ids.length <= IMMEDIATE_TARGETS_MAX
  const step = isSmall && send_at === undefined ? await expandStep(tx, id) : undefined
  const targeted = isWhole(step)
    ? step.recipients
    : await countAudience(tx, { org_id, id, application_id, target })
  await setTargeted(tx, id, targeted)
  return { message_id: id, status: send_at === undefined ? 'queued' : 'scheduled', targeted }
}

/** Whether the first step has created all recipients. */
const isWhole = (step: Step | 'busy' | undefined): step is Step =>
  typeof step === 'object' && step.is_done

/** Retries stop at the TTL. A TTL of 0 still gets one attempt, however late it is. */
function giveUpSeconds({ content }: ParsedMessage, retryHours: number): number {
  const { ttl_seconds = 0 } = content
  const longest = retryHours * HOUR_SECONDS
  return ttl_seconds === 0 ? longest : Math.min(ttl_seconds, longest)
}
