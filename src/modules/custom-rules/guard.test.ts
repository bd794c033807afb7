/** The fast test in front of an expression gives the result of the library. */
import { Environment } from '@marcbachmann/cel-js'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { compileExpression, type FactSources, ruleFacts } from './expression.ts'

const COMPARABLE = ['<', '<=', '>', '>=']
const EQUAL = ['==', '!=']

/** Conditions that the fast test knows, and some that it leaves to the library. */
const condition = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('orders', 'age_days'),
      fc.constantFrom(...COMPARABLE, ...EQUAL),
      fc.nat(4),
    )
    .map(([name, op, value]) => `profile.${name} ${op} ${value}`),
  fc
    .tuple(fc.constantFrom(...COMPARABLE), fc.constantFrom('0.5', '1', '2.25'))
    .map(([op, value]) => `profile.last_hour ${op} ${value}`),
  fc
    .tuple(fc.constantFrom(...EQUAL, ...COMPARABLE), fc.constantFrom('', 'DE', 'FR'))
    .map(([op, value]) => `order.country ${op} "${value}"`),
  fc.constantFrom(
    'profile.orders > profile.age_days',
    'order.is_guest',
    'order.country in ["DE", "ES"]',
    'order.country in profile.countries',
    'profile.orders in [1, 3]',
    'size(profile.countries) == 1',
    'size(order.country) > 1',
    'size(order.store) == 1',
    'profile.orders * 2 > 3',
    'profile.orders - profile.age_days < 0',
    'profile.last_hour + 1.5 > 2.0',
    // Too large for some facts.
    'profile.orders * 9223372036854775807 > 3',
    'profile.orders + 9223372036854775807 > 3',
    // Left to the library; the first two fail for some facts.
    'profile.orders / profile.age_days > 1',
    'profile.countries[1] == "FR"',
    'order.country.startsWith("D")',
    'profile.countries.exists(c, c == order.country)',
  ),
)
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3 },
    condition,
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a} && ${b})`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a} || ${b})`),
    tie('expression').map((a) => `!(${a})`),
  ),
}))

const country = fc.constantFrom('', 'DE', 'FR', 'ES')
const values = fc.record({
  order: fc.record({ country, is_guest: fc.boolean(), store: fc.constantFrom('', 'a', '💶') }),
  profile: fc.record({
    orders: fc.nat(4),
    age_days: fc.nat(4),
    last_hour: fc.constantFrom(0, 0.5, 1, 2.25, 3),
    countries: fc.array(country, { maxLength: 3 }),
  }),
})

class Order {
  [name: string]: unknown
}
class Profile {
  [name: string]: unknown
}
const plain = new Environment()
  .registerType('Order', {
    ctor: Order,
    fields: { country: 'string', is_guest: 'bool', store: 'string' },
  })
  .registerType('Profile', {
    ctor: Profile,
    fields: { orders: 'int', age_days: 'int', last_hour: 'double', countries: 'list<string>' },
  })
  .registerVariable('order', 'Order')
  .registerVariable('profile', 'Profile')

it('for any expression and facts', () => {
  fc.assert(
    fc.property(expression, values, (text, { order, profile }) => {
      const compiled = compileExpression('order', text)
      if ('fault' in compiled) throw new Error(`${text}: ${compiled.fault.message}`)
      const sources = { order: () => order, profile: () => profile }
      const facts = ruleFacts('order', sources as unknown as FactSources<'order'>, compiled.groups)
      const whole = { orders: BigInt(profile.orders), age_days: BigInt(profile.age_days) }
      let expected = false
      try {
        expected =
          plain.evaluate(text, {
            order: Object.assign(new Order(), order),
            profile: Object.assign(new Profile(), profile, whole),
          }) === true
      } catch {
        expected = false
      }
      expect(compiled.matches(facts)).toBe(expected)
    }),
    { numRuns: 2000 },
  )
})
