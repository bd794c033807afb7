import { describe, expect, it } from 'vitest'
import { createTown } from '../../../test/support/town.ts'
import { explainAction, reasonOf } from './explain.ts'

const NOW = Date.UTC(2026, 2, 2, 12)

describe('the explanation of an action', () => {
  it('lists the signals, the one with the largest share first', () => {
    const town = createTown(false)
    for (let minute = 0; minute < 6; minute += 1) {
      town.sale('ann', { at: NOW + minute, till: 'pos', is_cash: true })
    }
    const at = NOW + 30_000
    const { fraud, measurements } = town.act('ann', 'void', { at, till: 'pos', amount_cents: 900 })
    const explained = explainAction(fraud, measurements)
    expect(explained).toHaveLength(7)
    expect(explained[0]).toMatchObject({ signal: 'velocity_anomaly', share: 1, strength: 35 })
    expect(explained[0]?.sentence).toBe('A void 30 seconds after a cash sale')
    expect(explained.slice(1).map(({ share }) => share)).toEqual([0, 0, 0, 0, 0, 0])
    expect(reasonOf(fraud, measurements)).toBe('A void 30 seconds after a cash sale')
  })

  it('is the score when there is no finding', () => {
    const { fraud, measurements } = createTown(false).act('ann', 'no_sale', { at: NOW })
    expect(reasonOf(fraud, measurements)).toBe('Score 0')
  })
})
