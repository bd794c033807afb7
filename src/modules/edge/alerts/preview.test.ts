import { expect, it } from 'vitest'
import { MINUTE_MS } from '../../../platform/time-units.ts'
import { previewAlert } from './preview.ts'

const NOW = new Date('2026-03-10T12:00:00Z')

it('reports the most logs in a window without those from before the first window', async () => {
  // Ten logs in every minute, also in the earlier minutes that are counted to allow for lateness.
  const countPerMinute = (_rule: unknown, { from, until }: { from: Date; until: Date }) => {
    const counts = new Map<number, number>()
    for (let at = from.getTime(); at < until.getTime(); at += MINUTE_MS)
      counts.set(at / MINUTE_MS, 10)
    return Promise.resolve(counts)
  }
  const rule = { org_id: 'x', condition: {}, threshold: 1000, window_minutes: 5 }
  const options = { clock: { now: () => NOW }, countPerMinute, edge_alert_lateness_minutes: 15 }
  expect((await previewAlert(options, rule)).most_in_window).toBe(50)
})
