import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { packageRoot } from '../../src/platform/package-root.ts'
import { readPairs } from './labeled-pairs.ts'

const FACTS = ['type', 'code', 'message', 'stack']
const families = readPairs()

const isErrorFacts = (facts: unknown): boolean =>
  typeof facts === 'object' &&
  facts !== null &&
  'message' in facts &&
  Object.entries(facts).every(([key, value]) => FACTS.includes(key) && typeof value === 'string')

describe('the files of pairs', () => {
  it('are all read, and none of them is empty', () => {
    const files = readdirSync(join(packageRoot(), 'eval', 'grouping', 'pairs'))
    expect(files).toEqual(
      Object.keys(families)
        .map((family) => `${family}.jsonl`)
        .toSorted(),
    )
    expect(Object.values(families).every((pairs) => pairs.length > 0)).toBe(true)
  })

  it.each(Object.entries(families))(
    'have a pair of the right shape on every line: %s',
    (_, pairs) => {
      for (const pair of pairs) {
        expect(Object.keys(pair)).toEqual(['name', 'is_same', 'first', 'second'])
        expect(pair.name, JSON.stringify(pair)).toMatch(/\S/)
        expect(typeof pair.is_same, pair.name).toBe('boolean')
        expect(isErrorFacts(pair.first) && isErrorFacts(pair.second), pair.name).toBe(true)
      }
    },
  )
})
