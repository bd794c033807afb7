/**
 * Applies the notifications of the provider, pushed or pulled. They arrive at least once and in any
 * order, but each is applied once: the transaction that applies a message also stores its id.
 */
import type { Clock } from '../../../platform/clock.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/log.ts'
import { type Database, type Db, isStatementFault } from '../../../platform/postgres/db.ts'
import type { applyOperations } from '../commands/completion.ts'
import type { DeviceWriter, WriterInput } from '../devices/device-writer.ts'
import type { WireMessage } from '../providers/port.ts'
import { contentOf, enterpriseOf, isRecent } from './message.ts'
import {
  type Applied,
  createNotificationQueue,
  type QueueStatus,
  type TakenMessage,
} from './queue.ts'
import {
  deleteNotifications,
  insertNotifications,
  limitLockWaits,
  listNamedDevices,
} from './store.ts'

export type Notifications = {
  /**
   * Returns one result per message, `later` for those that have to wait for a lock. Does not throw: a
   * message that cannot be applied is not done.
   */
  take(messages: readonly WireMessage[]): Promise<TakenMessage[]>
  /** The notifications that were put off, in this process. */
  status(): QueueStatus
}

export type NotificationsOptions = {
  db: Database
  clock: Clock
  newId: NewId
  log: Log
  writer: DeviceWriter
  applyOperations: typeof applyOperations
  /** Notifies the dispatcher that something may be due. */
  hint?: () => void
  /** Reports on devices that stay locked for longer are put off. Default: one second. */
  lock_timeout_ms?: number
}

const LOCK_TIMEOUT_MS = 1000
const WARNING_EVERY_MS = 60_000
/** Pub/Sub uses digits; any printable ASCII is accepted. */
const MESSAGE_ID = /^[\x21-\x7e]{1,512}$/

export function createNotifications(options: NotificationsOptions): Notifications {
  const { db, clock, log, hint } = options

  const takeTogether = async (messages: readonly WireMessage[]): Promise<ReadonlySet<string>> => {
    const { again, dispatches } = await db.transaction().execute(async (tx) => {
      await limitLockWaits(tx, options.lock_timeout_ms ?? LOCK_TIMEOUT_MS)
      return await applyIn(tx, messages, { ...options, now: clock.now() })
    })
    if (dispatches > 0) hint?.()
    return again
  }

  const apply = async (messages: readonly WireMessage[]): Promise<Applied> => {
    try {
      const again = await takeTogether(messages)
      return new Map([...again].map((id) => [id, 'again']))
    } catch (error) {
      if (isLocked(error)) return 'locked'
      const ids = messages.map(({ message_id }) => message_id)
      const isMessage = canBeOneMessage(error)
      if (!isMessage || messages.length === 1) {
        log.error({ err: error, messages: ids.slice(0, 10) }, 'cannot apply notifications')
        return new Map(ids.map((id) => [id, isMessage ? 'faulty' : 'again']))
      }
      log.warn({ err: error }, 'cannot apply a batch of notifications; applying each on its own')
    }
    return await applyEach(messages)
  }

  const applyEach = async (messages: readonly WireMessage[]): Promise<Applied> => {
    const failed = new Map<string, 'again' | 'faulty'>()
    for (const message of messages) {
      const applied = await apply([message])
      if (applied === 'locked') failed.set(message.message_id, 'again')
      else for (const [id, failure] of applied) failed.set(id, failure)
    }
    return failed
  }

  let quietUntil = Number.NEGATIVE_INFINITY
  const queue = createNotificationQueue({
    apply,
    onPutOff: (enterprise, { put_off, oldest_ms }) => {
      if (performance.now() < quietUntil) return
      quietUntil = performance.now() + WARNING_EVERY_MS
      const about = { enterprise, put_off, oldest_s: Math.round(oldest_ms / 1000) }
      log.warn(about, 'device notifications wait for a lock in the database; retrying')
    },
  })

  return {
    take: async (messages) => {
      const named = [...new Map(messages.map((message) => [message.message_id, message])).values()]
      const taken = await queue.add(named.filter(({ message_id }) => MESSAGE_ID.test(message_id)))
      const byId = new Map(taken.map((each) => [each.message_id, each]))
      return messages.map(({ message_id }) => byId.get(message_id) ?? { message_id, is_done: true })
    },
    status: queue.status,
  }
}

/** A single malformed message can cause such errors, and must not hold up the others. */
const canBeOneMessage = (error: unknown): boolean =>
  isStatementFault(error) || error instanceof TypeError || error instanceof RangeError

/**
 * The lock was not available in time, or waiting for it would have been a deadlock
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const isLocked = (error: unknown): boolean =>
  ['55P03', '40P01'].includes(String((error as { code?: unknown }).code))

type Result = {
  /** Ids of messages that have to be sent again. */
  again: ReadonlySet<string>
  dispatches: number
}

async function applyIn(
  tx: Db,
  messages: readonly WireMessage[],
  { writer, applyOperations, newId, now }: NotificationsOptions & { now: Date },
): Promise<Result> {
  const contents = messages.map((message) => ({
    id: message.message_id,
    enterprise: enterpriseOf(message),
    ...contentOf(message),
  }))
  const handled = contents.filter((content) => content.kind !== 'nothing')
  if (handled.length === 0) return { again: new Set(), dispatches: 0 }
  const stored = await insertNotifications(tx, handled, now)
  const fresh = new Map(stored.map((notification) => [notification.message_id, notification]))
  const applied = handled.filter(({ id }) => fresh.has(id))
  const inputs = applied.flatMap((content): WriterInput[] =>
    content.kind === 'device'
      ? [{ kind: 'report', source: 'notification', device: content.device }]
      : [],
  )
  const { dispatches } = await writer.apply(tx, now, inputs)
  const operations = applied.filter((content) => content.kind === 'operation')
  if (operations.length === 0) return { again: new Set(), dispatches }
  const names = operations.map(({ device_name }) => device_name)
  const devices = new Map(
    (await listNamedDevices(tx, names)).map((device) => [device.provider_name, device.org_id]),
  )
  const known = operations.flatMap(({ id, device_name, operation }) => {
    const org_id = devices.get(device_name)
    return org_id === undefined ? [] : [{ id, org_id, device_name, operation }]
  })
  const unknown = new Set(await applyOperations(tx, { newId, now }, known))
  const again = known.flatMap(({ id, operation }) => {
    const notification = fresh.get(id)
    return notification && unknown.has(operation.name) && isRecent(operation, now)
      ? [notification]
      : []
  })
  await deleteNotifications(tx, again)
  return { again: new Set(again.map(({ message_id }) => message_id)), dispatches }
}
