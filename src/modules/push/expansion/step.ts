/**
 * Makes recipients of the target of a message, some thousands at a time: a step is one transaction, and
 * writes how far it came together with what it made. So one that is cut off leaves nothing, and none
 * makes a recipient twice.
 */
import type { Db } from '../../../platform/postgres/db.ts'
import { preferIndexes } from '../../../platform/postgres/prefer-indexes.ts'
import type { PushProvider } from '../../../platform/postgres/tables/push.ts'
import { completeMessages } from '../messages/store.ts'
import {
  advance,
  type Expandable,
  endOrphan,
  findExpandable,
  insertRecipients,
  type Progress,
  takeExpansion,
} from './store.ts'

export type Step = {
  /** That were made now. */
  recipients: number
  /** There are no more to be made. */
  is_done: boolean
}

/** The message was cancelled or put off meanwhile: the transaction has to be undone. */
export class OvertakenError extends Error {}

const STEP_RECIPIENTS_MAX = 5000
const PROVIDERS: readonly PushProvider[] = ['fcm', 'apns']

/**
 * @returns `busy` when somebody else is at it, undefined when there is nothing to be made of it now
 * @throws OvertakenError
 */
export async function expandStep(
  tx: Db,
  messageId: string,
  stepMax = STEP_RECIPIENTS_MAX,
): Promise<Step | 'busy' | undefined> {
  const [isTaken] = await Promise.all([takeExpansion(tx, messageId), preferIndexes(tx)])
  if (!isTaken) return 'busy'
  const message = await findExpandable(tx, messageId)
  if (!message) return undefined
  if (message.is_orphaned) {
    await endOrphan(tx, messageId)
    return { recipients: 0, is_done: true }
  }
  const progress = await makeRecipients(tx, message, stepMax)
  if (!(await advance(tx, message, progress))) throw new OvertakenError()
  // What it made itself is not settled yet.
  const isOver = progress.is_done && progress.made === progress.failed
  if (isOver) await completeMessages(tx, [messageId])
  return { recipients: progress.made, is_done: progress.is_done }
}

/** What one provider leaves of the step is the next one's. */
async function makeRecipients(tx: Db, message: Expandable, stepMax: number): Promise<Progress> {
  const first = message.expanded_provider ?? 'fcm'
  const progress: Progress = {
    made: 0,
    failed: 0,
    provider: first,
    after: message.expanded_after,
    is_done: false,
  }
  for (const provider of PROVIDERS.slice(PROVIDERS.indexOf(first))) {
    const after = provider === first ? message.expanded_after : null
    const limit = stepMax - progress.made
    const reason = reasonAgainst(message, provider)
    const { made, last_id } = await insertRecipients(tx, message, {
      provider,
      after,
      limit,
      reason,
    })
    progress.made += made
    if (reason !== null) progress.failed += made
    progress.provider = provider
    progress.after = last_id ?? after
    if (made === limit) return progress
  }
  progress.is_done = true
  return progress
}

function reasonAgainst(message: Expandable, provider: PushProvider): string | null {
  if (message.is_late) return 'expired'
  if (!message.configured.includes(provider)) return 'not_configured'
  return message.credentialed.includes(provider) ? null : 'no_credential'
}
