/**
 * The limit of the webhooks benchmark, in a separate process: signed requests, prepared in memory, sent with
 * undici over connections that are open before the run.
 */
import { Client } from 'undici'
import { type LoadJob, runLoad } from './loads.ts'
import type { Run } from './rounds.ts'
import { serveJobs } from './worker.ts'

type SignedRequest = { headers: Record<string, string>; body: string }

export type WebhookSenderJob =
  | { step: 'connect'; ca: string; targets: WebhookTarget[]; connections_each: number }
  | ({ step: 'send' } & LoadJob)

export type WebhookTarget = { origin: string; path: string; requests: SignedRequest[] }
type Connection = { client: Client; send: () => Promise<void> }

/** Longer than the other subject takes between two runs. */
const KEEP_ALIVE_MS = 600_000

export async function serveWebhookSender(): Promise<void> {
  let connections: Connection[] = []
  await serveJobs<WebhookSenderJob, Run>(async (job) => {
    const send = (): (() => Promise<void>)[] => connections.map((connection) => connection.send)
    if (job.step === 'send') return await runLoad(job, send())
    await Promise.all(connections.map(({ client }) => client.destroy()))
    const { ca, targets, connections_each } = job
    connections = targets.flatMap((target) =>
      Array.from({ length: connections_each }, (_, index) => openConnection(ca, target, index)),
    )
    await Promise.all(send().map((one) => one()))
    return { units: connections.length, per_second: 0 }
  })
}

/** @param from number of the first request that is sent */
function openConnection(
  ca: string,
  { origin, path, requests }: WebhookTarget,
  from: number,
): Connection {
  const client = new Client(origin, { connect: { ca }, keepAliveTimeout: KEEP_ALIVE_MS })
  let next = from
  const send = async () => {
    const request = requests[next % requests.length]
    next += 1
    const { statusCode, body } = await client.request({ method: 'POST', path, ...request })
    await body.dump()
    if (statusCode !== 200) throw new Error(`the receiver returned ${statusCode}`)
  }
  return { client, send }
}
