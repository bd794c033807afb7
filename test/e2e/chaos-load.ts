/** Clients that repeat a check until it is acknowledged, as those of a backend do during an outage. */
import { type Load, type SentCheck, sendCheck, startClients, type Target } from './load.ts'

const CLIENTS = 4

/** @param name distinguishes this load from the others of the test */
export function startPatientLoad(target: Target, name: string): Load {
  const acknowledged = new Map<string, string>()
  const pending = new Map<number, SentCheck>()
  const { stop } = startClients(CLIENTS, async (client, number) => {
    const event_id = `${name}-${client}-${number}`
    const check = pending.get(client) ?? { event_id, email: `${event_id}@mailinator.com` }
    pending.set(client, check)
    const id = await sendCheck(target, check)
    if (id === undefined) return false
    acknowledged.set(check.event_id, id)
    pending.delete(client)
    return true
  })
  return {
    acknowledged,
    get open() {
      return [...pending.values()]
    },
    stop,
  }
}
