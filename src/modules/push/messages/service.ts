/** Takes messages in: each request once, and all of it or nothing. */
import type { Clock } from '../../../platform/clock.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import type { Mode } from '../../../platform/postgres/tables/platform.ts'
import { otherEnvironment, unknownApplication } from '../../applications/index.ts'
import { findPushApplication, type PushApplication } from '../configurations/store.ts'
import { expandStep, type Step } from '../expansion/step.ts'
import { countAudience } from '../expansion/store.ts'
import { findContentFault } from './content.ts'
import { fingerprintOf, takeKey } from './idempotency.ts'
import { updateAnswer } from './keys/store.ts'
import { type Asked, readRequest } from './request.ts'
import type { Accepted, MessageRequest } from './schema.ts'
import { insertMessage, setTargeted } from './store.ts'

export type MessageDependencies = {
  db: Database
  clock: Clock
  newId: NewId
  /** Something may be due. */
  hint: () => void
  push_schedule_days: number
  push_retry_hours: number
}

export type MessageSender = {
  org_id: string
  /** Of the key; somebody who signed in reaches applications of both. */
  mode?: Mode
}

export type Messages = {
  /**
   * @param key as `readIdempotencyKey` read it
   * @param request without members that mean nothing
   * @returns `is_replay`: the first answer once more, and nothing was done
   * @throws AppError 400 naming the field
   */
  create(
    sender: MessageSender,
    key: string,
    request: MessageRequest,
  ): Promise<{ answer: Accepted; is_replay: boolean }>
}

/** So few targets become recipients at once; more are left to the expansion. */
const EXPANDED_AT_ONCE_MAX = 100
const HOUR_SECONDS = 3600

export function createMessages(deps: MessageDependencies): Messages {
  const { db, clock, newId, hint } = deps
  return {
    create: async (sender, key, request) => {
      const now = clock.now()
      const asked = readRequest(request, now, deps.push_schedule_days)
      const id = newId(now)
      const made = await db.transaction().execute(async (tx) => {
        const application = await findPushApplication(tx, sender.org_id, request)
        const mode = sender.mode ?? application?.environment
        if (mode === undefined) throw unknownApplication(fieldOf(request))
        const use = { org_id: sender.org_id, mode, key, fingerprint: fingerprintOf(request) }
        const first = await takeKey(tx, use, id)
        // Even when the application is gone since.
        if (first) return { answer: first, is_replay: true }
        if (!application) throw unknownApplication(fieldOf(request))
        const { environment } = application
        if (environment !== mode) throw otherEnvironment(fieldOf(request), environment, mode)
        refuseUnsendable(application, asked, request, now)
        const answer = await storeMessage(
          tx,
          { ...deps, id, org_id: sender.org_id },
          application,
          asked,
        )
        await updateAnswer(tx, use, answer)
        return { answer, is_replay: false }
      })
      if (!made.is_replay && asked.send_at === undefined) hint()
      return made
    },
  }
}

const fieldOf = ({ application_id }: MessageRequest) =>
  application_id === undefined ? 'push_configuration_id' : 'application_id'

function refuseUnsendable(
  application: PushApplication,
  { content }: Asked,
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
  { id, org_id, push_retry_hours }: MessageDependencies & { id: string; org_id: string },
  { application_id }: PushApplication,
  asked: Asked,
): Promise<Accepted> {
  const { target, target_ids, send_at } = asked
  const give_up_seconds = giveUpSeconds(asked, push_retry_hours)
  await insertMessage(tx, { id, org_id, application_id, ...asked, give_up_seconds })
  const isSmall = target !== 'all' && target_ids.length <= EXPANDED_AT_ONCE_MAX
  const step = isSmall && send_at === undefined ? await expandStep(tx, id) : undefined
  const targeted = isWhole(step)
    ? step.recipients
    : await countAudience(tx, { id, application_id, target })
  await setTargeted(tx, id, targeted)
  return { message_id: id, status: send_at === undefined ? 'queued' : 'scheduled', targeted }
}

/** The first step was the last one: all that can be reached are recipients. */
const isWhole = (step: Step | 'busy' | undefined): step is Step =>
  typeof step === 'object' && step.is_done

/** What nobody wants to see any more is not tried any longer; 0 wants one attempt, whenever that is. */
function giveUpSeconds({ content: { ttl_seconds = 0 } }: Asked, retryHours: number): number {
  const longest = retryHours * HOUR_SECONDS
  return ttl_seconds === 0 ? longest : Math.min(ttl_seconds, longest)
}
