import { describe, expect, it } from 'vitest'
import { createTown } from '../../../test/support/town.ts'
import { explainAction, reasonOf } from './explain.ts'
import { cashierSentence } from './sentences.ts'

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
    expect(reasonOf(fraud, measurements)).toBe(
      'void_after_cash: A void 30 seconds after a cash sale',
    )
  })

  it('is the score when there is no finding', () => {
    const { fraud, measurements } = createTown(false).act('ann', 'no_sale', { at: NOW })
    expect(reasonOf(fraud, measurements)).toBe('score 0')
  })
})

describe('the sentence for a finding', () => {
  const rate = {
    count: 9,
    transactions: 58.4,
    share: 0.1541,
    half_life_hours: 168,
    expected: 1,
    peers_share: 0.0172,
    peers: 3,
    surprise: 8,
  }

  it.each([
    [
      'void_rate',
      rate,
      'Voids: 15% of about 58 transactions, where 1.7% is usual for 3 peers (half-life 7 days)',
    ],
    [
      'drawer_rate',
      { ...rate, peers: 0, half_life_hours: 4 },
      'Drawer openings without a sale: 15% of about 58 transactions, where 1.7% is usual at other locations and in general (half-life 4 hours)',
    ],
    [
      'refund_change',
      { ...rate, share_before: 0.01, peers: 1 },
      'Refunds: 15% of the transactions of the last days, 1% before; 1.7% is usual for 1 peer',
    ],
    [
      'round_refund_unknown_order',
      { amount_cents: 5000, currency: 'EUR', round_share_of_sales: 0.02 },
      'A refund of the round amount 5000 minor units (EUR): the named order is unknown. 2% of sales have an equally round amount',
    ],
    ['off_shift', { minutes_since_shift: 300.2 }, '5 hours after the shift'],
    ['burst_of_actions', { count: 6, window_minutes: 5 }, '6 sensitive actions within 5 minutes'],
    ['something_new', { count: 6 }, 'Something new (count 6)'],
    ['something_new', {}, 'Something new'],
  ])('%s', (finding, numbers, sentence) => {
    expect(cashierSentence(finding, numbers)).toBe(sentence)
  })

  it.each([
    'void_after_cash',
    'drawer_after_void',
    'own_pickup',
    'round_refund_no_order',
    'round_refund_more_than_order',
    'round_refund_order_of_another',
    'round_refund_old_order',
    'refunded_more_than_paid',
    'override_size',
    'one_customer',
    'shifts_rarely_sent',
    'forgotten_shift_start',
    'unusual_hour',
  ])('exists for %s', (finding) => {
    expect(cashierSentence(finding, {}).toLowerCase()).not.toBe(finding.replaceAll('_', ' '))
    expect(cashierSentence(finding, {})).toMatch(/ /)
    expect(cashierSentence(finding, {})).not.toContain('_')
  })
})
