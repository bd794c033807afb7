import { expect, it } from 'vitest'
import { identitiesOf } from './identities.ts'

it('offers each known identity once, and the e-mail address that names a profile', () => {
  expect(
    identitiesOf([
      ['profile', 'ann@example.com'],
      ['device', null],
      ['ip', ''],
      ['profile', 'ann@example.com'],
      ['cashier', 'ann@example.com'],
    ]),
  ).toEqual([
    { kind: 'profile', value: 'ann@example.com' },
    { kind: 'email', value: 'ann@example.com' },
    { kind: 'cashier', value: 'ann@example.com' },
  ])
})
