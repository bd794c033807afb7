import { describe, expect, it } from 'vitest'
import { HOUR_MS } from '../../world/time.ts'
import type { StoryEvent, StoryOptions } from './event.ts'
import { isDisposable } from './names.ts'
import { cashierIdOf, STORES, storeOf, THIEF, tillOf } from './stores.ts'
import { continueStory, openStory, simulateStory } from './story.ts'

const END = Date.UTC(2026, 2, 18, 15, 30)
const OPTIONS: StoryOptions = { seed: 7, end: END, days: 30, scale: 0.2 }
const story = simulateStory(OPTIONS)

type Order = Extract<StoryEvent, { kind: 'order' }>
const orders = story.events.filter((event): event is Order => event.kind === 'order')

describe('the story', () => {
  it('is the same for the same options, and another one for another seed', () => {
    expect(simulateStory(OPTIONS).events).toEqual(story.events)
    expect(simulateStory({ ...OPTIONS, seed: 8 }).events).not.toEqual(story.events)
  })

  it('is ordered by time, and ends at the given time', () => {
    const times = story.events.map(({ at }) => at)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times.at(0)).toBeGreaterThanOrEqual(story.span.start)
    expect(times.at(-1)).toBeLessThan(END)
    expect(END - (times.at(-1) ?? 0)).toBeLessThan(2 * HOUR_MS)
  })

  it('names no order twice', () => {
    const ids = orders.map(({ order }) => order.external_order_id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('continues without changing events that were already replayed', () => {
    const next = { start: END - 6 * HOUR_MS, end: END + 20 * HOUR_MS }
    const continued = continueStory(openStory(OPTIONS), next)
    const before = story.events.filter(
      ({ at, kind, truth }) =>
        at >= next.start && truth !== 'account_takeover' && (kind === 'order' || kind === 'action'),
    )
    const ordinary = before.filter(({ truth }) => truth === 'honest' || truth === 'theft')
    expect(continued.filter(({ at }) => at < END)).toEqual(ordinary)
    expect(continued.some(({ at }) => at > END + 12 * HOUR_MS)).toBe(true)
  })

  it('sells only while stores are open, in their local time', () => {
    for (const store of STORES) {
      const sold = orders.filter(({ order }) => order.location_name === store.name)
      expect(sold.length).toBeGreaterThan(20)
      for (const { at } of sold) {
        const wall = new Intl.DateTimeFormat('en-GB', {
          timeZone: store.zone,
          hour: 'numeric',
          minute: 'numeric',
          weekday: 'short',
        })
        const parts = Object.fromEntries(
          wall.formatToParts(at).map(({ type, value }) => [type, value]),
        )
        const hour = Number(parts['hour']) + Number(parts['minute']) / 60
        expect(hour).toBeGreaterThanOrEqual(store.hours.opens)
        expect(hour).toBeLessThan(store.hours.closes + 0.1)
        if (store.hours.closed_on.some((day) => day === 0)) expect(parts['weekday']).not.toBe('Sun')
      }
    }
  })

  it('has all three kinds of fraud, the last of each within the last two days', () => {
    for (const truth of ['account_takeover', 'card_testing', 'device_farm'] as const) {
      const last = orders.findLast((order) => order.truth === truth)
      expect(END - (last?.at ?? 0)).toBeLessThan(48 * HOUR_MS)
    }
  })

  it('has all three kinds of fraud in five days at a twentieth, too', () => {
    const small = simulateStory({ ...OPTIONS, days: 5, scale: 0.05 })
    const truths = new Set(small.events.map(({ truth }) => truth))
    expect(truths).toEqual(
      new Set(['honest', 'theft', 'account_takeover', 'card_testing', 'device_farm']),
    )
  })
})

describe('the thief', () => {
  const store = storeOf(THIEF.store_id)
  const thief = cashierIdOf(store, THIEF.cashier)
  const actions = story.events.flatMap((event) => (event.kind === 'action' ? [event] : []))
  const isReturn = (type: string) => type === 'refund' || type === 'void'

  it('refunds and voids far more often per sale than any colleague', () => {
    const rates = STORES.flatMap(({ cashiers, ...place }) =>
      cashiers.map((name) => {
        const id = cashierIdOf(place, name)
        const sales = orders.filter(({ order }) => order.cashier_external_id === id).length
        const taken = actions.filter(
          ({ action }) => action.cashier_external_id === id && isReturn(action.action_type),
        ).length
        return { id, rate: taken / Math.max(10, sales) }
      }),
    ).toSorted((a, b) => b.rate - a.rate)
    expect(rates[0]?.id).toBe(thief)
    expect(rates[0]?.rate).toBeGreaterThan(4 * (rates[1]?.rate ?? 0))
  })

  it('steals in the last hour of the late shift, at one till', () => {
    const thefts = actions.filter(({ truth }) => truth === 'theft')
    expect(thefts.length).toBeGreaterThan(20)
    for (const { at, action } of thefts) {
      expect(action.cashier_external_id).toBe(thief)
      expect(action.edge_device_id).toBe(tillOf(store, THIEF.till))
      const wall = new Date(at).toLocaleTimeString('en-GB', { timeZone: store.zone })
      expect(wall >= '19:10' && wall < '20:05').toBe(true)
    }
  })
})

describe('invented people', () => {
  it('have mail addresses under reserved domains only, except for disposable ones', () => {
    for (const event of story.events) {
      if (event.kind !== 'check' || event.check.email === undefined) continue
      const domain = event.check.email.split('@')[1] ?? ''
      const isReserved = /(^|\.)example(\.com)?$|\.test$/.test(domain)
      expect(isReserved || isDisposable(domain), domain).toBe(true)
    }
  })

  it('have telephone numbers that are reserved for fiction', () => {
    for (const { phone } of story.chain.customers) {
      if (phone !== undefined)
        expect(phone).toMatch(/^\+(441174960|4917139200|49176040690)\d{2,3}$/)
    }
  })

  it('come from network addresses that are reserved for documentation', () => {
    for (const event of story.events) {
      if (event.kind !== 'check' || event.client_ip === undefined) continue
      expect(event.client_ip).toMatch(/^(2001:db8:|192\.0\.2\.|198\.51\.100\.|203\.0\.113\.)/)
    }
  })
})
