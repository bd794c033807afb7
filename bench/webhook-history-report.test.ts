import { describe, expect, it } from 'vitest'
import { type HistoryTurn, historyAims, historyOf } from './webhook-history-report.ts'

const turn = (number: number, past: number, claim: number): HistoryTurn => ({
  turn: number,
  past,
  ms: { queue: 2, claim, complete: 4 },
})

describe('the cost of a past', () => {
  const turns = [
    turn(0, 0, 10),
    turn(0, 1000, 20),
    turn(1, 1000, 40),
    turn(1, 0, 10),
    turn(2, 0, 20),
    turn(2, 1000, 30),
  ]

  it('is the median over turns of both places', () => {
    const { past, steps } = historyOf(turns)
    expect(past).toBe(1000)
    expect(steps.find(({ step }) => step === 'claim')).toEqual({
      step: 'claim',
      without_past_ms: 10,
      with_past_ms: 30,
      ratio: 2,
      ratio_quartiles: [1.75, 3],
    })
    expect(steps.find(({ step }) => step === 'complete')).toMatchObject({ ratio: 1 })
  })

  it('is judged for claiming and completing', () => {
    const lines = historyAims(historyOf(turns))
    expect(lines.map((line) => line.trim().split(' ')[0])).toEqual(['MISSED', 'met'])
  })
})
