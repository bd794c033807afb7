import { describe, expect, it } from 'vitest'
import { readPairs } from './labeled-pairs.ts'
import { scoreLines } from './templates.ts'
import { scorePairs } from './verdicts.ts'

const PAIRS = readPairs()

describe('pairs of errors', () => {
  const score = scorePairs(PAIRS)

  it('are at least 120, of both kinds in every family', () => {
    expect(score.pairs).toBeGreaterThanOrEqual(120)
    for (const list of Object.values(PAIRS)) {
      expect(new Set(list.map(({ is_same }) => is_same)).size).toBe(2)
    }
  })

  it('have names that are unique within their family', () => {
    for (const list of Object.values(PAIRS)) {
      expect(new Set(list.map(({ name }) => name)).size).toBe(list.length)
    }
  })

  it('are judged with an F1 of at least 0.95', () => {
    expect(score.misses.length / score.pairs).toBeLessThan(0.05)
    expect(score.f1).toBeGreaterThanOrEqual(0.95)
    expect(score.precision).toBeGreaterThanOrEqual(0.95)
  })
})

describe('templates of lines', () => {
  const line = (event: string, content: string) => ({ event, content, template: event })

  it('are scored, and split or merged templates are reported, the largest first', () => {
    const score = scoreLines('made up', [
      line('paper', 'Printer 1 has no paper'),
      line('paper', 'Printer 2 has no paper'),
      line('paper', 'Printer Hugo has no paper'),
      line('count', 'Printed 12 receipts'),
      line('count', 'Printed 900 receipts'),
      line('idle', 'Idle'),
    ])
    expect(score).toMatchObject({ lines: 6, ga: 3 / 6, predicted_groups: 4, true_groups: 3 })
    expect(score.misses).toEqual([
      {
        template: 'paper',
        lines: 3,
        predicted: [
          { template: 'Printer <*> has no paper', lines: 2 },
          { template: 'Printer Hugo has no paper', lines: 1 },
        ],
      },
    ])
  })
})
