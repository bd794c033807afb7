import { describe, expect, it } from 'vitest'
import { type AttentionFacts, attentionOf } from './rules.ts'

const NOW = new Date('2026-03-10T12:00:00Z')
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000)
const DAY = 24 * 60

const QUIET: AttentionFacts = {
  reviews: { count: 0, oldest_at: null },
  endpoints: [],
  alerts: [],
  non_compliant_devices: 0,
  push: [],
  spool: { waiting_since: null, refused: 0, refused_since: null },
  credits: null,
  credits_required: false,
}
const items = (facts: Partial<AttentionFacts>) => attentionOf({ ...QUIET, ...facts }, NOW)
const credits = (available_credits: number, spent_per_day: number) => ({
  available_credits,
  spent_per_day,
  days_left: spent_per_day > 0 && available_credits > 0 ? available_credits / spent_per_day : null,
  low_balance_credits: null,
})

it('nothing needs attention when nothing is wrong', () => {
  expect(items({})).toEqual([])
  expect(items({ credits: credits(1000, 10), credits_required: true })).toEqual([])
  expect(items({ credits: credits(0, 0) })).toEqual([])
  expect(items({ spool: { waiting_since: ago(1), refused: 0, refused_since: null } })).toEqual([])
})

it('the most severe item comes first', () => {
  const endpoint = { id: 'e1', url: 'https://a.example', pause_reason: null, since: ago(9) }
  const found = items({
    reviews: { count: 3, oldest_at: ago(5) },
    endpoints: [endpoint, { ...endpoint, id: 'e2', pause_reason: 'gone' }],
    alerts: [{ id: 'a1', name: 'Many errors', since: ago(3) }],
    non_compliant_devices: 2,
    credits: credits(0, 5),
    credits_required: true,
  })
  expect(found.map(({ severity, kind }) => `${severity} ${kind}`)).toEqual([
    'critical credits',
    'critical webhooks_paused',
    'critical alerts',
    'warning webhooks_failing',
    'warning devices',
    'notice reviews',
  ])
})

describe('reviews', () => {
  it.each([
    [1, 5, 'notice', '1 review waits for a decision'],
    [2, DAY + 1, 'warning', '2 reviews wait for a decision'],
    [1001, 5, 'notice', 'More than 1000 reviews wait for a decision'],
  ])('%i, the oldest %i minutes old', (count, minutes, severity, text) => {
    expect(items({ reviews: { count, oldest_at: ago(minutes) } })).toMatchObject([
      { severity, text, since: ago(minutes).toISOString(), link: '/reviews' },
    ])
  })
})

describe('webhook endpoints', () => {
  it('link to a single endpoint, or to the list', () => {
    const one = { id: 'e1', url: 'https://a.example/1', pause_reason: null, since: ago(9) }
    expect(items({ endpoints: [one] })).toMatchObject([
      { text: '1 webhook endpoint is failing', link: '/webhooks/e1', detail: one.url },
    ])
    const many = [1, 2, 3, 4, 5].map((n) => ({ ...one, id: `e${n}`, url: `u${n}`, since: ago(n) }))
    expect(items({ endpoints: many })).toMatchObject([
      {
        text: '5 webhook endpoints are failing',
        detail: 'u1, u2, u3, and 2 more',
        since: ago(5).toISOString(),
        link: '/webhooks',
      },
    ])
  })
})

it('a push credential shows why it was refused', () => {
  const one = {
    application_id: 'p1',
    name: 'App',
    provider: 'apns' as const,
    error: 'The key was refused',
    since: null,
  }
  expect(items({ push: [one] })).toMatchObject([
    {
      text: '1 push credential is refused by the provider',
      detail: 'App (APNs): The key was refused',
      since: null,
      link: '/push/p1/setup',
    },
  ])
  expect(items({ push: [one, { ...one, provider: 'fcm' }] })).toMatchObject([
    { detail: 'App (APNs), App (FCM)', link: '/push' },
  ])
})

describe('credits', () => {
  it.each([
    [100, 10, true, 'warning', '100 credits are left: 10 days at this rate'],
    [100, 10, false, 'notice', '100 credits are left: 10 days at this rate'],
    [15, 10, true, 'warning', '15 credits are left: one day at this rate'],
    [5.129, 10, true, 'warning', '5.13 credits are left: less than a day at this rate'],
    [0, 0, true, 'critical', 'No credits are left'],
    [-12.5, 3, false, 'notice', 'The balance is -12.5 credits'],
  ])('%f left, %f spent per day, required: %s', (left, spent, credits_required, severity, text) => {
    expect(items({ credits: credits(left, spent), credits_required })).toMatchObject([
      { kind: 'credits', severity, text },
    ])
  })
})

it('the level of the organization decides when credits are low', () => {
  const found = (left: number, low_balance_credits: number) =>
    items({ credits: { ...credits(left, 10), low_balance_credits } }).map(({ text }) => text)
  expect(found(4999, 5000)).toEqual(['4999 credits are left'])
  expect(found(5000, 5000)).toEqual([])
  expect(found(1, 0)).toEqual([])
})

it('logs that wait or cannot be stored are listed', () => {
  const spool = { waiting_since: ago(3), refused: 2, refused_since: ago(60) }
  expect(items({ spool }).map(({ kind, since }) => [kind, since])).toEqual([
    ['spool', ago(3).toISOString()],
    ['spool_refused', ago(60).toISOString()],
  ])
})

it('one device that does not comply is singular, several are plural', () => {
  expect(items({ non_compliant_devices: 1 })[0]?.text).toBe(
    '1 managed device does not comply with the policy',
  )
  expect(items({ non_compliant_devices: 2 })[0]?.text).toMatch('2 managed devices do not')
})
