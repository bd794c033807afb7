import { describe, expect, it } from 'vitest'
import type { ProviderFault } from '../../providers/port.ts'
import { isHopeless, retryOf } from './retry.ts'

const fault = (given: Partial<ProviderFault>): ProviderFault => ({
  kind: 'unavailable',
  message: '',
  is_ambiguous: false,
  ...given,
})

describe('what failed', () => {
  it('is tried again after 5 s, 15 s, 1, 5, 15 and then each 30 minutes, for ever', () => {
    const delays = [0, 1, 2, 3, 4, 5, 6, 900].map((attempts) => {
      return retryOf(fault({}), attempts, 0.5).delay_ms / 1000
    })
    expect(delays).toEqual([5, 15, 60, 300, 900, 1800, 1800, 1800])
  })

  it('counts its attempts, except for those that were put off', () => {
    expect(retryOf(fault({}), 3, 0).attempts).toBe(4)
    expect(retryOf(fault({ kind: 'rate_limited' }), 3, 0).attempts).toBe(3)
  })

  it('waits as long as the provider asks for, a little longer each for itself', () => {
    const limited = fault({ kind: 'rate_limited', retry_after_s: 100 })
    expect(retryOf(limited, 0, 0).delay_ms).toBe(100_000)
    expect(retryOf(limited, 0, 0.999).delay_ms).toBeGreaterThan(115_000)
    expect(retryOf(fault({ kind: 'rate_limited' }), 0, 0).delay_ms).toBe(60_000)
  })

  it('is hopeless only when it is certain that it was refused for what it is', () => {
    expect(isHopeless(fault({ kind: 'rejected' }))).toBe(true)
    expect(isHopeless(fault({ kind: 'not_found' }))).toBe(true)
    expect(isHopeless(fault({ kind: 'rejected', is_ambiguous: true }))).toBe(false)
    for (const kind of ['rate_limited', 'unavailable', 'refused'] as const) {
      expect(isHopeless(fault({ kind }))).toBe(false)
    }
  })
})
