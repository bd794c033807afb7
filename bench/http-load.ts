/**
 * The load generator, a process of its own: keep-alive clients that post requests, each another one,
 * and hold every answer against what was asked.
 */
import { type HttpAnswer, type HttpConnection, openConnection } from './http-connection.ts'
import { cpuSecondsSince, type LoadResult } from './loop.ts'
import { type Asked, createRequests, type RequestKind } from './requests.ts'
import { summarise } from './statistics.ts'
import { serveJobs } from './worker.ts'

export type HttpLoadJob = {
  port: number
  key: string
  kind: RequestKind
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
  /** Whether each answer must name what was asked about. */
  must_echo: boolean
  /** Tells how many were answered, every so many. */
  progress_every?: number
}

export type HttpLoadResult = LoadResult & {
  /** Answers that said what the request wanted noticed. */
  noticed: number
}

type Run = {
  job: HttpLoadJob
  nextRequest: () => Asked
  onDone: (askedAt: number, isNoticed: boolean) => void
  fail: (reason: string) => void
  mayAsk: () => boolean
}

export async function serveHttpLoad(): Promise<void> {
  const makers = new Map<RequestKind, (number: number) => Asked>()
  let requests = 0
  await serveJobs<HttpLoadJob, HttpLoadResult, number>(async (job, onProgress) => {
    const make = makers.get(job.kind) ?? createRequests(job.kind, new Date())
    makers.set(job.kind, make)
    return await load(job, () => make((requests += 1)), onProgress)
  })
}

async function load(
  job: HttpLoadJob,
  nextRequest: () => Asked,
  onProgress: (answered: number) => void,
): Promise<HttpLoadResult> {
  const latencies: number[] = []
  let failure: string | undefined
  let asked = 0
  let answered = 0
  let noticed = 0
  const countFrom = performance.now() + job.warm_seconds * 1000
  const endAt = countFrom + job.seconds * 1000
  const run: Run = {
    job,
    nextRequest: () => {
      asked += 1
      return nextRequest()
    },
    onDone: (askedAt, isNoticed) => {
      const now = performance.now()
      if (now >= countFrom && now < endAt) latencies.push(now - askedAt)
      answered += 1
      if (isNoticed) noticed += 1
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
  const seconds = (Math.min(performance.now(), endAt) - countFrom) / 1000
  return {
    ...summarise(latencies),
    requests: latencies.length,
    per_second: latencies.length / seconds,
    answered,
    noticed,
    cpu_seconds: cpuSecondsSince(cpu),
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
  const asked = run.nextRequest()
  return new Promise((resolve) => {
    connection.ask(requestText(run.job, asked), (answer) => {
      const fault = faultOf(answer, run.job.must_echo ? asked.echo : '')
      if (fault === undefined) run.onDone(dueAt, isNoticed(asked, answer))
      else run.fail(fault)
      resolve()
    })
  })
}

function faultOf({ status, body }: HttpAnswer, echo: string): string | undefined {
  const isRight = status === 200 && body.startsWith('{"success":true,') && body.includes(echo)
  return isRight ? undefined : `wrong answer: ${status} ${body.slice(0, 300)}`
}

const isNoticed = ({ noticed }: Asked, { body }: HttpAnswer): boolean =>
  noticed !== undefined && body.includes(noticed)

function requestText({ port, key }: HttpLoadJob, { path, body, headers = '' }: Asked): string {
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`
}
