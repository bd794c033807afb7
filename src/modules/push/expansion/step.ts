/**
 * Creates the recipients of a message, some thousands at a time. A step is one transaction that writes
 * its progress together with the recipients, so an interrupted step leaves nothing behind and no
 * recipient is created twice.
 */
import type { Db } from '../../../platform/postgres/db.ts'
import { preferIndexes } from '../../../platform/postgres/prefer-indexes.ts'
import { completeMessages } from '../messages/store.ts'
import type { PushProvider } from '../tables.ts'
import {
  advance,
  type Expandable,
  endOrphan,
  findExpandable,
  insertRecipients,
  lockExpansion,
  type Progress,
} from './store.ts'

export type Step = {
  /** Number of recipients that this step created. */
  recipients: number
  /** All recipients of the message exist. */
  is_done: boolean
}

/** The message was canceled or rescheduled during the step: the transaction must be rolled back. */
export class OvertakenError extends Error {}

const STEP_RECIPIENTS_MAX = 5000
const PROVIDERS: readonly PushProvider[] = ['fcm', 'apns']

/**
 * @returns `busy` while another process expands the message, undefined when it is not due
 * @throws OvertakenError
 */
export async function expandStep(
  tx: Db,
  messageId: string,
  stepMax = STEP_RECIPIENTS_MAX,
): Promise<Step | 'busy' | undefined> {
  const [isTaken] = await Promise.all([lockExpansion(tx, messageId), preferIndexes(tx)])
  if (!isTaken) return 'busy'
  const message = await findExpandable(tx, messageId)
  if (!message) return undefined
  if (message.is_orphaned) {
    await endOrphan(tx, messageId)
    return { recipients: 0, is_done: true }
  }
  const progress = await createRecipients(tx, message, stepMax)
  if (!(await advance(tx, message, progress))) throw new OvertakenError()
  // Recipients that this step created are still pending, except those that it created as failed.
  const isOver = progress.is_done && progress.inserted === progress.failed
  if (isOver) await completeMessages(tx, [messageId])
  return { recipients: progress.inserted, is_done: progress.is_done }
}

/** Fills the step with recipients of one provider, then of the next. */
async function createRecipients(tx: Db, message: Expandable, stepMax: number): Promise<Progress> {
  const first = message.expanded_provider ?? 'fcm'
  const progress: Progress = {
    inserted: 0,
    failed: 0,
    provider: first,
    after: message.expanded_after,
    is_done: false,
  }
  for (const provider of PROVIDERS.slice(PROVIDERS.indexOf(first))) {
    const after = provider === first ? message.expanded_after : null
    const limit = stepMax - progress.inserted
    const reason = failureReason(message, provider)
    const portion = { provider, after, limit, reason }
    const { inserted, last_id } = await insertRecipients(tx, message, portion)
    progress.inserted += inserted
    if (reason !== null) progress.failed += inserted
    progress.provider = provider
    progress.after = last_id ?? after
    if (inserted === limit) return progress
  }
  progress.is_done = true
  return progress
}

function failureReason(message: Expandable, provider: PushProvider): string | null {
  if (message.is_late) return 'expired'
  if (!message.configured.includes(provider)) return 'not_configured'
  return message.credentialed.includes(provider) ? null : 'no_credential'
}
