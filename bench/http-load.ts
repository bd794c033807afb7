/**
 * The load generator, in a process of its own: keep-alive clients that post requests, no two alike, and
 * compare every response with its request.
 */
import { type HttpConnection, type HttpResponse, openConnection } from './http-connection.ts'
import type { LoadRequest } from './load-request.ts'
import { type LoadJob, type LoadResult, runLoad } from './loads.ts'
import { createRequests, type RequestKind } from './requests.ts'
import { serveJobs } from './worker.ts'

export type HttpLoadJob = LoadJob & {
  port: number
  /** One API key for each organization. */
  keys: string[]
  kind: RequestKind
  clients: number
}

export type HttpLoadResult = LoadResult & {
  /** Number of responses with the text that the request counts. */
  marked: number
}

export async function serveHttpLoad(): Promise<void> {
  const makers = new Map<string, (number: number) => LoadRequest>()
  let requests = 0
  await serveJobs<HttpLoadJob, HttpLoadResult>(async (job) => {
    const { kind, keys } = job
    const maker = `${kind} of ${keys.length}`
    const make = makers.get(maker) ?? createRequests(kind, new Date(), keys.length)
    makers.set(maker, make)
    return await load(job, () => make((requests += 1)))
  })
}

async function load(job: HttpLoadJob, nextRequest: () => LoadRequest): Promise<HttpLoadResult> {
  const connections: (HttpConnection | undefined)[] = await Promise.all(
    Array.from({ length: job.clients }, () => openConnection(job.port)),
  )
  let marked = 0
  const callWith = (_: unknown, index: number) => async () => {
    const request = nextRequest()
    const connection = (connections[index] ??= await openConnection(job.port))
    const response = await connection.send(requestText(job, request))
    if (response.is_last) connections[index] = undefined
    check(response, request)
    if (request.mark !== undefined && response.body.includes(request.mark)) marked += 1
  }
  try {
    const result = await runLoad(job, connections.map(callWith))
    return { ...result, marked }
  } finally {
    for (const connection of connections) connection?.close()
  }
}

/** @throws Error unless the response is a success with the expected text, or an expected refusal */
function check({ status, body }: HttpResponse, { echo, may_be_refused }: LoadRequest): void {
  if (status === 429 && may_be_refused === true) return
  if (status === 200 && body.startsWith('{"success":true,') && body.includes(echo)) return
  throw new Error(`wrong response: ${status} ${body.slice(0, 300)}`)
}

const requestText = (
  { port, keys }: HttpLoadJob,
  { path, headers = '', body, organization }: LoadRequest,
) =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-API-Key: ${keys[organization]}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`
