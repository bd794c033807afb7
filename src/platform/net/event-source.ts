/** Reads a response of server-sent events (WHATWG HTML, "Server-sent events"), which can last for hours. */
import { request } from 'undici'
import { readUpTo } from '../read-up-to.ts'

export type EventSource = {
  url: string
  headers: Record<string, string>
  /** Ends the response. */
  signal: AbortSignal
  /** A server that sends nothing for this long is gone. */
  silence_ms: number
}

export type ServerSentEvent = { event: string; data: string }

/** The server has refused the request. */
export class EventSourceRefused extends Error {
  readonly status: number
  /** Text of the response, up to 64 KiB. */
  readonly body: string

  constructor(status: number, body: string) {
    super(`answered ${status}`)
    this.status = status
    this.body = body
  }
}

const REFUSAL_MAX_BYTES = 65_536

/** Comments are left out. @throws EventSourceRefused, or the error of the connection */
export async function* readEvents(source: EventSource): AsyncGenerator<ServerSentEvent> {
  const { url, headers, signal, silence_ms } = source
  const answer = await request(url, {
    headers: { accept: 'text/event-stream', ...headers },
    headersTimeout: silence_ms,
    bodyTimeout: silence_ms,
    signal,
  })
  if (answer.statusCode !== 200) {
    const body = await readUpTo(answer.body, REFUSAL_MAX_BYTES)
    throw new EventSourceRefused(answer.statusCode, body?.toString('utf8') ?? '')
  }
  let event = ''
  for await (const line of linesOf(answer.body)) {
    if (line.startsWith('event: ')) event = line.slice('event: '.length)
    if (line.startsWith('data: ')) yield { event, data: line.slice('data: '.length) }
    if (line === '') event = ''
  }
}

async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
