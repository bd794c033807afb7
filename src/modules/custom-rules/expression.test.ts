import { describe, expect, it } from 'vitest'
import { compileExpression, type FactSources, ruleFacts } from './expression.ts'
import type { FactType } from './fact-types.ts'
import { type ExpressionFault, FACTS } from './facts.ts'
import { ITEM_FACTS } from './order-facts.ts'

/** Expressions that hold for a fact that is not there, by its type. */
const EMPTY: Readonly<Record<FactType, (fact: string) => string>> = {
  string: (fact) => `${fact} == ""`,
  int: (fact) => `${fact} == 0`,
  double: (fact) => `${fact} < 1`,
  bool: (fact) => `!${fact}`,
  'list<string>': (fact) => `size(${fact}) == 0`,
  'list<Item>': (fact) => `size(${fact}) == 0`,
  'map<string, string>': (fact) => `size(${fact}) == 0 && ${fact}.any == ""`,
}

type Groups = Record<string, Record<string, unknown>>

function facts(groups: Groups, wanted: ReadonlySet<string>) {
  const sources = Object.entries(groups).map(([name, values]) => [name, () => values])
  return ruleFacts('order', Object.fromEntries(sources) as FactSources<'order'>, wanted)
}

function faultOf(text: string): ExpressionFault {
  const compiled = compileExpression('order', text)
  if (!('fault' in compiled)) throw new Error(`accepted: ${text}`)
  return compiled.fault
}

function matches(text: string, groups: Groups = {}): boolean {
  const compiled = compileExpression('order', text)
  if ('fault' in compiled) throw new Error(compiled.fault.message)
  return compiled.matches(facts(groups, compiled.groups))
}

describe('an expression', () => {
  it('compares facts', () => {
    const groups = {
      order: { amount_cents: 60_000, country: 'FR', hour: 3, items: [{ category: 'gift_card' }] },
      device: { last_hour: 4.2 },
      lists: { watch: ['device'] },
    }
    const all = [
      'order.amount_cents > 50000',
      'order.country in ["FR", "ES"] && order.hour < 6',
      'order.items.exists(item, item.category == "gift_card")',
      'device.last_hour > 4',
      '"device" in lists.watch && !("device" in lists.block)',
      'order.country.lowerAscii().startsWith("f")',
      'order.amount_cents > 10 * profile.usual_amount_cents',
      'size(lists.block) == 0',
    ]
    for (const text of all) expect([text, matches(text, groups)]).toEqual([text, true])
    expect(matches('order.amount_cents < 50000', groups)).toBe(false)
  })

  it('reads every published fact', () => {
    for (const [group, fields] of Object.entries<
      Readonly<Record<string, readonly [FactType, string]>>
    >(FACTS.order)) {
      for (const [name, [type]] of Object.entries(fields)) {
        const fact = `${group}.${name}`
        const text = EMPTY[type](fact)
        expect([fact, matches(text)]).toEqual([fact, true])
      }
    }
    const item = Object.keys(ITEM_FACTS).map((name) => `i.${name} == i.${name}`)
    expect(matches(`order.items.all(i, ${item.join(' && ')})`)).toBe(true)
  })

  it('is false when it cannot be computed', () => {
    expect(matches('order.amount_cents / order.item_count > 5')).toBe(false)
    expect(matches('order.items[7].quantity > 5')).toBe(false)
    expect(
      matches('order.amount_cents * 9223372036854775807 > 5', { order: { amount_cents: 9 } }),
    ).toBe(false)
  })

  it('changes none of its facts', () => {
    const items = Object.freeze([Object.freeze({ quantity: 2 })])
    const groups = { order: Object.freeze({ items, amount_cents: 5 }) }
    expect(matches('order.items.map(i, i.quantity + 1)[0] == 3', groups)).toBe(true)
    expect(groups).toEqual({ order: { items: [{ quantity: 2 }], amount_cents: 5 } })
  })
})

describe('a fault names the place', () => {
  it.each([
    ['order.amout > 5', 'There is no fact "amout" here', 'amout'],
    ['ordr.amount_cents > 5', 'There is no fact "ordr"', 'ordr'],
    ['order.country == 5', 'no such overload: string == int', 'order.country == 5'],
    ['order.is_guest && order.country', 'Logical operator requires bool operands', null],
    ['order.amount_cents = 5', 'A single "=" is not a comparison', '='],
    ['order.is_guest and order.hour < 5', 'is not expected here', null],
    ['order.amount_cents >', 'The expression is incomplete', ''],
    ['', 'The expression is incomplete', ''],
    ['order.amount_cents', 'must be true or false, but its type is int', null],
    ['order.country == null', 'no such overload', null],
    ['order == order', 'no such overload: order == order', null],
    ['order.items.exists(i, i.weight > 3)', 'There is no fact "weight" here', 'weight'],
  ])('%s', (text, message, place) => {
    const fault = faultOf(text)
    expect(fault.message).toContain(message)
    if (place !== null) expect(text.slice(fault.start, fault.end)).toBe(place)
    expect(fault.end).toBeLessThanOrEqual(text.length)
  })
})

describe('data as sent', () => {
  const sent = {
    metadata: { plan: 'gold', seats: 12, trial: true, gone: null, tags: ['a'], __proto__x: 'y' },
    device: { screen: { width: 390 }, deep: { a: { b: { c: { d: 1 } } } } },
    behavior: Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`n${i}`, 'x'.repeat(900)])),
  }
  const holds = (text: string): boolean => {
    const compiled = compileExpression('check', text)
    if ('fault' in compiled) throw new Error(compiled.fault.message)
    const sources = { sent: () => sent } as unknown as FactSources<'check'>
    return compiled.matches(ruleFacts('check', sources, compiled.groups))
  }

  it.each([
    'sent.metadata.plan == "gold"',
    'sent.metadata["plan"].startsWith("go")',
    'int(sent.metadata.seats) > 10',
    'sent.metadata.trial == "true"',
    'sent.metadata.none == "" && !(sent.metadata.none == "x")',
    'sent.metadata.tags == "" && sent.metadata.gone == ""',
    'sent.metadata.constructor == "" && sent.metadata.__proto__ == ""',
    'sent.device["screen.width"] == "390"',
    'sent.device["deep.a.b.c.d"] == ""',
    'size(sent.behavior) == 100 && size(sent.behavior.n0) == 512',
    'sent.behavior.exists(name, name == "n7")',
    '!(int(sent.metadata.plan) > 10) || true',
  ])('%s', (text) => {
    expect(holds(text)).toBe(true)
  })

  it('does not match when a text is no number', () => {
    expect(holds('int(sent.metadata.plan) < 10')).toBe(false)
  })

  it('is compared with an empty text, because every name is there', () => {
    const refused = compileExpression('check', '"plan" in sent.metadata')
    expect(refused).toMatchObject({
      fault: { message: expect.stringContaining('Compare') as string },
    })
  })
})

const TARGETS = [
  { target: 'order', text: 'order.country', number: 'order.hour', list: 'profile.countries' },
  { target: 'check', text: 'email.domain', number: 'check.hour', list: 'signals.findings' },
  { target: 'cashier_action', text: 'action.reason', number: 'action.hour', list: 'lists.watch' },
] as const

describe.each(TARGETS)('a hostile expression for $target is refused', (given) => {
  const { target, text, number, list } = given
  const many = (count: number, part: string, by: string) => Array(count).fill(part).join(by)

  it.each([
    ['regular expression', `${text}.matches("^(a+)+$")`, 'Regular expressions'],
    ['regular expression as a function', `matches(${text}, "(a|a)*b")`, 'matches'],
    ['deep parentheses', `${'('.repeat(900)}true${')'.repeat(900)}`, 'levels deep'],
    ['deep negation', `${'!'.repeat(1900)}true`, 'parts'],
    ['long text', `${text} == "${'a'.repeat(3000)}"`, 'longer than 2000 characters'],
    ['huge list', `${number} in [${many(600, '1', ',')}]`, 'more than 100 values'],
    ['macro in a macro', `${list}.exists(i, ${list}.exists(j, i == j))`, 'inside of another'],
    ['long macro', `${list}.exists(i, ${many(40, 'i == i', ' && ')})`, 'too many steps'],
    ['prototype', `${text.split('.')[0]}.__proto__ == ""`, 'There is no fact'],
  ])('%s', (_name, expression, message) => {
    const compiled = compileExpression(target, expression)
    expect('fault' in compiled ? compiled.fault.message : 'accepted').toContain(message)
  })
})

describe('a hostile expression is refused', () => {
  const many = (count: number, text: string, by: string) => Array(count).fill(text).join(by)

  it.each([
    ['regular expression', 'order.country.matches("^(a+)+$")', 'Regular expressions'],
    ['deep parentheses', `${'('.repeat(900)}true${')'.repeat(900)}`, 'levels deep'],
    ['deep negation', `${'!'.repeat(1900)}true`, 'parts'],
    ['long text', `order.country == "${'a'.repeat(3000)}"`, 'longer than 2000 characters'],
    ['huge list', `order.hour in [${many(600, '1', ',')}]`, 'more than 100 values'],
    ['many conditions', many(150, 'true', ' && '), 'parts'],
    [
      'macro in a macro',
      'order.items.exists(i, order.items.exists(j, i.quantity == j.quantity))',
      'inside of another',
    ],
    [
      'macro in the range of a macro',
      'order.items.map(i, i.quantity).exists(q, q > 1)',
      'inside of another',
    ],
    [
      'long macro',
      `order.items.exists(i, ${many(30, 'i.quantity > 1', ' && ')})`,
      'too many steps',
    ],
    ['doubling', 'cel.bind(x, "aa", cel.bind(y, x + x, y + y == ""))', 'not available'],
    ['map', '{"a": 1}.size() > 0', 'not available'],
    ['bytes', 'b"a" == b"a"', 'Only texts'],
    ['split', 'order.country.split("").size() > 1', '"split" is not available'],
    ['unchecked types', 'dyn(order.country) == 5', '"dyn" is not available'],
    [
      'time',
      'timestamp("2026-01-01T00:00:00Z") > timestamp("2026-01-01T00:00:00Z")',
      'not available',
    ],
    ['prototype', 'order.__proto__ == order.__proto__', 'There is no fact'],
    ['constructor', 'order.constructor == ""', 'There is no fact'],
  ])('%s', (_name, text, message) => {
    expect(faultOf(text).message).toContain(message)
  })

  it('and the longest accepted one visits a limited number of elements', () => {
    const items = Array.from({ length: 5000 }, () => ({ quantity: 1 }))
    expect(matches('size(order.items) == 100', { order: { items } })).toBe(true)
    expect(matches('order.store.size() == 512', { order: { store: 'x'.repeat(9000) } })).toBe(true)
  })
})
