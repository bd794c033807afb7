import { describe, expect, it } from 'vitest'
import type { ProviderFault } from '../../providers/port.ts'
import { isPermanent, retryOf } from './retry.ts'

const fault = (given: Partial<ProviderFault>): ProviderFault => ({
  kind: 'unavailable',
  message: '',
  is_ambiguous: false,
  ...given,
})

describe('a failed dispatch', () => {
  it('is retried after 5 s, 15 s, 1, 5, 15 and then every 30 minutes without end', () => {
    const delays = [0, 1, 2, 3, 4, 5, 6, 900].map((attempts) => {
      return retryOf(fault({}), attempts, 0.5).delay_ms / 1000
    })
    expect(delays).toEqual([5, 15, 60, 300, 900, 1800, 1800, 1800])
  })

  it('counts its attempts, except for those that were rate limited', () => {
    expect(retryOf(fault({}), 3, 0).attempts).toBe(4)
    expect(retryOf(fault({ kind: 'rate_limited' }), 3, 0).attempts).toBe(3)
  })

  it('waits as long as the provider requires, plus a random part', () => {
    const limited = fault({ kind: 'rate_limited', retry_after_s: 100 })
    expect(retryOf(limited, 0, 0).delay_ms).toBe(100_000)
    expect(retryOf(limited, 0, 0.999).delay_ms).toBeGreaterThan(115_000)
    expect(retryOf(fault({ kind: 'rate_limited' }), 0, 0).delay_ms).toBe(60_000)
  })

  it('is permanent only when the request itself was certainly rejected', () => {
    expect(isPermanent(fault({ kind: 'rejected' }))).toBe(true)
    expect(isPermanent(fault({ kind: 'not_found' }))).toBe(true)
    expect(isPermanent(fault({ kind: 'rejected', is_ambiguous: true }))).toBe(false)
    for (const kind of ['rate_limited', 'unavailable', 'refused'] as const) {
      expect(isPermanent(fault({ kind }))).toBe(false)
    }
  })
})
