import { describe, expect, it } from 'vitest'
import { boundsOf, dayOf } from '../../components/days.ts'
import { countDays } from './day-counts.ts'

const noon = (day: number) => new Date(2026, 2, day, 12)
const quarter = (time: Date, actions: number, flagged = 0, highest_score = 0) => ({
  at: time.toISOString(),
  actions,
  flagged,
  highest_score,
})

describe('days in the time zone of the viewer', () => {
  it('are counted, including empty ones', () => {
    const quarters = [
      quarter(noon(3), 2, 1, 80),
      quarter(new Date(2026, 2, 3, 23, 45), 1, 0, 20),
      quarter(new Date(2026, 2, 5, 0, 0), 4),
    ]
    expect(countDays(quarters, noon(5), 4)).toEqual([
      { day: '2026-03-02', actions: 0, flagged: 0, highest_score: 0 },
      { day: '2026-03-03', actions: 3, flagged: 1, highest_score: 80 },
      { day: '2026-03-04', actions: 0, flagged: 0, highest_score: 0 },
      { day: '2026-03-05', actions: 4, flagged: 0, highest_score: 0 },
    ])
  })

  it('last from midnight to midnight', () => {
    const { start, end } = boundsOf('2026-03-05') ?? {}
    expect([start && dayOf(start), end && dayOf(end)]).toEqual(['2026-03-05', '2026-03-06'])
    expect([start?.getHours(), end?.getHours()]).toEqual([0, 0])
  })

  it.each(['', '2026-02-30', '2026-13-01', 'today', '<img>'])('do not include %j', (day) => {
    expect(boundsOf(day)).toBeUndefined()
  })
})
