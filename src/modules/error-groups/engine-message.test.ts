import { expect, it } from 'vitest'
import { engineMessage } from './engine-message.ts'

it.each([
  [
    "Cannot read properties of undefined (reading 'id')",
    "Cannot read property 'id' of null",
    'can\'t access property "id", order is undefined',
    "undefined is not an object (evaluating 'state.order.id')",
  ],
  ['Failed to fetch', 'NetworkError when attempting to fetch resource.', 'Load failed'],
  ["Can't find variable: gtag", 'gtag is not defined'],
  ["a.b is not a function. (In 'a.b()', 'a.b' is undefined)", 'a.b is not a function'],
])('the wordings of all engines become one message: %s', (...messages) => {
  expect(new Set(messages.map(engineMessage)).size).toBe(1)
})

it('leaves other messages unchanged, even a part of a known one', () => {
  for (const message of [
    '',
    'no paper',
    "Cannot read properties of undefined (reading 'id",
    'Load failed twice',
  ]) {
    expect(engineMessage(message)).toBe(message)
  }
})
