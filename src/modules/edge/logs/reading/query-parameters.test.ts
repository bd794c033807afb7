import { describe, expect, it } from 'vitest'
import { parseSpan, parseWindow } from './query-parameters.ts'

const NOW = new Date('2026-03-15T10:20:30.400Z')
const at = (text: string) => Date.parse(text)
const YESTERDAY = {
  from_ms: at('2026-03-14T00:00:00.000Z'),
  until_ms: at('2026-03-14T23:59:59.999Z'),
}

describe('a time in the query', () => {
  it('replaces the default window, and narrows dates', () => {
    expect(parseWindow({ q: 'card time:yesterday' }, NOW, 30)).toEqual(YESTERDAY)
    expect(parseSpan({ q: 'time:yesterday -card' }, NOW, 1000)).toEqual(YESTERDAY)
    const dates = { start_date: '2026-03-14T20:00:00Z', end_date: '2026-03-15' }
    const both = { from_ms: at('2026-03-14T20:00:00Z'), until_ms: YESTERDAY.until_ms }
    expect(parseWindow({ ...dates, q: 'time:yesterday' }, NOW, 30)).toEqual(both)
    expect(parseSpan({ ...dates, q: 'time:yesterday' }, NOW, 1000)).toEqual(both)
  })

  it('gives a span the end that it does not have itself', () => {
    expect(parseSpan({ q: 'time:15m' }, NOW, 1000)).toEqual({
      from_ms: NOW.getTime() - 900_000,
      until_ms: NOW.getTime(),
    })
    expect(parseSpan({ q: 'time:<2026-03-01' }, NOW, 1000)).toEqual({
      from_ms: at('2026-03-01') - 1001,
      until_ms: at('2026-03-01') - 1,
    })
  })

  it('is a span of no length if it has nothing in common with the dates', () => {
    const dates = { start_date: '2026-03-01', end_date: '2026-03-02' }
    const { from_ms, until_ms } = parseSpan({ ...dates, q: 'time:yesterday' }, NOW, 1000)
    expect(from_ms).toBe(until_ms)
  })

  it.each(['card', 'time:yesterday OR card', '-time:yesterday', 'a OR (b time:today)'])(
    'does not limit all of %j',
    (q) => {
      expect(parseWindow({ q }, NOW, 30)).toEqual({ received_since: '2026-02-13' })
      expect(parseSpan({ q }, NOW, 1000).until_ms).toBe(NOW.getTime())
    },
  )
})
