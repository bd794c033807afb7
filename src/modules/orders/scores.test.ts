import { expect, it } from 'vitest'
import { createScores } from './scores.ts'

it('stores the score of each order, and none for the others', () => {
  const scores = createScores()
  const kept = new Map([1, 2, 4095, 4096, 4097, 50_000_001].map((seq, n) => [seq, n * 20]))
  for (const [seq, score] of kept) scores.set(seq, score)
  for (const [seq, score] of kept) expect(scores.get(seq)).toBe(score)
  expect([0, 3, 4098, 50_000_002].map(scores.get)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

it('holds the histories of large shops in a few bytes per order', () => {
  const scores = createScores()
  // More entries than a Map can hold.
  const orders = 17_000_000
  for (let seq = 1; seq <= orders; seq += 1) scores.set(seq, seq % 101)
  expect(scores.get(orders)).toBe(orders % 101)
})
