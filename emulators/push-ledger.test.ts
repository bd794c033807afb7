import { describe, expect, test } from 'vitest'
import { createInbox, createLedger, putIntoInbox, viewInbox } from './push-ledger.ts'
import { createRingBuffer } from './ring-buffer.ts'

const AT = new Date('2026-03-01T12:00:00Z')

test('an inbox counts a hundred thousand deliveries and stores the last twenty', () => {
  const inbox = createInbox()
  for (let at = 1; at <= 100_000; at += 1) putIntoInbox(inbox, AT, String(at), `{"at":${at}}`)
  expect(inbox.count).toBe(100_000)
  const stored = viewInbox(inbox).last
  expect(stored).toHaveLength(20)
  expect(stored[0]).toEqual({ at: AT.toISOString(), id: '99981', body: { at: 99_981 } })
  expect(stored.at(-1)).toMatchObject({ id: '100000' })
})

describe('the ledger', () => {
  const accepted = { phone_id: 'p', token: 't', collapse_id: null, tag: null }

  test('lists each message once, with the number of times it was accepted', () => {
    const ledger = createLedger()
    ledger.accept({ ...accepted, id: 'a', identity: 'same' })
    ledger.accept({ ...accepted, id: 'b', identity: 'same' })
    ledger.accept({ ...accepted, id: 'c', identity: 'other' })
    ledger.accept({ ...accepted, token: 'u', id: 'd', identity: 'same' })
    expect(ledger.truth()).toEqual({
      accepted: 4,
      repeated: 1,
      messages: [
        { ...accepted, id: 'a', count: 2 },
        { ...accepted, id: 'c', count: 1 },
        { ...accepted, token: 'u', id: 'd', count: 1 },
      ],
    })
  })

  test('is empty after it was cleared', () => {
    const ledger = createLedger()
    ledger.accept({ ...accepted, id: 'a', identity: 'a' })
    ledger.clear()
    expect(ledger.truth()).toEqual({ accepted: 0, repeated: 0, messages: [] })
  })
})

test('a ring buffer lists the last items, oldest first, full or not', () => {
  const ring = createRingBuffer<number>(3)
  for (const item of [1, 2]) ring.add(item)
  expect(ring.list()).toEqual([1, 2])
  for (const item of [3, 4]) ring.add(item)
  expect(ring.list()).toEqual([2, 3, 4])
  ring.clear()
  expect(ring.list()).toEqual([])
})
