import { describe, expect, it } from 'vitest'
import { createRandom } from '../../src/platform/random.ts'
import { visitsOf } from './browsers.ts'
import { FIRMWARE, FLEET, hasUpdate } from './fleet.ts'
import { logsOf } from './logs.ts'

const DAY_MS = 86_400_000
const story = { start: Date.UTC(2026, 1, 1), end: Date.UTC(2026, 1, 1) + 30 * DAY_MS }
const logs = Array.from({ length: 30 }, (_, day) => {
  const from = story.start + day * DAY_MS
  return logsOf(createRandom(3, `${day}`), { from, until: from + DAY_MS, story, scale: 0.2 })
}).flat()
const updated = story.start + FIRMWARE.at_share * 30 * DAY_MS

describe('the logs of the story', () => {
  it('are the same for the same seed', () => {
    const of = () =>
      logsOf(createRandom(3, '4'), {
        from: story.start,
        until: story.start + DAY_MS,
        story,
        scale: 0.1,
      })
    expect(of()).toEqual(of())
  })

  it('have printers that fail after the update and never before, on the devices that got it', () => {
    const faults = logs.filter(({ error }) => error?.type === 'PrintHeadError')
    expect(faults.length).toBeGreaterThan(100)
    expect(new Set(faults.map(({ device_id }) => device_id))).toEqual(
      new Set(FLEET.filter(hasUpdate).map(({ id }) => id)),
    )
    for (const { timestamp } of faults)
      expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(updated)
  })

  it('have devices that fall silent, and nothing of them afterwards', () => {
    const silent = FLEET.filter(({ silent_from }) => silent_from !== undefined)
    expect(silent.length).toBeGreaterThan(0)
    for (const { id, silent_from = 1 } of silent) {
      const last = Math.max(
        ...logs
          .filter(({ device_id }) => device_id === id)
          .map(({ timestamp }) => Date.parse(timestamp)),
      )
      expect(last).toBeLessThan(story.start + silent_from * 30 * DAY_MS)
    }
  })
})

describe('the visits of the story', () => {
  const visits = visitsOf(createRandom(3, 'browsers'), { span: story, scale: 0.3 })
  const events = visits.flatMap((visit) => visit.events)
  const page = (event: Record<string, unknown>) =>
    (event['view'] as { name?: string } | undefined)?.name
  const median = (name: string, vital: string) => {
    const values = events.flatMap((event) => {
      const told = event['vital'] as { name: string; value: number } | undefined
      return told?.name === vital && page(event) === name ? [told.value] : []
    })
    return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
  }

  it('have one page that is slow to show and to answer', () => {
    expect(median('Search', 'LCP')).toBeGreaterThan(4000)
    expect(median('Search', 'INP')).toBeGreaterThan(500)
    for (const name of ['Home', 'Offers', 'Product', 'Basket'])
      expect(median(name, 'LCP')).toBeLessThan(2500)
  })

  it('have an error that came with a release', () => {
    const errors = events.filter(({ type }) => type === 'error')
    expect(errors.length).toBeGreaterThan(3)
    expect(new Set(errors.map(({ release }) => release)).size).toBe(1)
  })
})
