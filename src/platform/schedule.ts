/**
 * Recurring jobs: billing, retention, flushes. A job never overlaps with itself in this process;
 * across processes, jobs guard themselves in SQL.
 */
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { createRepeatedErrors } from './repeated-errors.ts'

export type Job = {
  name: string
  interval_seconds: number
  /** @param signal aborts when the schedule stops, so that long work can end early */
  run: (now: Date, signal: AbortSignal) => Promise<unknown>
}

export type Schedule = {
  /** The first run starts after one interval. An error is logged, and the next run tries again. */
  every(job: Job): void
  /** Starts no further run; resolves when the current runs have ended. */
  stop(): Promise<void>
}

export type ScheduleOptions = {
  log: Log
  clock: Clock
  metrics?: Pick<Metrics, 'announceJob' | 'countJob'>
}

/** Largest random deviation from the interval, so that nodes do not run in step. */
const JITTER = 0.1

/** The interval is the time between the end of one run and the start of the next. */
export function createSchedule(options: ScheduleOptions): Schedule {
  const { clock, metrics } = options
  const errors = createRepeatedErrors(options.log)
  const timers = new Map<Job, NodeJS.Timeout>()
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()

  const plan = (job: Job) => {
    if (stopping.signal.aborted) return
    const spread = 1 + JITTER * (2 * Math.random() - 1)
    const timer = setTimeout(() => start(job), job.interval_seconds * 1000 * spread)
    timer.unref()
    timers.set(job, timer)
  }

  const start = (job: Job) => {
    const run = runLogged(job).finally(() => {
      running.delete(run)
      plan(job)
    })
    running.add(run)
  }

  const runLogged = async (job: Job): Promise<void> => {
    const begun = performance.now()
    const count = (outcome: 'succeeded' | 'failed') => {
      const seconds = (performance.now() - begun) / 1000
      metrics?.countJob(job.name, { outcome, seconds, at: clock.now() })
    }
    try {
      await job.run(clock.now(), stopping.signal)
      count('succeeded')
    } catch (error) {
      count('failed')
      errors.log(error, { job: job.name }, 'scheduled job failed; it will run again')
    }
  }

  return {
    every: (job) => {
      metrics?.announceJob(job.name)
      plan(job)
    },
    stop: async () => {
      stopping.abort()
      for (const timer of timers.values()) clearTimeout(timer)
      await Promise.all(running)
    },
  }
}
