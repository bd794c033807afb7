import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openPrefixes, packPrefixes } from './digit-prefixes.ts'
import { openNames, packNames } from './hashed-names.ts'
import { openRanges, packRanges, type Range, range32 } from './ranges.ts'
import { packSections, readSections, sectionOf, unpackSections } from './sections.ts'
import { openStrings, packStrings } from './string-table.ts'

describe('sections', () => {
  test('are restored byte for byte, regardless of their lengths', () => {
    const names = fc.dictionary(fc.string(), fc.uint8Array({ maxLength: 40 }), {
      noNullPrototype: true,
    })
    fc.assert(
      fc.property(names, (sections) => {
        const back = unpackSections(packSections(sections))
        expect(Object.keys(back)).toEqual(Object.keys(sections))
        for (const [name, bytes] of Object.entries(sections)) {
          expect(Buffer.from(sectionOf(back, name)).equals(bytes)).toBe(true)
        }
      }),
    )
  })

  test('a truncated, foreign or missing file is reported with the command that rebuilds it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sections-'))
    try {
      const whole = packSections({ part: new Uint8Array(100) })
      writeFileSync(join(folder, 'cut.bin'), whole.subarray(0, 60))
      writeFileSync(join(folder, 'foreign.bin'), 'something else entirely')
      for (const name of ['cut.bin', 'foreign.bin', 'missing.bin']) {
        expect(() => readSections(join(folder, name))).toThrow(/npm run build/)
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('hashed names', () => {
  test('answer as a Map does, for known and unknown names', () => {
    const entries = fc.array(fc.tuple(fc.string(), fc.integer({ min: 1, max: 255 })))
    fc.assert(
      fc.property(entries, fc.array(fc.string()), (pairs, others) => {
        const map = new Map(pairs)
        const names = openNames('n', packNames('n', map))
        expect(names.size).toBe(map.size)
        for (const name of [...map.keys(), ...others]) {
          expect(names.flagsOf(name)).toBe(map.get(name) ?? 0)
        }
      }),
    )
  })

  test('a hundred thousand similar names do not collide', () => {
    const map = new Map(Array.from({ length: 100_000 }, (_, n) => [`name${n}.com`, 1 + (n % 255)]))
    const names = openNames('n', packNames('n', map))
    for (const [name, flags] of map) if (names.flagsOf(name) !== flags) expect.fail(name)
    for (let n = 100_000; n < 200_000; n += 1) expect(names.flagsOf(`name${n}.com`)).toBe(0)
  })
})

test('strings are read by index', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (strings) => {
      const table = openStrings('s', packStrings('s', strings))
      expect(Array.from(strings, (_, index) => table.at(index))).toEqual(strings)
      expect(table.at(strings.length)).toBeUndefined()
    }),
  )
})

describe('ranges', () => {
  const range: fc.Arbitrary<Range> = fc
    .record({
      high: fc.integer({ min: 0, max: 3 }),
      low: fc.integer({ min: 0, max: 40 }),
      length: fc.integer({ min: 0, max: 30 }),
      value: fc.integer({ min: 1, max: 3 }),
    })
    .map(({ high, low, length, value }) => ({
      first_high: high,
      first_low: low,
      last_high: high,
      last_low: low + length,
      value,
    }))

  test('agree with a naive scan in which the earlier range wins', () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 12 }), (unsorted) => {
        const ranges = unsorted.toSorted(
          (a, b) => a.first_high - b.first_high || a.first_low - b.first_low,
        )
        const table = openRanges('r', packRanges('r', ranges))
        for (let high = 0; high <= 4; high += 1) {
          for (let low = 0; low <= 75; low += 1) {
            const holder = ranges.find(
              (each) => each.first_high === high && each.first_low <= low && low <= each.last_low,
            )
            expect(table.valueAt(high, low)).toBe(holder?.value ?? 0)
          }
        }
      }),
    )
  })

  test('of 32-bit numbers cover the first and the last number', () => {
    const table = openRanges(
      'r',
      packRanges('r', [range32(0, 9, 7), range32(10, 0xffffffff, 70_000)]),
    )
    expect([0, 9, 10, 0xffffffff].map((n) => table.valueAt(n, 0))).toEqual([7, 7, 70_000, 70_000])
  })

  test('that are adjacent with the same value are joined', () => {
    const table = openRanges('r', packRanges('r', [range32(5, 9, 7), range32(10, 12, 7)]))
    expect(table.size).toBe(2)
    expect([4, 5, 12, 13].map((n) => table.valueAt(n, 0))).toEqual([0, 7, 7, 0])
  })
})

describe('digit prefixes', () => {
  const digits = fc.stringMatching(/^[0-9]{1,6}$/)

  test('agree with a naive search for the longest prefix', () => {
    const pairs = fc.array(fc.tuple(digits, fc.integer({ min: 0, max: 0xffff })))
    fc.assert(
      fc.property(pairs, fc.array(digits), (entries, numbers) => {
        const map = new Map(entries)
        const table = openPrefixes('p', packPrefixes('p', map))
        for (const number of numbers) {
          const longest = [...map.keys()]
            .filter((prefix) => number.startsWith(prefix))
            .toSorted((a, b) => b.length - a.length)[0]
          expect(table.longestMatch(number)).toBe(
            longest === undefined ? undefined : map.get(longest),
          )
        }
      }),
    )
  })

  test('any string gets an answer', () => {
    const table = openPrefixes('p', packPrefixes('p', new Map([['1', 1]])))
    fc.assert(
      fc.property(fc.string(), (text) => {
        const isMatch = /^1[0-9]*$/.test(text)
        expect(table.longestMatch(text)).toBe(isMatch ? 1 : undefined)
      }),
    )
  })
})
