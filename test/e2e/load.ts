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
export async function ask(target: Target, asked: Asked): Promise<string | undefined> {
  const content = await request<{ check_id: string }>(target, 'POST', '/check', asked)
  return content?.check_id
}

/** @returns the content of the envelope, undefined for anything but a 200 */
export async function request<Content>(
  { url, key }: Target,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<Content | undefined> {
  try {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        'x-api-key': key,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { content } = (await answer.json()) as { content: Content }
    return answer.status === 200 ? content : undefined
  } catch {
    return undefined
  }
}

/** @param name distinguishes this load from all others of the test */
export function startLoad(target: Target, name: string): Load {
  const acknowledged = new Map<string, string>()
  const open: Asked[] = []
  const clients = startClients(CLIENTS, async (client, number) => {
    const event_id = `${name}-${client}-${number}`
    const asked = { event_id, email: `${event_id}@mailinator.com` }
    const checkId = await ask(target, asked)
    if (checkId === undefined) open.push(asked)
    else acknowledged.set(event_id, checkId)
    return checkId !== undefined
  })
  return { acknowledged, open, stop: clients.stop }
}

/** @param work one request or a few; false when they were not all answered with 200 */
export function startClients(
  count: number,
  work: (client: number, number: number) => Promise<boolean>,
): { stop(): Promise<void> } {
  const stopped = new AbortController()
  const run = async (client: number): Promise<void> => {
    for (let number = 0; !stopped.signal.aborted; number += 1) {
      if (!(await work(client, number))) await pause(BACKOFF_MS)
    }
  }
  const clients = Array.from({ length: count }, (_, client) => run(client))
  return {
    stop: async () => {
      stopped.abort()
      await Promise.all(clients)
    },
  }
}
