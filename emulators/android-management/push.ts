/**
 * Push subscriptions: every message is posted to the endpoint with an OpenID Connect token signed by
 * the emulator (https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions).
 */
import type { JSONWebKeySet } from 'jose'
import { Agent, request } from 'undici'
import type { Timers } from '../timers.ts'
import type { Core } from './core.ts'
import type { Broker, Received } from './pubsub.ts'
import { createSigner, type Signer } from './push-token.ts'
import type { Subscription } from './state.ts'

/** Number of concurrent requests for one subscription. */
const MAX_IN_FLIGHT = 32
const FIRST_PAUSE_MS = 100
const LAST_PAUSE_MS = 60_000
/** https://cloud.google.com/pubsub/docs/push#receive_push */
const ACKNOWLEDGING = [102, 200, 201, 202, 204]

export type Push = {
  /** Sends the available messages of a push subscription. */
  pump: (subscription: Subscription) => void
  keys: () => Promise<JSONWebKeySet>
  close: () => Promise<void>
}

type Lane = { in_flight: number; failures: number; is_paused: boolean }

export function createPush(options: { core: Core; broker: Broker; timers: Timers }): Push {
  const { core, broker, timers } = options
  const lanes = new Map<string, Lane>()
  const agent = new Agent({ connections: MAX_IN_FLIGHT })
  const signer = createSigner(core)
  let isClosed = false

  const laneOf = (subscription: Subscription): Lane => {
    const lane = lanes.get(subscription.name) ?? { in_flight: 0, failures: 0, is_paused: false }
    lanes.set(subscription.name, lane)
    return lane
  }

  const pump = (subscription: Subscription): void => {
    const { push_config } = subscription
    if (push_config === null || isClosed) return
    const lane = laneOf(subscription)
    const room = lane.is_paused ? 0 : MAX_IN_FLIGHT - lane.in_flight
    if (room <= 0 || subscription.ready.length === 0) return
    for (const received of broker.pull(subscription, room)) {
      lane.in_flight += 1
      void deliver(agent, signer, subscription, received).then((isAcknowledged) => {
        lane.in_flight -= 1
        if (isAcknowledged) acknowledge(subscription, lane, received.ackId)
        else retryLater(subscription, lane, received.ackId)
      })
    }
  }

  const acknowledge = (subscription: Subscription, lane: Lane, ackId: string) => {
    broker.acknowledge(subscription, [ackId])
    lane.failures = 0
    pump(subscription)
  }

  const retryLater = (subscription: Subscription, lane: Lane, ackId: string) => {
    if (!lane.is_paused && !isClosed) {
      lane.is_paused = true
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** lane.failures, LAST_PAUSE_MS)
      lane.failures += 1
      timers.later(pauseMs, () => {
        lane.is_paused = false
        pump(subscription)
      })
    }
    broker.extend(subscription, [ackId], 0)
  }

  return {
    pump,
    keys: signer.keys,
    close: async () => {
      isClosed = true
      await agent.destroy()
    },
  }
}

/** @returns whether the endpoint has acknowledged the message; never rejects */
async function deliver(
  agent: Agent,
  signer: Signer,
  { name, ack_deadline_seconds, push_config: config }: Subscription,
  { message }: Received,
): Promise<boolean> {
  if (config === null) return false
  try {
    const response = await request(config.pushEndpoint, {
      method: 'POST',
      dispatcher: agent,
      signal: AbortSignal.timeout(ack_deadline_seconds * 1_000),
      headers: {
        'content-type': 'application/json',
        ...(config.oidcToken && { authorization: `Bearer ${await signer.tokenFor(config)}` }),
      },
      body: JSON.stringify({
        message: { ...message, message_id: message.messageId, publish_time: message.publishTime },
        subscription: name,
      }),
    })
    await response.body.dump()
    return ACKNOWLEDGING.includes(response.statusCode)
  } catch {
    return false
  }
}
