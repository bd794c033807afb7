/**
 * The notifications that wait to be applied. Those of one enterprise need its row and are therefore applied
 * by one transaction at a time, in their order, while a transaction may cover many enterprises. If the row
 * stays locked, for example by the change of a large group, its notifications are put off: they are tried
 * again after short pauses, and other enterprises do not wait for them.
 */
import type { WireMessage } from '../providers/port.ts'
import { enterpriseOf } from './message.ts'

export type TakenMessage = {
  message_id: string
  /** When false, the provider has to send the message again. */
  is_done: boolean
  /** The message itself is the cause of the failure, so that sending it again soon would not help. */
  is_faulty?: boolean
  /** Set if the message was put off: the result, once there is one. */
  later?: Promise<TakenMessage>
}

/** `locked`: nothing was applied. Otherwise the ids of the messages that were not applied. */
export type Applied = 'locked' | ReadonlyMap<string, 'again' | 'faulty'>

export type NotificationQueue = {
  /** Resolves when each message has been applied, has failed, or was put off. */
  add(messages: readonly WireMessage[]): Promise<TakenMessage[]>
  status(): QueueStatus
}

export type QueueStatus = {
  put_off: number
  /** Time since this process received the oldest notification that was put off; 0 without any. */
  oldest_ms: number
}

export type QueueOptions = {
  /** Applies messages of any number of enterprises in a transaction. Must not throw. */
  apply: (messages: readonly WireMessage[]) => Promise<Applied>
  /** Called when an attempt to apply the messages of an enterprise failed because of a lock. */
  onPutOff: (enterprise: string, status: QueueStatus) => void
}

const PER_TRANSACTION_MAX = 500
const TRANSACTIONS_MAX = 3
/** Further messages are left to the provider, which sends them again. */
const WAITING_MAX = 5000
const PUT_OFF_MAX = 2000
const PAUSE_MS = 250
const PAUSE_MAX_MS = 2000

/** Messages of one enterprise that are applied together. */
type Share = {
  enterprise: string
  messages: readonly WireMessage[]
  since_ms: number
  putOff: () => void
  settle: (failed: ReadonlyMap<string, 'again' | 'faulty'>) => void
}

export function createNotificationQueue({ apply, onPutOff }: QueueOptions): NotificationQueue {
  /** Oldest first. */
  let waiting: Share[] = []
  const putOff = new Set<Share>()
  /** Enterprises in a transaction, or in the pause before their next attempt. */
  const busy = new Set<string>()
  /** Locked enterprises with the number of failed attempts; 0: to be tried on its own. */
  const locked = new Map<string, number>()
  let transactions = 0

  const status = (): QueueStatus => {
    const since = Math.min(...[...putOff].map(({ since_ms }) => since_ms))
    return {
      put_off: count(putOff),
      oldest_ms: putOff.size === 0 ? 0 : performance.now() - since,
    }
  }

  const start = (): void => {
    while (transactions < TRANSACTIONS_MAX) {
      const shares = nextShares(waiting, busy, locked)
      if (shares.length === 0) return
      const started = new Set(shares)
      waiting = waiting.filter((share) => !started.has(share))
      transactions += 1
      void run(shares).finally(() => {
        transactions -= 1
        start()
      })
    }
  }

  const run = async (shares: readonly Share[]): Promise<void> => {
    const enterprises = new Set(shares.map(({ enterprise }) => enterprise))
    for (const enterprise of enterprises) busy.add(enterprise)
    const applied = await apply(shares.flatMap(({ messages }) => messages))
    if (applied === 'locked') {
      waiting.unshift(...shares)
      if (enterprises.size === 1) for (const enterprise of enterprises) pause(enterprise)
      else for (const enterprise of enterprises) release(enterprise, 0)
      return
    }
    for (const share of shares) {
      putOff.delete(share)
      share.settle(applied)
    }
    for (const enterprise of enterprises) release(enterprise)
  }

  const release = (enterprise: string, attempts?: number): void => {
    busy.delete(enterprise)
    if (attempts === undefined) locked.delete(enterprise)
    else locked.set(enterprise, attempts)
  }

  const pause = (enterprise: string): void => {
    const attempts = (locked.get(enterprise) ?? 0) + 1
    locked.set(enterprise, attempts)
    for (const share of waiting) if (share.enterprise === enterprise) delay(share)
    onPutOff(enterprise, status())
    const ms = Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** Math.min(attempts - 1, 10))
    setTimeout(() => {
      release(enterprise, attempts)
      start()
    }, ms).unref()
  }

  const delay = (share: Share): void => {
    putOff.add(share)
    share.putOff()
  }

  const enqueue = ({ enterprise, messages }: Pick<Share, 'enterprise' | 'messages'>) =>
    new Promise<TakenMessage[]>((resolve) => {
      const since_ms = performance.now()
      const share: Share = { enterprise, messages, since_ms, ...resultsOf(messages, resolve) }
      const isLocked = (locked.get(enterprise) ?? 0) > 0
      const [taken, max] = isLocked ? [putOff, PUT_OFF_MAX] : [waiting, WAITING_MAX]
      if (count(taken) + messages.length > max) {
        share.settle(new Map(messages.map(({ message_id }) => [message_id, 'again'])))
        return
      }
      waiting.push(share)
      if (isLocked) delay(share)
    })

  return {
    add: async (messages) => {
      const added = sharesOf(messages).map(enqueue)
      start()
      return (await Promise.all(added)).flat()
    },
    status,
  }
}

const count = (shares: Iterable<Share>): number =>
  [...shares].reduce((sum, { messages }) => sum + messages.length, 0)

/** Groups messages by enterprise, at most as many together as a transaction takes. */
function sharesOf(messages: readonly WireMessage[]): Pick<Share, 'enterprise' | 'messages'>[] {
  const groups = new Map<string, WireMessage[]>()
  for (const message of messages) {
    const enterprise = enterpriseOf(message)
    const group = groups.get(enterprise)
    if (group) group.push(message)
    else groups.set(enterprise, [message])
  }
  return [...groups].flatMap(([enterprise, group]) =>
    Array.from({ length: Math.ceil(group.length / PER_TRANSACTION_MAX) }, (_, part) => {
      const start = part * PER_TRANSACTION_MAX
      return { enterprise, messages: group.slice(start, start + PER_TRANSACTION_MAX) }
    }),
  )
}

/** The shares of the next transaction: of one locked enterprise, or of others that are not busy. */
function nextShares(
  waiting: readonly Share[],
  busy: ReadonlySet<string>,
  locked: ReadonlyMap<string, number>,
): Share[] {
  const first = waiting.find(({ enterprise }) => !busy.has(enterprise))
  if (!first) return []
  const isAlone = locked.has(first.enterprise)
  /** Enterprises whose next share does not fit: their later ones must not overtake it. */
  const left = new Set<string>()
  let room = PER_TRANSACTION_MAX
  return waiting.filter(({ enterprise, messages }) => {
    const isWanted = isAlone
      ? enterprise === first.enterprise
      : !busy.has(enterprise) && !locked.has(enterprise)
    if (!isWanted || left.has(enterprise)) return false
    if (messages.length > room) {
      left.add(enterprise)
      return false
    }
    room -= messages.length
    return true
  })
}

/** @param report receives the results, or that the messages were put off, whichever comes first */
function resultsOf(
  messages: readonly WireMessage[],
  report: (taken: TakenMessage[]) => void,
): Pick<Share, 'putOff' | 'settle'> {
  let resolve: (taken: ReadonlyMap<string, TakenMessage>) => void = () => undefined
  const settled = new Promise<ReadonlyMap<string, TakenMessage>>((done) => {
    resolve = done
  })
  return {
    putOff: () => {
      report(
        messages.map(({ message_id }) => {
          const result = { message_id, is_done: false }
          return { ...result, later: settled.then((taken) => taken.get(message_id) ?? result) }
        }),
      )
    },
    settle: (failed) => {
      const taken = messages.map(({ message_id }): TakenMessage => {
        const failure = failed.get(message_id)
        return {
          message_id,
          is_done: failure === undefined,
          ...(failure === 'faulty' && { is_faulty: true }),
        }
      })
      resolve(new Map(taken.map((each) => [each.message_id, each])))
      report(taken)
    },
  }
}
