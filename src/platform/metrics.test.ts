import { describe, expect, it } from 'vitest'
import { createMetrics } from './metrics.ts'

describe('gauges', () => {
  it('of one group are read once per scrape', async () => {
    const metrics = createMetrics()
    let reads = 0
    metrics.addGauges({
      label: 'target',
      gauges: { waiting_bytes: 'Bytes', oldest_seconds: 'Age' },
      read: () => {
        reads += 1
        return Promise.resolve([
          { label: 'logs', values: { waiting_bytes: 10 * reads, oldest_seconds: reads } },
        ])
      },
    })
    await metrics.render()
    const { text } = await metrics.render()
    expect(text).toContain('waiting_bytes{target="logs"} 20')
    expect(text).toContain('oldest_seconds{target="logs"} 2')
    expect(reads).toBe(2)
  })

  it('that cannot be read are left out without affecting other metrics', async () => {
    const metrics = createMetrics()
    metrics.addGauges({
      label: 'target',
      gauges: { waiting_bytes: 'Bytes' },
      read: () => Promise.reject<[]>(new Error('the database is down')),
    })
    const { text } = await metrics.render()
    expect(text).not.toContain('waiting_bytes{')
    expect(text).toContain('process_cpu_seconds_total')
  })
})
