/** What the console shows of messages, and what can still be changed of them. */
import type { Clock } from '../../../platform/clock.ts'
import { isUuid } from '../../../platform/ids.ts'
import { retryConflicts } from '../../../platform/postgres/conflicts.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import {
  type MessageStatus,
  PUSH_PROVIDERS,
  type PushProvider,
} from '../../../platform/postgres/tables/push.ts'
import type { Walk } from '../../../platform/postgres/walk.ts'
import { findApplication, requireApplication } from '../../applications/index.ts'
import type {
  MessageDetails,
  MessagePage,
  RecipientPage,
  ShownMessage,
  ShownStatus,
} from './reading/schema.ts'
import {
  countFailures,
  findMessage,
  listMessages,
  listRecipients,
  type RecipientPlace,
  walkMessages,
} from './reading/store.ts'
import { readSendAt } from './request.ts'
import { cancelMessage, rescheduleMessage } from './store.ts'

/** `late`: it has begun, or ended. */
export type Changed = { message: MessageDetails } | { refused: 'not_found' | 'late' }

export type RecipientQuery = {
  status?: ShownStatus | undefined
  /** `next` of the page before. */
  after?: RecipientPlace | undefined
  limit: number
}

/** What is not the organisation's does not exist. */
export type MessageOperations = {
  /**
   * Newest first. @param query.before the last one of the page before, a UUID
   * @throws AppError 400 naming `application_id`
   */
  list(
    orgId: string,
    query: { application_id: string; before?: string | undefined; limit: number },
  ): Promise<ShownMessage[]>
  /** The same as a history that can be filtered. Undefined where there is no such application. */
  walk(
    orgId: string,
    applicationId: string,
    query: Walk & { statuses?: readonly MessageStatus[] | undefined },
  ): Promise<MessagePage | undefined>
  find(orgId: string, id: string): Promise<MessageDetails | undefined>
  recipients(orgId: string, id: string, query: RecipientQuery): Promise<RecipientPage | undefined>
  /** What is under way is still sent. Of what is cancelled already there is nothing to do. */
  cancel(orgId: string, id: string): Promise<Changed>
  /** @throws AppError 400 naming `send_at` */
  reschedule(orgId: string, id: string, sendAt: string): Promise<Changed>
}

const FAILURES_COUNTED_MAX = 100_000

export function createMessageOperations(deps: {
  db: Database
  clock: Clock
  /** Something may be due. */
  hint: () => void
  push_schedule_days: number
}): MessageOperations {
  const { db, clock, hint, push_schedule_days } = deps

  const find: MessageOperations['find'] = async (orgId, id) => {
    const message = isUuid(id) ? await findMessage(db, orgId, id) : undefined
    if (!message) return undefined
    const failures = message.failed > 0 ? await countFailures(db, id, FAILURES_COUNTED_MAX) : []
    const counted = failures.reduce((sum, { count }) => sum + count, 0)
    return { ...message, failures, is_partial: counted === FAILURES_COUNTED_MAX }
  }
  const changed = async (orgId: string, id: string, isDone: boolean): Promise<Changed> => {
    const message = await find(orgId, id)
    if (!message) return { refused: 'not_found' }
    return isDone ? { message } : { refused: 'late' }
  }

  return {
    list: async (orgId, { before, ...query }) => {
      const { id: application_id } = await requireApplication(db, orgId, query.application_id)
      const page = { ...query, application_id, ...(before !== undefined && { before }) }
      return await listMessages(db, orgId, page)
    },
    walk: async (orgId, applicationId, { statuses, ...walk }) => {
      const application = await findApplication(db, orgId, applicationId)
      if (!application) return undefined
      const { rows, next, examined_until } = await walkMessages(db, application.id, statuses, walk)
      return {
        messages: rows,
        next_cursor: next ?? null,
        examined_until: examined_until ?? null,
      }
    },
    find,
    recipients: async (orgId, id, { status, after, limit }) => {
      const message = isUuid(id) ? await findMessage(db, orgId, id) : undefined
      if (!message) return undefined
      const recipients = await listRecipients(db, message, {
        ...(status !== undefined && { status }),
        ...(after !== undefined && { after }),
        limit,
      })
      const last = recipients.length === limit ? recipients.at(-1) : undefined
      return { recipients, next: last ? `${last.provider}:${last.subscription_id}` : null }
    },
    cancel: async (orgId, id) => {
      if (!isUuid(id)) return { refused: 'not_found' }
      const isDone = await retryConflicts(() =>
        db.transaction().execute(async (tx) => await cancelMessage(tx, orgId, id)),
      )
      const result = await changed(orgId, id, true)
      const isCancelled = 'message' in result && result.message.status === 'cancelled'
      return isDone || isCancelled || 'refused' in result ? result : { refused: 'late' }
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

/** @returns undefined for a text that no page answered */
export function recipientPlaceOf(text: string): RecipientPlace | undefined {
  const [provider, subscription_id, ...rest] = text.split(':')
  if (!isProvider(provider) || subscription_id === undefined || rest.length > 0) return undefined
  return isUuid(subscription_id) ? { provider, subscription_id } : undefined
}

const isProvider = (text: string | undefined): text is PushProvider =>
  PUSH_PROVIDERS.some((provider) => provider === text)
