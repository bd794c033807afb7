import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from './clock.ts'
import type { Log } from './log.ts'
import { createSchedule } from './schedule.ts'

const INTERVAL_MS = 60_000

describe('schedule', () => {
  const errors: unknown[] = []
  const log = { error: (fields: unknown) => errors.push(fields) } as unknown as Log
  beforeEach(() => {
    errors.length = 0
    vi.useFakeTimers()
  })
  afterEach(() => vi.useRealTimers())

  it('runs after about one interval, then repeatedly', async () => {
    const runs: Date[] = []
    const schedule = createSchedule({ log, clock: systemClock })
    const record = (now: Date) => {
      runs.push(now)
      return Promise.resolve()
    }
    schedule.every({ name: 'job', interval_seconds: 60, run: record })
    await vi.advanceTimersByTimeAsync(INTERVAL_MS * 0.89)
    expect(runs).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(INTERVAL_MS * 0.22)
    expect(runs).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(INTERVAL_MS * 10)
    expect(runs.length).toBeGreaterThanOrEqual(9)
    expect(runs[1]?.getTime()).toBeGreaterThan(runs[0]?.getTime() ?? Number.POSITIVE_INFINITY)
    await schedule.stop()
  })

  it('never overlaps a job with itself, while other jobs run', async () => {
    const finish: (() => void)[] = []
    let others = 0
    const schedule = createSchedule({ log, clock: systemClock })
    schedule.every({
      name: 'slow',
      interval_seconds: 60,
      run: () => new Promise<void>((resolve) => finish.push(resolve)),
    })
    schedule.every({
      name: 'quick',
      interval_seconds: 60,
      run: () => {
        others += 1
        return Promise.resolve()
      },
    })
    await vi.advanceTimersByTimeAsync(INTERVAL_MS * 10)
    expect(finish).toHaveLength(1)
    expect(others).toBeGreaterThanOrEqual(8)
    finish[0]?.()
    await vi.advanceTimersByTimeAsync(INTERVAL_MS * 1.11)
    expect(finish).toHaveLength(2)
    finish[1]?.()
    await schedule.stop()
  })

  it('logs an error, rejected or thrown, and runs the job again', async () => {
    let runs = 0
    const schedule = createSchedule({ log, clock: systemClock })
    const failThenThrow = () => {
      runs += 1
      if (runs === 2) throw new Error('thrown')
      return runs === 1 ? Promise.reject(new Error('rejected')) : Promise.resolve()
    }
    schedule.every({ name: 'job', interval_seconds: 60, run: failThenThrow })
    await vi.advanceTimersByTimeAsync(INTERVAL_MS * 4)
    expect(runs).toBeGreaterThanOrEqual(3)
    expect(errors).toEqual([
      { job: 'job', err: new Error('rejected') },
      { job: 'job', err: new Error('thrown') },
    ])
    await schedule.stop()
  })

  it('logs a job that fails repeatedly once a minute', async () => {
    const schedule = createSchedule({ log, clock: systemClock })
    const run = () => Promise.reject(new Error('the database is down'))
    schedule.every({ name: 'job', interval_seconds: 1, run })
    await vi.advanceTimersByTimeAsync(50_000)
    expect(errors).toEqual([{ job: 'job', err: new Error('the database is down') }])
    await schedule.stop()
  })

  it('stops only after the running job has ended, and starts no other', async () => {
    const finish: (() => void)[] = []
    let runs = 0
    let stopped = false
    const schedule = createSchedule({ log, clock: systemClock })
    const job = {
      name: 'job',
      interval_seconds: 60,
      run: () => {
        runs += 1
        return new Promise<void>((resolve) => finish.push(resolve))
      },
    }
    schedule.every(job)
    await vi.advanceTimersByTimeAsync(INTERVAL_MS * 2)
    const stopping = schedule.stop().then(() => {
      stopped = true
    })
    await vi.advanceTimersByTimeAsync(INTERVAL_MS)
    expect(stopped).toBe(false)
    finish[0]?.()
    await stopping
    schedule.every({ ...job, name: 'late' })
    await vi.advanceTimersByTimeAsync(INTERVAL_MS * 5)
    expect(runs).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not keep the process alive', () => {
    vi.useRealTimers()
    const timers: NodeJS.Timeout[] = []
    const original = setTimeout
    vi.stubGlobal('setTimeout', (run: () => void, delay: number) => {
      const timer = original(run, delay)
      timers.push(timer)
      return timer
    })
    const schedule = createSchedule({ log, clock: systemClock })
    schedule.every({ name: 'job', interval_seconds: 60, run: () => Promise.resolve() })
    vi.unstubAllGlobals()
    expect(timers.map((timer) => timer.hasRef())).toEqual([false])
    return schedule.stop()
  })
})
