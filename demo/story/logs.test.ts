import { describe, expect, it } from 'vitest'
import { createRandom } from '../../src/platform/random.ts'
import { DAY_MS } from '../../world/time.ts'
import { visitsOf } from './browsers.ts'
import { FIRMWARE, FLEET, hasUpdate } from './fleet.ts'
import { logsOf } from './logs.ts'

const story = { start: Date.UTC(2026, 1, 1), end: Date.UTC(2026, 1, 1) + 30 * DAY_MS }
const logs = Array.from({ length: 30 }, (_, day) => {
  const start = story.start + day * DAY_MS
  const span = { start, end: start + DAY_MS }
  return logsOf(createRandom(3, `${day}`), { span, story, scale: 0.2 })
}).flat()
const updated = story.start + FIRMWARE.at_share * 30 * DAY_MS

describe('the logs of the story', () => {
  it('are the same for the same seed', () => {
    const span = { start: story.start, end: story.start + DAY_MS }
    const simulate = () => logsOf(createRandom(3, '4'), { span, story, scale: 0.1 })
    expect(simulate()).toEqual(simulate())
  })

  it('have printers that fail after the update and never before, on the devices that received it', () => {
    const faults = logs.filter(({ error }) => error?.type === 'PrintHeadError')
    expect(faults.length).toBeGreaterThan(100)
    expect(new Set(faults.map(({ device_id }) => device_id))).toEqual(
      new Set(FLEET.filter(hasUpdate).map(({ id }) => id)),
    )
    for (const { timestamp } of faults)
      expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(updated)
  })

  it('have a trace of each receipt that was not printed', () => {
    const faults = logs.filter(({ error }) => error?.type === 'PrintHeadError')
    const steps = new Map<string, string[]>()
    for (const { trace_id = '', level } of logs) {
      const levels = steps.get(trace_id)
      if (levels) levels.push(level)
      else steps.set(trace_id, [level])
    }
    for (const { trace_id = '', level } of faults) {
      expect(steps.get(trace_id)).toEqual(['info', 'info', level])
    }
  })

  it('have devices that fall silent, and no entry of them afterwards', () => {
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
      const measured = event['vital'] as { name: string; value: number } | undefined
      return measured?.name === vital && page(event) === name ? [measured.value] : []
    })
    return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
  }

  it('have one page that is slow to load and to respond', () => {
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
