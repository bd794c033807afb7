/** Callers that do one thing at a time, in a closed or an open loop, and the latency that they see. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Run } from './rounds.ts'
import { type Latency, latencyOf } from './statistics.ts'

export type LoadJob = {
  /** Work before this is done but not counted. */
  warm_seconds: number
  seconds: number
  /** Ends the run early, after this number of calls. */
  count?: number
  /**
   * Mean rate of an open loop: calls are due at the random moments of a Poisson process, as those of
   * independent users are, and latency counts from these moments. Without a rate the loop is closed:
   * every caller calls again when it has its answer.
   */
  per_second?: number
}

export type LoadResult = Run & Latency

type Call = () => Promise<unknown>

/** @param callers one for each concurrent client */
export async function runLoad(job: LoadJob, callers: Call[]): Promise<LoadResult> {
  const { warm_seconds, seconds, count = Infinity, per_second } = job
  const latencies: number[] = []
  let begun = 0
  let units = 0
  const countFrom = performance.now() + warm_seconds * 1000
  const endAt = countFrom + seconds * 1000
  const mayBegin = () => begun < count && performance.now() < endAt
  const callOnce = async (call: Call, dueAt: number) => {
    begun += 1
    await call()
    units += 1
    const now = performance.now()
    if (now >= countFrom && now < endAt) latencies.push(now - dueAt)
  }
  const loop = { mayBegin, callOnce }
  await (per_second === undefined
    ? Promise.all(callers.map((call) => callAgain(loop, call)))
    : callOnTime(loop, callers, per_second))
  const counted = (Math.min(performance.now(), endAt) - countFrom) / 1000
  return { ...latencyOf(latencies), units, per_second: latencies.length / counted }
}

type Loop = {
  mayBegin: () => boolean
  callOnce: (call: Call, dueAt: number) => Promise<void>
}

async function callAgain({ mayBegin, callOnce }: Loop, call: Call): Promise<void> {
  while (mayBegin()) await callOnce(call, performance.now())
}

/** A call that is due waits for a free caller, and its latency includes this wait. */
async function callOnTime(
  { mayBegin, callOnce }: Loop,
  callers: Call[],
  perSecond: number,
): Promise<void> {
  const free = [...callers]
  const due: number[] = []
  const failures: unknown[] = []
  const dispatch = () => {
    for (let call = free.pop(); call; call = free.pop()) {
      const dueAt = due.shift()
      if (dueAt === undefined) return void free.push(call)
      const used = call
      void callOnce(used, dueAt)
        .catch((error: unknown) => failures.push(error))
        .finally(() => {
          free.push(used)
          dispatch()
        })
    }
  }
  let next = performance.now()
  while (mayBegin() && failures.length === 0) {
    for (const now = performance.now(); next <= now; ) {
      due.push(next)
      next += (-Math.log(1 - Math.random()) * 1000) / perSecond
    }
    dispatch()
    await sleep(1)
  }
  while (free.length < callers.length && failures.length === 0) await sleep(1)
  if (failures.length > 0) throw failures[0]
}
