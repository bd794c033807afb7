import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { isUuid } from '../../platform/ids.ts'
import { recipientIdOf } from './recipient-id.ts'

const MESSAGE = '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07'
const SUBSCRIPTION = '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c08'

it('is the same for the same message and subscription in every release', () => {
  expect(recipientIdOf(MESSAGE, SUBSCRIPTION)).toBe('f6ebf5fd-93c7-8fbc-b603-e542593d2754')
})

it('is a UUID of version 8', () => {
  for (let count = 0; count < 200; count += 1) {
    const id = recipientIdOf(randomUUID(), randomUUID())
    expect(isUuid(id)).toBe(true)
    expect(id).toMatch(/^.{8}-.{4}-8.{3}-[89ab].{3}-.{12}$/)
  }
})

it('differs by message and subscription, and when they are swapped', () => {
  const ids = [
    recipientIdOf(MESSAGE, SUBSCRIPTION),
    recipientIdOf(SUBSCRIPTION, MESSAGE),
    recipientIdOf(MESSAGE, MESSAGE),
    recipientIdOf(MESSAGE, randomUUID()),
    recipientIdOf(randomUUID(), SUBSCRIPTION),
  ]
  expect(new Set(ids).size).toBe(ids.length)
})
