/** Publishes the notifications of an enterprise to its topic, subject to the faults. */
import type { Timers } from '../timers.ts'
import type { Core } from './core.ts'
import type { FaultSource } from './faults.ts'
import type { Broker } from './pubsub.ts'

/** Maximum time for which a delayed notification waits for the next one. */
const MAX_DELAY_MS = 250

export function createNotifier(options: {
  broker: Broker
  faults: FaultSource
  timers: Timers
}): Core['notify'] {
  const { broker, faults, timers } = options
  let delayed: (() => void)[] = []
  const release = () => {
    const due = delayed
    delayed = []
    for (const send of due) send()
  }
  return (enterprise, type, payload) => {
    const { pubsubTopic, enabledNotificationTypes = [] } = enterprise.resource
    if (pubsubTopic === undefined) return
    if (type !== 'test' && !enabledNotificationTypes.includes(type)) return
    const data =
      payload === undefined ? '' : Buffer.from(JSON.stringify(payload)).toString('base64')
    if (faults.affects('lost_rate')) return
    const copies = faults.affects('duplicate_rate') ? 2 : 1
    const send = () => {
      broker.publish(pubsubTopic, data, { notificationType: type }, copies)
    }
    if (faults.affects('reorder_rate')) {
      delayed.push(send)
      timers.later(MAX_DELAY_MS, release)
      return
    }
    send()
    if (delayed.length > 0) release()
  }
}
