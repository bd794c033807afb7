/**
 * Holds what people read by stories. The expected sentences are in the text files of this folder;
 * `npx vitest run src/modules/reasons -u` writes them after an intended change.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CASHIER_STORIES, reasonsOfCashierStory } from '../../../test/support/cashier-stories.ts'
import { ORDER_STORIES } from '../../../test/support/order-stories.ts'
import { reasonsOfStory } from '../../../test/support/order-story.ts'
import { packageRoot } from '../../platform/package-root.ts'
import { ORDER_SIGNALS } from '../orders/scoring/signals.ts'
import { cashierFindings, cashierReason } from './cashier-reasons.ts'
import { orderFindings, orderReason } from './order-reasons.ts'

type Told = { name: string; score: number; reasons: string[]; findings: string[] }

const orders: Told[] = Object.entries(ORDER_STORIES).map(([name, story]) => ({
  name,
  ...reasonsOfStory(story),
}))
const actions: Told[] = Object.entries(CASHIER_STORIES).map(([name, story]) => ({
  name,
  ...reasonsOfCashierStory(story),
}))

const textOf = (stories: readonly Told[]): string =>
  stories
    .map(({ name, score, reasons }) => [`${name}: ${score}`, ...reasons.map((r) => `  ${r}`), ''])
    .flat()
    .join('\n')

describe('the reasons of stories', () => {
  it('are these for orders', async () => {
    expect(orders.length).toBeGreaterThanOrEqual(60)
    await expect(textOf(orders)).toMatchFileSnapshot('order-stories.txt')
  })

  it('are these for cashier actions', async () => {
    await expect(textOf(actions)).toMatchFileSnapshot('cashier-stories.txt')
  })

  it('are none for ordinary orders and actions, which score 0', () => {
    const ordinary = [...orders, ...actions].filter(({ name }) => name.startsWith('an ordinary'))
    expect(ordinary.length).toBeGreaterThanOrEqual(4)
    for (const { score, reasons } of ordinary) expect([score, reasons]).toEqual([0, []])
  })

  it('have points, and no sentence with a missing or unreadable number', () => {
    for (const { name, reasons } of [...orders, ...actions]) {
      for (const reason of reasons) {
        expect(reason, name).toMatch(/^\+[1-9]/)
        expect(reason, name).not.toMatch(
          /undefined|NaN|null|_|\bcents\b|minor units|\b0 (?:orders|are)|-\d/,
        )
        expect(reason, name).not.toMatch(/\.$/)
      }
    }
  })
})

const wordsIn = (folders: readonly string[]): string[] => {
  const source = folders
    .map((folder) => join(packageRoot(), 'src', 'modules', folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  return [...new Set([...source.matchAll(/'([a-z]+(?:_[a-z]+)+)'/g)].map(([, word = '']) => word))]
}

/** Words of the rules that are no findings: signals, flags, fields of states, and numbers. */
const OTHER_WORDS: ReadonlySet<string> = new Set([
  ...ORDER_SIGNALS,
  'at_ms',
  'cells_known',
  'check_risk_min',
  'confirmed_fraud',
  'device_people',
  'device_reputation',
  'devices_known',
  'flag_scores',
  'high_velocity',
  'impossible_score',
  'in_store',
  'ip_people',
  'ip_profiles',
  'ip_reputation',
  'order_type',
  'pattern_anomaly',
  'profile_per_day',
  'profile_reputation',
  'shared_rarity',
  'slider_max',
  'speed_kmh',
  'stranger_rarity',
  'tiny_rate',
  'waiting_amounts',
])

describe('every finding', () => {
  it('that the order rules can produce has a sentence and a story', () => {
    const produced = wordsIn(['behavior', join('orders', 'scoring')])
    const names = new Set(orderFindings())
    const foreign = produced.filter((word) => !names.has(word) && !OTHER_WORDS.has(word))
    expect(foreign).toEqual([])
    const shown = new Set(orders.flatMap(({ findings }) => findings))
    expect([...names].filter((name) => !shown.has(name))).toEqual([])
  })

  it('has a sentence, also with missing numbers', () => {
    const order = { amount_cents: 5000, currency: 'EUR', is_guest: false, place: undefined }
    for (const finding of orderFindings()) {
      const sentence = orderReason(finding, {}, order)
      expect(sentence.toLowerCase()).not.toBe(finding.replaceAll('_', ' '))
      expect(sentence).not.toMatch(/undefined|NaN|_/)
    }
    for (const finding of cashierFindings()) {
      const sentence = cashierReason(finding, {}, undefined)
      expect(sentence.toLowerCase()).not.toBe(finding.replaceAll('_', ' '))
      expect(sentence).not.toMatch(/undefined|NaN|_/)
    }
  })

  it('that is unknown is named', () => {
    const order = { amount_cents: 5000, currency: 'EUR', is_guest: false, place: undefined }
    expect(orderReason('strange_thing', { count: 2 }, order)).toBe('Strange thing')
    expect(orderReason('constructor', {}, order)).toBe('Constructor')
    expect(cashierReason('strange_thing', {}, undefined)).toBe('Strange thing')
  })
})
