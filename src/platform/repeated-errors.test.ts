import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLog } from './log.ts'
import { createRepeatedErrors } from './repeated-errors.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function collect() {
  const lines: Record<string, unknown>[] = []
  const log = createLog('info', {
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  })
  return { lines, errors: createRepeatedErrors(log) }
}

const fail = (message: string) => new Error(message)

it('logs an error once, and how often it was repeated within a minute', () => {
  const { lines, errors } = collect()
  for (let n = 0; n < 5; n += 1) errors.log(fail('gone'), { url: '/a' }, 'request failed')
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({ msg: 'request failed', url: '/a', err: { message: 'gone' } })
  vi.advanceTimersByTime(60_000)
  expect(lines).toHaveLength(2)
  expect(lines[1]).toMatchObject({ url: '/a', times: 4, error: 'Error: gone' })
  errors.log(fail('gone'), { url: '/a' }, 'request failed')
  expect(lines).toHaveLength(3)
})

it('logs different errors and places each', () => {
  const { lines, errors } = collect()
  errors.log(fail('gone'), { url: '/a' }, 'request failed')
  errors.log(fail('full'), { url: '/a' }, 'request failed')
  errors.log(fail('gone'), { url: '/b' }, 'request failed')
  vi.advanceTimersByTime(60_000)
  expect(lines).toHaveLength(3)
})

it('remembers a limited number of errors', () => {
  const { lines, errors } = collect()
  for (let n = 0; n < 300; n += 1) errors.log(fail(String(n)), {}, 'request failed')
  for (let n = 0; n < 300; n += 1) errors.log(fail(String(n)), {}, 'request failed')
  expect(lines).toHaveLength(300 + 100)
})
