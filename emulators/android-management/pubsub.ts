/**
 * The part of Pub/Sub that notifications need: topics and subscriptions with leases. Messages are
 * delivered at least once and in no particular order
 * (https://cloud.google.com/pubsub/docs/subscription-overview).
 */
import { randomBytes, randomInt } from 'node:crypto'
import { isObject } from '../../src/platform/is-object.ts'
import type { Core } from './core.ts'
import type { Message, State, Subscription } from './state.ts'

/** The account by which Google publishes, which needs a role on the topic. */
const PUBLISHER = 'serviceAccount:android-cloud-policy@system.gserviceaccount.com'
const PUBLISHER_ROLES = ['roles/pubsub.publisher', 'roles/pubsub.editor', 'roles/pubsub.admin']
/** Number of messages that a subscription stores; the oldest are dropped. */
const MAX_BACKLOG = 100_000

export type Received = { ackId: string; message: Message }

export type Broker = {
  /**
   * @param copies number of deliveries to each subscription, with the same id
   * @returns the id of the message; undefined when the topic does not exist
   */
  publish: (
    topic: string,
    data: string,
    attributes: Record<string, string>,
    copies?: number,
  ) => string | undefined
  /** Leases up to `max` messages for the deadline of the subscription. */
  pull: (subscription: Subscription, max: number) => Received[]
  /** Resolves when messages can be pulled, or after the timeout. */
  wait: (subscription: Subscription, timeoutMs: number) => Promise<void>
  /** Ignores unknown and late ids. */
  acknowledge: (subscription: Subscription, ackIds: readonly string[]) => void
  /** @param seconds new deadline from now; 0 makes the messages available immediately */
  extend: (subscription: Subscription, ackIds: readonly string[], seconds: number) => void
  /** Makes messages available again that were not acknowledged in time. */
  reclaim: () => void
  close: () => void
}

type BrokerOptions = {
  state: State
  now: () => Date
  touch: () => void
  /** Called when a message can be pulled. */
  onReady: (subscription: Subscription) => void
}

export function createBroker({ state, now, touch, onReady }: BrokerOptions): Broker {
  const waiters = createWaiters()
  const add = (subscription: Subscription, message: Message) => {
    subscription.ready.push(message)
    if (subscription.ready.length > MAX_BACKLOG) subscription.ready.shift()
    waiters.wake(subscription.name)
    onReady(subscription)
  }
  const release = (subscription: Subscription, ackId: string) => {
    const lease = subscription.leased.get(ackId)
    if (lease === undefined) return
    subscription.leased.delete(ackId)
    add(subscription, lease.message)
  }

  return {
    publish(topic, data, attributes, copies = 1) {
      const target = state.topics.get(topic)
      if (target === undefined) return undefined
      const messageId = newMessageId()
      const message = { data, attributes, messageId, publishTime: now().toISOString() }
      for (const name of target.subscriptions) {
        const subscription = state.subscriptions.get(name)
        if (subscription === undefined) continue
        for (let copy = 0; copy < copies; copy += 1) add(subscription, message)
      }
      touch()
      return messageId
    },
    pull(subscription, max) {
      reclaimOf(subscription, now(), (ackId) => release(subscription, ackId))
      const until_ms = now().getTime() + subscription.ack_deadline_seconds * 1_000
      const messages = subscription.ready.splice(0, max)
      if (messages.length > 0) touch()
      return messages.map((message) => {
        const ackId = randomBytes(18).toString('base64url')
        subscription.leased.set(ackId, { message, until_ms })
        return { ackId, message }
      })
    },
    wait: async (subscription, timeoutMs) => {
      if (subscription.ready.length === 0) await waiters.wait(subscription.name, timeoutMs)
    },
    acknowledge(subscription, ackIds) {
      for (const ackId of ackIds) subscription.leased.delete(ackId)
      touch()
    },
    extend(subscription, ackIds, seconds) {
      const until_ms = now().getTime() + seconds * 1_000
      for (const ackId of ackIds) {
        const lease = subscription.leased.get(ackId)
        if (seconds === 0) release(subscription, ackId)
        else if (lease) lease.until_ms = until_ms
      }
      touch()
    },
    reclaim() {
      for (const subscription of state.subscriptions.values()) {
        reclaimOf(subscription, now(), (ackId) => release(subscription, ackId))
      }
    },
    close: waiters.wakeAll,
  }
}

/**
 * Ids are random, because an emulator that was killed or has no persisted state must not reuse ids:
 * receivers store them to recognize duplicates.
 */
const newMessageId = (): string =>
  `${randomInt(1e7, 1e8)}${String(randomInt(1e8)).padStart(8, '0')}`

/** The pulls that wait for messages, by subscription. */
function createWaiters() {
  const waiting = new Map<string, Set<() => void>>()
  const wake = (name: string) => {
    for (const end of waiting.get(name) ?? []) end()
  }
  return {
    wake,
    wakeAll: () => {
      for (const name of waiting.keys()) wake(name)
    },
    wait: (name: string, timeoutMs: number): Promise<void> =>
      new Promise((resolve) => {
        const others = waiting.get(name) ?? new Set()
        waiting.set(name, others)
        const end = () => {
          clearTimeout(timer)
          others.delete(end)
          resolve()
        }
        const timer = setTimeout(end, timeoutMs)
        others.add(end)
      }),
  }
}

function reclaimOf({ leased }: Subscription, now: Date, release: (ackId: string) => void): void {
  for (const [ackId, { until_ms }] of leased) if (until_ms <= now.getTime()) release(ackId)
}

/** Returns whether a topic exists and Google may publish to it. */
export function mayPublish({ state }: Core, topic: string): boolean {
  const bindings = state.topics.get(topic)?.policy['bindings']
  if (!Array.isArray(bindings)) return false
  return bindings.some((binding: unknown) => {
    if (!isObject(binding) || !Array.isArray(binding['members'])) return false
    return (
      PUBLISHER_ROLES.includes(String(binding['role'])) && binding['members'].includes(PUBLISHER)
    )
  })
}
