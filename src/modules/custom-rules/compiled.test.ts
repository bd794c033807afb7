import { describe, expect, it } from 'vitest'
import { compileRules, RULE_BUDGET_MS, ruleSteps } from './compiled.ts'
import { type FactSources, ruleFacts } from './expression.ts'
import { RULE_TARGETS } from './facts.ts'
import { type CustomRule, customRuleChanges, examineCustomRules, readCustomRules } from './rule.ts'
import { RULE_TEMPLATES } from './templates.ts'

const rule = (more: Partial<CustomRule> = {}): CustomRule => ({
  name: 'Large',
  applies_to: 'order',
  state: 'on',
  when: 'order.amount_cents > 50000',
  effect: 'points',
  value: 20,
  signal: 'pattern',
  comment: '',
  warning: '',
  ...more,
})

const facts = (amount_cents: number) =>
  ruleFacts(
    'order',
    { order: () => ({ amount_cents }) } as unknown as FactSources<'order'>,
    new Set(['order']),
  )

describe('custom rules', () => {
  it('turn what matches into steps, in their order', () => {
    const rules = compileRules([
      rule({ effect: 'review', signal: 'velocity' }),
      rule({ name: 'Off', state: 'off' }),
      rule({ name: 'Small', when: 'order.amount_cents < 100' }),
      rule({ name: 'Trial', state: 'shadow', effect: 'cap', value: 10 }),
    ])
    expect(
      ruleSteps(rules.of('order'), facts(60_000), { review_score: 50, signal_min: 7 }),
    ).toEqual([
      {
        cause: { by: 'rule', rule: 'Large' },
        change: { effect: 'floor', value: 50, signal: 'velocity', signal_min: 7 },
        is_shadow: false,
      },
      {
        cause: { by: 'rule', rule: 'Trial' },
        change: { effect: 'cap', value: 10, signal: 'pattern' },
        is_shadow: true,
      },
    ])
    expect(ruleSteps(rules.of('order'), facts(5000), { review_score: 50 })).toEqual([])
  })

  it('ignore a stored rule about a fact that no longer exists', () => {
    const rules = compileRules([rule({ when: 'order.gone > 5' }), rule({ name: 'Other' })])
    expect(rules.of('order').map((one) => one.rule.name)).toEqual(['Other'])
  })

  it('name a rule that mostly exceeds its budget, and none that does so sometimes', () => {
    const slowness = (share: number) => {
      let now = 0
      let calls = 0
      const rules = compileRules([rule()], () => {
        calls += 1
        // Every second call ends a measurement.
        if (calls % 2 === 0 && (calls / 2) % 10 < share * 10) now += 2 * RULE_BUDGET_MS
        return now
      })
      const [compiled] = rules.of('order')
      for (let i = 0; i < 2000; i += 1) compiled?.matches(facts(60_000))
      return rules.exceeded()
    }
    expect(slowness(0.3)).toEqual([])
    expect(slowness(0.8)).toEqual(['Large'])
  })
})

it('the templates are valid rules', () => {
  for (const applies_to of RULE_TARGETS) {
    const rules = RULE_TEMPLATES[applies_to].map((one) => rule({ ...one, applies_to }))
    expect(rules).toHaveLength(applies_to === 'order' ? 10 : 5)
    expect(examineCustomRules(rules).faults).toEqual([])
  }
})

describe('a set of custom rules', () => {
  it('is read with defaults', () => {
    const { name, applies_to, when } = rule()
    expect(readCustomRules([{ name, applies_to, when, effect: 'floor', value: 90 }])).toEqual([
      rule({ state: 'shadow', effect: 'floor', value: 90 }),
    ])
    const kept = rule({ state: 'off', warning: 'too slow' })
    expect(readCustomRules([kept, { ...kept, name: 'On', state: 'on' }])).toEqual([
      kept,
      rule({ name: 'On' }),
    ])
  })

  it.each([
    [{ name: ' ' }, 'name', 'name must not be empty'],
    [{ name: 'x'.repeat(81) }, 'name', 'name can have 80 characters'],
    [{ applies_to: 'device' }, 'applies_to', 'applies_to must be one of order'],
    [{ state: 'maybe' }, 'state', 'state must be one of off, shadow, on'],
    [{ effect: 'block' }, 'effect', 'effect must be one of'],
    [{ value: 101 }, 'value', 'value must be a whole number from -100 to 100'],
    [{ effect: 'cap', value: -1 }, 'value', 'value must be a whole number from 0 to 100'],
    [{ value: 1.5 }, 'value', 'whole number'],
    [{ signal: 'ip_score' }, 'signal', 'signal must be one of pattern, velocity'],
    [{ comment: 5 }, 'comment', 'comment must be a text'],
    [{ when: 'order.amount_cents > ' }, 'when', 'incomplete'],
    [{ color: 'red' }, 'color', 'Unknown member "color"'],
  ])('is refused with %j', (more, field, message) => {
    const { faults } = examineCustomRules([rule({ name: 'First' }), { ...rule(), ...more }])
    expect(faults).toHaveLength(1)
    expect(faults[0]?.path).toBe(`custom_rules.1.${field}`)
    expect(faults[0]?.message).toContain(message)
  })

  it('has unique names and a limited length', () => {
    expect(examineCustomRules([rule(), rule()]).faults[0]?.path).toBe('custom_rules.1.name')
    expect(examineCustomRules({}).faults[0]?.path).toBe('custom_rules')
    const many = Array.from({ length: 201 }, (_, index) => rule({ name: `${index}` }))
    expect(examineCustomRules(many).faults[0]?.message).toContain('200 custom rules')
  })

  it('differs from another one by rules that were added, changed, moved or removed', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => rule({ name }))
    if (!a || !b || !c) throw new Error('three rules')
    expect(customRuleChanges([a, b], [a, b])).toEqual([])
    expect(customRuleChanges([a, b], [a, { ...b, state: 'off' }, c])).toEqual([
      { name: 'b', change: 'changed' },
      { name: 'c', change: 'added' },
    ])
    expect(customRuleChanges([a, b], [b, a])).toEqual([
      { name: 'b', change: 'moved' },
      { name: 'a', change: 'moved' },
    ])
    expect(customRuleChanges([a, b], [b])).toEqual([{ name: 'a', change: 'removed' }])
  })
})
