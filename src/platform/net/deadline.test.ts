import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { known, unknown } from '../lookup.ts'
import { withDeadline } from './deadline.ts'

const never = () => new Promise<never>(() => {})

const failing = () => Promise.reject(new Error('cannot digest'))

const late = async () => {
  await sleep(30)
  throw new Error('late')
}

describe('withDeadline', () => {
  test('returns the value when the work is in time', async () => {
    const answer = await withDeadline({ timeoutMs: 5_000 }, () => Promise.resolve(known(7)))
    expect(answer).toEqual(known(7))
  })

  test('answers timeout even when the work ignores its signal', async () => {
    expect(await withDeadline({ timeoutMs: 10 }, never)).toEqual(unknown('timeout'))
  })

  test('aborts the signal of the work when the time is up', async () => {
    let aborted = false
    await withDeadline({ timeoutMs: 10 }, (signal) => {
      signal.addEventListener('abort', () => {
        aborted = true
      })
      return never()
    })
    expect(aborted).toBe(true)
  })

  test("answers timeout as soon as the caller's signal aborts", async () => {
    const caller = new AbortController()
    const answer = withDeadline({ timeoutMs: 600_000, signal: caller.signal }, never)
    caller.abort()
    expect(await answer).toEqual(unknown('timeout'))
  })

  test('does not start the work for a caller that has already given up', async () => {
    let started = false
    const work = () => {
      started = true
      return Promise.resolve(known(1))
    }
    const answer = await withDeadline({ timeoutMs: 50, signal: AbortSignal.abort() }, work)
    expect(answer).toEqual(unknown('timeout'))
    expect(started).toBe(false)
  })

  test('turns an exception of the work into bad_answer', async () => {
    expect(await withDeadline({ timeoutMs: 5_000 }, failing)).toEqual(unknown('bad_answer'))
  })

  test('swallows a rejection after the deadline', async () => {
    expect(await withDeadline({ timeoutMs: 5 }, late)).toEqual(unknown('timeout'))
    await sleep(50)
  })
})
