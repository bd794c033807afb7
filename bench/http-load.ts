/**
 * The load generator, a process of its own: keep-alive clients that post checks, each of another
 * e-mail address, and hold every answer against what was asked.
 */
import { type HttpAnswer, type HttpConnection, openConnection } from './http-connection.ts'
import { type Latency, summarise } from './statistics.ts'
import { serveJobs } from './worker.ts'
import { emailAddress } from './world.ts'

export type LoadJob = {
  port: number
  key: string
  clients: number
  /** Requests before this are made but not counted. */
  warm_seconds: number
  /** Ends after so long, or after `requests`, whichever comes first. */
  seconds: number
  requests?: number
  /**
   * Requests are due at random moments of this mean rate, whether or not earlier ones are answered,
   * and latency counts from when they were due. Without it each client asks again once answered.
   */
  per_second?: number
  /** Whether each answer must name the address that was asked about. */
  must_echo: boolean
  /** Tells how many were answered, every so many. */
  progress_every?: number
}

export type LoadResult = Latency & {
  requests: number
  per_second: number
  /** Those before the counted time included. */
  answered: number
  /** Processor time that the load generator itself took. */
  cpu_seconds: number
}

type Run = {
  job: LoadJob
  nextRequest: () => { text: string; email: string }
  onDone: (askedAt: number) => void
  fail: (reason: string) => void
  mayAsk: () => boolean
}

export async function serveHttpLoad(): Promise<void> {
  let addresses = 0
  await serveJobs<LoadJob, LoadResult, number>(
    async (job, onProgress) => await load(job, () => (addresses += 1), onProgress),
  )
}

async function load(
  job: LoadJob,
  nextNumber: () => number,
  onProgress: (answered: number) => void,
): Promise<LoadResult> {
  const latencies: number[] = []
  let failure: string | undefined
  let asked = 0
  let answered = 0
  const countFrom = performance.now() + job.warm_seconds * 1000
  const endAt = countFrom + job.seconds * 1000
  const run: Run = {
    job,
    nextRequest: () => {
      asked += 1
      const email = emailAddress(nextNumber())
      return { text: requestText(job, email), email }
    },
    onDone: (askedAt) => {
      const now = performance.now()
      if (now >= countFrom && now < endAt) latencies.push(now - askedAt)
      answered += 1
      if (job.progress_every !== undefined && answered % job.progress_every === 0) {
        onProgress(answered)
      }
    },
    fail: (reason) => {
      failure ??= reason
    },
    mayAsk: () =>
      failure === undefined && performance.now() < endAt && asked < (job.requests ?? Infinity),
  }
  const connections = await Promise.all(
    Array.from({ length: job.clients }, () => openConnection(job.port, run.fail)),
  )
  const cpu = process.cpuUsage()
  try {
    await (job.per_second === undefined
      ? Promise.all(connections.map((connection) => askInTurn(run, connection)))
      : askOnTime(run, connections, job.per_second))
  } finally {
    for (const connection of connections) connection.close()
  }
  if (failure !== undefined) throw new Error(failure)
  const { user, system } = process.cpuUsage(cpu)
  const seconds = (Math.min(performance.now(), endAt) - countFrom) / 1000
  return {
    ...summarise(latencies),
    requests: latencies.length,
    per_second: latencies.length / seconds,
    answered,
    cpu_seconds: (user + system) / 1e6,
  }
}

/** A closed loop: the next request follows the answer. */
async function askInTurn(run: Run, connection: HttpConnection): Promise<void> {
  while (run.mayAsk()) await askOnce(run, connection, performance.now())
}

/**
 * An open loop: what is due waits for a free connection, and that wait counts. Gaps are those of a
 * Poisson process, so requests bunch up as those of strangers do.
 */
async function askOnTime(
  run: Run,
  connections: HttpConnection[],
  perSecond: number,
): Promise<void> {
  const free = [...connections]
  const due: number[] = []
  const underWay = new Set<Promise<void>>()
  const dispatch = () => {
    while (due.length > 0) {
      const connection = free.pop()
      if (!connection) return
      const asking = askOnce(run, connection, due.shift() ?? 0).finally(() => {
        underWay.delete(asking)
        free.push(connection)
        dispatch()
      })
      underWay.add(asking)
    }
  }
  let next = performance.now()
  while (run.mayAsk()) {
    for (const now = performance.now(); next <= now; ) {
      due.push(next)
      next += (-Math.log(1 - Math.random()) * 1000) / perSecond
    }
    dispatch()
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await Promise.all(underWay)
}

function askOnce(run: Run, connection: HttpConnection, dueAt: number): Promise<void> {
  const { text, email } = run.nextRequest()
  return new Promise((resolve) => {
    connection.ask(text, (answer) => {
      const fault = faultOf(answer, run.job.must_echo ? email : undefined)
      if (fault === undefined) run.onDone(dueAt)
      else run.fail(fault)
      resolve()
    })
  })
}

function faultOf({ status, body }: HttpAnswer, email: string | undefined): string | undefined {
  const isRight =
    status === 200 &&
    body.startsWith('{"success":true,') &&
    (email === undefined || body.includes(`"email":"${email}"`))
  return isRight ? undefined : `wrong answer: ${status} ${body.slice(0, 300)}`
}

function requestText({ port, key }: LoadJob, email: string): string {
  const body = `{"email":"${email}","event_type":"signup"}`
  return `POST /v1/check HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}
