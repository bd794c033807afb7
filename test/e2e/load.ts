/** Clients that send checks until they are stopped, and record the responses. */
import { pause } from './program.ts'

export type SentCheck = { event_id: string; email: string }

export type Load = {
  /** Check ids by event id of the checks that were answered with 200. */
  acknowledged: Map<string, string>
  /** Checks that were not answered with 200: refused, interrupted or never received. */
  open: SentCheck[]
  /** Stops sending; resolves when the requests in progress have ended. */
  stop(): Promise<void>
}

export type Target = { url: string; key: string }

const CLIENTS = 8
const TIMEOUT_MS = 15_000
/** Pause of a client after a failed request. */
const BACKOFF_MS = 20

/** @returns the id of the check, undefined unless the response is a 200 */
export async function sendCheck(target: Target, check: SentCheck): Promise<string | undefined> {
  return (await post<{ check_id: string }>(target, '/check', check))?.check_id
}

/** Sends a POST request to an API with a key. */
export const post = async <Content>({ url, key }: Target, path: string, body: object) =>
  await request<Content>(`${url}${path}`, { 'x-api-key': key }, body)

/** @returns the content of the envelope, undefined unless the response is a 200 */
export async function request<Content>(
  url: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Content | undefined> {
  try {
    const answer = await fetch(url, {
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { content } = (await answer.json()) as { content: Content }
    return answer.status === 200 ? content : undefined
  } catch {
    return undefined
  }
}

/** @param name distinguishes this load from the others of the test */
export function startLoad(target: Target, name: string): Load {
  const acknowledged = new Map<string, string>()
  const open: SentCheck[] = []
  const clients = startClients(CLIENTS, async (client, number) => {
    const event_id = `${name}-${client}-${number}`
    const check = { event_id, email: `${event_id}@mailinator.com` }
    const checkId = await sendCheck(target, check)
    if (checkId === undefined) open.push(check)
    else acknowledged.set(event_id, checkId)
    return checkId !== undefined
  })
  return { acknowledged, open, stop: clients.stop }
}

/** @param work sends one or a few requests and returns whether all were answered with 200 */
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
