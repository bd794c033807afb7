/** Reading, canceling and rescheduling of messages in the console. */
import type { Clock } from '../../../platform/clock.ts'
import { isUuid } from '../../../platform/ids.ts'
import type { Owner } from '../../../platform/owner.ts'
import { retryConflicts } from '../../../platform/postgres/conflicts.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import type { HistoryBounds } from '../../../platform/postgres/history-page.ts'
import { findApplication, requireApplication } from '../../applications/index.ts'
import { type MessageStatus, PUSH_PROVIDERS, type PushProvider } from '../tables.ts'
import type { MessageDetails, MessagePage, RecipientPage, ShownMessage } from './reading/schema.ts'
import {
  countFailures,
  findMessage,
  listMessagePage,
  listMessages,
  listRecipients,
  type MessageQuery,
  type RecipientPlace,
  type RecipientQuery,
} from './reading/store.ts'
import { readSendAt } from './request.ts'
import { cancelMessage, rescheduleMessage } from './store.ts'

/** `late`: the message has already started or ended. */
export type Changed = { message: MessageDetails } | { refused: 'not_found' | 'late' }

/** Messages of other organizations are treated as missing. */
export type MessageOperations = {
  /** Newest first. @throws AppError 400 naming `application_id` */
  list(orgId: string, query: MessageQuery): Promise<ShownMessage[]>
  /** A page of the history, optionally filtered. Undefined when there is no such application. */
  listPage(
    orgId: string,
    applicationId: string,
    query: HistoryBounds & { statuses?: readonly MessageStatus[] | undefined },
  ): Promise<MessagePage | undefined>
  find(orgId: string, id: string): Promise<MessageDetails | undefined>
  /** As `find`, for applications of an environment. */
  findOf(owner: Owner, id: string): Promise<MessageDetails | undefined>
  recipients(orgId: string, id: string, query: RecipientQuery): Promise<RecipientPage | undefined>
  /** Idempotent. Notifications that are already under way are still sent (OP-99). */
  cancel(orgId: string, id: string): Promise<Changed>
  /** @throws AppError 400 naming `send_at` */
  reschedule(orgId: string, id: string, sendAt: string): Promise<Changed>
}

const FAILURES_COUNTED_MAX = 100_000

export function createMessageOperations(deps: {
  db: Database
  clock: Clock
  /** Wakes the expander, because a message may be due. */
  hint: () => void
  push_schedule_days: number
}): MessageOperations {
  const { db, clock, hint, push_schedule_days } = deps

  const find: MessageOperations['find'] = async (orgId, id) => {
    const message = isUuid(id) ? await findMessage(db, orgId, id) : undefined
    if (!message) return undefined
    const failures =
      message.failed > 0 ? await countFailures(db, orgId, id, FAILURES_COUNTED_MAX) : []
    const counted = failures.reduce((sum, { count }) => sum + count, 0)
    return { ...message, failures, is_partial: counted === FAILURES_COUNTED_MAX }
  }
  const changed = async (orgId: string, id: string, isDone: boolean): Promise<Changed> => {
    const message = await find(orgId, id)
    if (!message) return { refused: 'not_found' }
    return isDone ? { message } : { refused: 'late' }
  }

  return {
    list: async (orgId, query) => {
      const { id: application_id } = await requireApplication(db, orgId, query.application_id)
      return await listMessages(db, orgId, { ...query, application_id })
    },
    listPage: async (orgId, applicationId, { statuses, ...walk }) => {
      const application = await findApplication(db, orgId, applicationId)
      if (!application) return undefined
      const page = await listMessagePage(db, application.id, statuses, walk)
      return {
        messages: page.rows,
        next_cursor: page.next ?? null,
        examined_until: page.examined_until ?? null,
      }
    },
    find,
    findOf: async ({ org_id, mode }, id) => {
      const message = await find(org_id, id)
      const application = message && (await findApplication(db, org_id, message.application_id))
      return application?.environment === mode ? message : undefined
    },
    recipients: async (orgId, id, query) => {
      const message = isUuid(id) ? await findMessage(db, orgId, id) : undefined
      if (!message) return undefined
      const recipients = await listRecipients(db, orgId, message, query)
      const last = recipients.length === query.limit ? recipients.at(-1) : undefined
      return { recipients, next: last ? `${last.provider}:${last.subscription_id}` : null }
    },
    cancel: async (orgId, id) => {
      if (!isUuid(id)) return { refused: 'not_found' }
      const isDone = await retryConflicts(() =>
        db.transaction().execute(async (tx) => await cancelMessage(tx, orgId, id)),
      )
      const result = await changed(orgId, id, true)
      const isCanceled = 'message' in result && result.message.status === 'cancelled'
      return isDone || isCanceled || 'refused' in result ? result : { refused: 'late' }
    },
    reschedule: async (orgId, id, sendAt) => {
      const at = readSendAt(sendAt, clock.now(), push_schedule_days)
      if (!isUuid(id)) return { refused: 'not_found' }
      const isDone = await rescheduleMessage(db, orgId, id, at)
      if (isDone) hint()
      return await changed(orgId, id, isDone)
    },
  }
}

/** @returns undefined unless the text is the `next` of a page */
export function recipientPlaceOf(text: string): RecipientPlace | undefined {
  const [provider, subscription_id, ...rest] = text.split(':')
  if (!isProvider(provider) || subscription_id === undefined || rest.length > 0) return undefined
  return isUuid(subscription_id) ? { provider, subscription_id } : undefined
}

const isProvider = (text: string | undefined): text is PushProvider =>
  PUSH_PROVIDERS.some((provider) => provider === text)
