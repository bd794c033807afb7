/**
 * The limit of the webhooks benchmark, in a process of its own: requests that are ready in memory,
 * sent with undici over kept connections, each connection the next one once it is answered.
 */
import { Client } from 'undici'
import { type LoadResult, type LoopJob, runClosedLoop } from './loop.ts'
import { serveJobs } from './worker.ts'

export type ReadyRequest = { headers: Record<string, string>; body: string }

export type SenderJob = LoopJob & {
  ca: string
  targets: { origin: string; path: string; requests: ReadyRequest[] }[]
  connections_each: number
}

export async function serveWebhookSender(): Promise<void> {
  await serveJobs<SenderJob, LoadResult>(async (job) => {
    const clients: Client[] = []
    const askers = job.targets.flatMap(({ origin, path, requests }) => {
      let next = 0
      return Array.from({ length: job.connections_each }, () => {
        const client = new Client(origin, { connect: { ca: job.ca }, pipelining: 1 })
        clients.push(client)
        return () => {
          next += 1
          const { headers, body } = requests[next % requests.length] ?? NOTHING
          return post(client, { path, headers, body })
        }
      })
    })
    try {
      return await runClosedLoop(job, askers)
    } finally {
      await Promise.all(clients.map((client) => client.destroy()))
    }
  })
}

const NOTHING: ReadyRequest = { headers: {}, body: '' }

/** @throws Error for anything but a 200 */
async function post(client: Client, request: ReadyRequest & { path: string }): Promise<void> {
  const { statusCode, body } = await client.request({ method: 'POST', ...request })
  await body.dump()
  if (statusCode !== 200) throw new Error(`the sink answered ${statusCode}`)
}
