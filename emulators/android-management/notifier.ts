/** Notifications of an enterprise on their way to its topic, with the trouble that faults make. */
import type { Timers } from '../timers.ts'
import type { Core } from './core.ts'
import type { FaultSource } from './faults.ts'
import type { Broker } from './pubsub.ts'

/** How long one that is to be late waits for another to come before it. */
const HELD_MS = 250

export function createNotifier(options: {
  broker: Broker
  faults: FaultSource
  timers: Timers
}): Core['notify'] {
  const { broker, faults, timers } = options
  let held: (() => void)[] = []
  const letGo = () => {
    const late = held
    held = []
    for (const send of late) send()
  }
  return (enterprise, type, payload) => {
    const { pubsubTopic, enabledNotificationTypes = [] } = enterprise.resource
    if (pubsubTopic === undefined) return
    if (type !== 'test' && !enabledNotificationTypes.includes(type)) return
    const data =
      payload === undefined ? '' : Buffer.from(JSON.stringify(payload)).toString('base64')
    if (faults.strikes('lost_rate')) return
    const copies = faults.strikes('duplicate_rate') ? 2 : 1
    const send = () => {
      broker.publish(pubsubTopic, data, { notificationType: type }, copies)
    }
    if (faults.strikes('reorder_rate')) {
      held.push(send)
      timers.later(HELD_MS, letGo)
      return
    }
    send()
    if (held.length > 0) letGo()
  }
}
