/**
 * One device that sends an entry now and then and looks whether it can be read, in a process of its
 * own. Counted is from sending until an answer that shows the entry has come.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { serveJobs } from './worker.ts'

export type ProbeJob = {
  port: number
  key: string
  token: string
  org_id: string
  seconds: number
}

export type ProbeResult = { delays_ms: number[] }

type Probe = { sent_at: number; seen_at?: number }

const SEND_EVERY_MS = 50
const LOOK_EVERY_MS = 20
/** Beyond, the last ones are taken for lost. */
const PATIENCE_MS = 60_000
const PAGE = 1000

export async function serveLogsProber(): Promise<void> {
  await serveJobs<ProbeJob, ProbeResult>(probe)
}

async function probe(job: ProbeJob): Promise<ProbeResult> {
  const device_id = `probe-${Date.now()}`
  const probes = new Map<string, Probe>()
  const endAt = performance.now() + job.seconds * 1000
  const isUnseen = () => [...probes.values()].some(({ seen_at }) => seen_at === undefined)
  const send = async () => {
    for (let number = 0; performance.now() < endAt; number += 1) {
      const message = `probe ${number}`
      probes.set(message, { sent_at: performance.now() })
      await ask(job, '/edge/logs', { logs: [{ device_id, level: 'info', message }] })
      await sleep(SEND_EVERY_MS)
    }
  }
  const look = async () => {
    const query = new URLSearchParams({ org_id: job.org_id, device_id, limit: String(PAGE) })
    while (performance.now() < endAt || isUnseen()) {
      if (performance.now() > endAt + PATIENCE_MS) throw new Error('an entry cannot be read')
      const { logs } = await ask<{ logs: { message: string }[] }>(
        job,
        `/edge/logs?${query.toString()}`,
      )
      const now = performance.now()
      for (const { message } of logs) {
        const found = probes.get(message)
        if (found) found.seen_at ??= now
      }
      await sleep(LOOK_EVERY_MS)
    }
  }
  await Promise.all([send(), look()])
  const delays_ms = [...probes.values()].map(
    ({ sent_at, seen_at = Number.NaN }) => seen_at - sent_at,
  )
  return { delays_ms }
}

async function ask<Content>(job: ProbeJob, path: string, body?: object): Promise<Content> {
  const answer = await fetch(`http://127.0.0.1:${job.port}/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: body
      ? { 'x-api-key': job.key, 'content-type': 'application/json' }
      : { authorization: `Bearer ${job.token}` },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`wrong answer: ${answer.status} ${text.slice(0, 300)}`)
  return (JSON.parse(text) as { content: Content }).content
}
