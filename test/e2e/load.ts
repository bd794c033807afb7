/** Clients that ask for checks until they are told to stop, and remember what they were answered. */
import { pause } from './program.ts'

export type Asked = { event_id: string; email: string }

export type Load = {
  /** What was answered with 200: event id → check id. */
  acknowledged: Map<string, string>
  /** What was asked and not answered with 200: refused, broken off, or never sent. */
  open: Asked[]
  /** No further requests; resolves when those under way have ended. */
  stop(): Promise<void>
}

export type Target = { url: string; key: string }

const CLIENTS = 8
const TIMEOUT_MS = 15_000
/** A client that was refused does not ask again at once. */
const BACKOFF_MS = 20

/** @returns the id of the check, undefined for anything but a 200 */
export async function ask({ url, key }: Target, asked: Asked): Promise<string | undefined> {
  try {
    const answer = await fetch(`${url}/check`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(asked),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const body = (await answer.json()) as { content: { check_id: string } }
    return answer.status === 200 ? body.content.check_id : undefined
  } catch {
    return undefined
  }
}

/** @param name distinguishes this load from all others of the test */
export function startLoad(target: Target, name: string): Load {
  const acknowledged = new Map<string, string>()
  const open: Asked[] = []
  const stopped = new AbortController()
  const work = async (client: number): Promise<void> => {
    for (let number = 0; !stopped.signal.aborted; number += 1) {
      const event_id = `${name}-${client}-${number}`
      const asked = { event_id, email: `${event_id}@mailinator.com` }
      const checkId = await ask(target, asked)
      if (checkId !== undefined) acknowledged.set(event_id, checkId)
      else {
        open.push(asked)
        await pause(BACKOFF_MS)
      }
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_, client) => work(client))
  return {
    acknowledged,
    open,
    stop: async () => {
      stopped.abort()
      await Promise.all(clients)
    },
  }
}
