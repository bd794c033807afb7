/**
 * Pub/Sub, as far as notifications need it: topics, subscriptions with leases, at least once and in
 * no order that could be relied on (https://cloud.google.com/pubsub/docs/subscription-overview).
 */
import { randomBytes, randomInt } from 'node:crypto'
import type { Core } from './core.ts'
import { isObject } from './masks.ts'
import type { Message, State, Subscription } from './state.ts'

/** In whose name Google publishes; it needs the role on the topic. */
const PUBLISHER = 'serviceAccount:android-cloud-policy@system.gserviceaccount.com'
const PUBLISHER_ROLES = ['roles/pubsub.publisher', 'roles/pubsub.editor', 'roles/pubsub.admin']
/** Messages that a subscription keeps; the oldest go first. */
const MAX_BACKLOG = 100_000

export type Received = { ackId: string; message: Message }

export type Broker = {
  /**
   * @param copies how often each subscription gets it, under the one id
   * @returns the id of the message; undefined when there is no such topic
   */
  publish: (
    topic: string,
    data: string,
    attributes: Record<string, string>,
    copies?: number,
  ) => string | undefined
  /** Leases up to `max` messages for the deadline of the subscription. */
  pull: (subscription: Subscription, max: number) => Received[]
  /** Ends when something is there to be pulled, or the time is over. */
  wait: (subscription: Subscription, timeoutMs: number) => Promise<void>
  /** Unknown and late ids are passed over. */
  acknowledge: (subscription: Subscription, ackIds: readonly string[]) => void
  /** @param seconds from now; 0 gives the messages back at once */
  extend: (subscription: Subscription, ackIds: readonly string[], seconds: number) => void
  /** Makes ready again what was not acknowledged in time. */
  reclaim: () => void
  close: () => void
}

type BrokerOptions = {
  state: State
  now: () => Date
  touch: () => void
  /** Told whenever something can be pulled. */
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
 * By chance: an emulator that was killed, or that keeps no state, must not give ids again, because
 * receivers remember them longer than it does.
 */
const newMessageId = (): string =>
  `${randomInt(1e7, 1e8)}${String(randomInt(1e8)).padStart(8, '0')}`

/** Pulls that wait for something to come, by subscription. */
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

/** Whether Google may publish to a topic, which is there. */
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
