/**
 * Takes what the provider tells of its own accord, however it came. Told at least once and in any
 * order, each message is applied once: that it was is written in the transaction that applies it.
 */
import type { Clock } from '../../../platform/clock.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/log.ts'
import { type Database, type Db, isStatementFault } from '../../../platform/postgres/db.ts'
import type { DeviceWriter, WriterInput } from '../devices/apply.ts'
import type { WireMessage, WireOperation } from '../providers/port.ts'
import { contentOf, enterpriseOf, isRecent } from './message.ts'
import {
  deleteNotifications,
  insertNotifications,
  limitLockWaits,
  listNamedDevices,
} from './store.ts'

export type TakenMessage = {
  message_id: string
  /** Else the provider has to send it again. */
  is_done: boolean
}

export type Notifications = {
  /** Answers each message once. Does not throw: what could not be applied is not done. */
  take(messages: readonly WireMessage[]): Promise<TakenMessage[]>
}

export type NotificationsOptions = {
  db: Database
  clock: Clock
  newId: NewId
  log: Log
  writer: DeviceWriter
  /** `commands/completion.ts` */
  applyOperations: (
    tx: Db,
    context: { newId: NewId; now: Date },
    operations: readonly { org_id: string; device_name: string; operation: WireOperation }[],
  ) => Promise<string[]>
  /** Something may have to be brought to the provider. */
  hint?: () => void
  /** Devices that somebody else holds for longer are left for later. Default: a second. */
  lock_timeout_ms?: number
}

const LOCK_TIMEOUT_MS = 1000
const PER_TRANSACTION_MAX = 200
/** Of Pub/Sub they are digits. */
const MESSAGE_ID = /^[\x21-\x7e]{1,512}$/

export function createNotifications(options: NotificationsOptions): Notifications {
  const { db, clock, log, hint } = options

  const takeTogether = async (messages: readonly WireMessage[]): Promise<ReadonlySet<string>> => {
    const { again, dispatches } = await db.transaction().execute(async (tx) => {
      await limitLockWaits(tx, options.lock_timeout_ms ?? LOCK_TIMEOUT_MS)
      return await apply(tx, messages, { ...options, now: clock.now() })
    })
    if (dispatches > 0) hint?.()
    return again
  }

  /** @returns ids of those that have to be sent again */
  const takeBatch = async (messages: readonly WireMessage[]): Promise<ReadonlySet<string>> => {
    try {
      return await takeTogether(messages)
    } catch (error) {
      const ids = messages.map(({ message_id }) => message_id)
      if (isLockTimeout(error)) return await takeByEnterprise(messages)
      if (!mayBeOneMessage(error) || messages.length === 1) {
        log.error({ err: error, messages: ids.slice(0, 10) }, 'notifications were not applied')
        return new Set(ids)
      }
      log.warn({ err: error }, 'notifications were not applied together; each is applied alone')
    }
    const again = new Set<string>()
    for (const message of messages) {
      for (const id of await takeBatch([message])) again.add(id)
    }
    return again
  }

  /**
   * A change of a large group holds the devices of its organisation, for many seconds perhaps: the
   * others do not wait for it, and its own reports come again.
   */
  const takeByEnterprise = async (messages: readonly WireMessage[]): Promise<Set<string>> => {
    const shares = new Map<string, WireMessage[]>()
    for (const message of messages) {
      const enterprise = enterpriseOf(message)
      shares.set(enterprise, [...(shares.get(enterprise) ?? []), message])
    }
    if (shares.size < 2) return new Set(messages.map(({ message_id }) => message_id))
    const again = new Set<string>()
    for (const share of shares.values()) {
      for (const id of await takeBatch(share)) again.add(id)
    }
    return again
  }

  return {
    take: async (messages) => {
      const again = new Set<string>()
      const named = [...new Map(messages.map((message) => [message.message_id, message])).values()]
      const readable = named.filter(({ message_id }) => MESSAGE_ID.test(message_id))
      for (let start = 0; start < readable.length; start += PER_TRANSACTION_MAX) {
        const batch = readable.slice(start, start + PER_TRANSACTION_MAX)
        for (const id of await takeBatch(batch)) again.add(id)
      }
      return messages.map(({ message_id }) => ({ message_id, is_done: !again.has(message_id) }))
    },
  }
}

/** What the provider says is not what it should be: the others are not held up by it. */
const mayBeOneMessage = (error: unknown): boolean =>
  isStatementFault(error) || error instanceof TypeError || error instanceof RangeError

/** lock_not_available (https://www.postgresql.org/docs/current/errcodes-appendix.html) */
const isLockTimeout = (error: unknown): boolean => (error as { code?: unknown }).code === '55P03'

type Taken = {
  /** Ids of messages that have to come once more. */
  again: ReadonlySet<string>
  dispatches: number
}

async function apply(
  tx: Db,
  messages: readonly WireMessage[],
  { writer, applyOperations, newId, now }: NotificationsOptions & { now: Date },
): Promise<Taken> {
  const contents = messages.map((message) => ({ id: message.message_id, ...contentOf(message) }))
  const about = contents.filter((content) => content.kind !== 'nothing')
  if (about.length === 0) return { again: new Set(), dispatches: 0 }
  const fresh = await insertNotifications(
    tx,
    about.map(({ id }) => id),
    now,
  )
  const applied = about.filter(({ id }) => fresh.has(id))
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
  const ours = operations.flatMap(({ id, device_name, operation }) => {
    const org_id = devices.get(device_name)
    return org_id === undefined ? [] : [{ id, org_id, device_name, operation }]
  })
  const unknown = new Set(await applyOperations(tx, { newId, now }, ours))
  const again = ours.flatMap(({ id, operation }) =>
    unknown.has(operation.name) && isRecent(operation, now) ? [id] : [],
  )
  await deleteNotifications(tx, again)
  return { again: new Set(again), dispatches }
}
