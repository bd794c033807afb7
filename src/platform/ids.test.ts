import { assert, integer, nat, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createIds, isUuid } from './ids.ts'

const at = (ms: number): Date => new Date(ms)

describe('identifiers', () => {
  it('are UUIDs of version 7 and the variant of RFC 9562', () => {
    const newId = createIds()
    for (let index = 0; index < 500; index += 1) {
      const id = newId(at(1_700_000_000_000 + index))
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(isUuid(id)).toBe(true)
    }
  })

  it('contain the time of their creation, to the millisecond', () => {
    const newId = createIds()
    assert(
      property(integer({ min: 0, max: 2 ** 48 - 1 }), (ms) => {
        expect(Number.parseInt(newId(at(ms)).replaceAll('-', '').slice(0, 12), 16)).toBe(ms)
      }),
    )
  })

  it('sort in the order of time, as text', () => {
    const newId = createIds()
    assert(
      property(nat(2 ** 47), integer({ min: 1, max: 2 ** 40 }), (ms, later) => {
        expect(newId(at(ms)) < newId(at(ms + later))).toBe(true)
      }),
    )
  })

  it('never repeat, within a millisecond and across generators', () => {
    const makers = [createIds(), createIds(), createIds()]
    const seen = new Set<string>()
    for (let index = 0; index < 60_000; index += 1) {
      const newId = makers[index % makers.length]
      if (newId) seen.add(newId(at(0)))
    }
    expect(seen.size).toBe(60_000)
  })

  it('of one generator sort in the order of creation, even within a millisecond', () => {
    const newId = createIds()
    for (const ms of [1, 2, 1]) {
      const ids = Array.from({ length: 20_000 }, () => newId(at(ms)))
      expect(ids).toEqual(ids.toSorted())
    }
  })

  it('use every random bit: each hexadecimal digit takes all its values', () => {
    const newId = createIds()
    const seen = Array.from({ length: 32 }, () => new Set<string>())
    for (let index = 0; index < 2000; index += 1) {
      for (const [place, digit] of newId(at(index)).replaceAll('-', '').split('').entries()) {
        seen[place]?.add(digit)
      }
    }
    // The counter starts in its lower quarter, so that it does not overflow.
    const random = seen.slice(12).map(({ size }) => size)
    expect(random).toEqual([1, 4, 16, 16, 4, ...Array.from({ length: 15 }, () => 16)])
  })
})

describe('what looks like an identifier', () => {
  it.each(['01a1f716-c360-7b08-aad8-533adec87a22', '01A1F716-C360-7B08-AAD8-533ADEC87A22'])(
    '%s is one',
    (text) => expect(isUuid(text)).toBe(true),
  )

  it.each([
    '',
    'nobody',
    '01a1f716c3607b08aad8533adec87a22',
    '{01a1f716-c360-7b08-aad8-533adec87a22}',
    '01a1f716-c360-7b08-aad8-533adec87a2g',
    '01a1f716-c360-7b08-aad8-533adec87a22\n',
    "01a1f716-c360-7b08-aad8-533adec87a22' or 1=1",
  ])('%j is not an identifier', (text) => expect(isUuid(text)).toBe(false))
})
