import { describe, expect, it } from 'vitest'
import { type Feedback, replayCards } from './replay.ts'
import { type CardWorld, DAY_S } from './world.ts'

/** One order on each of ten days; the order of day 1 is a fraud. */
const WORLD: CardWorld = {
  count: 10,
  second: Uint32Array.from({ length: 10 }, (_, day) => day * DAY_S),
  customer: new Uint16Array(10),
  terminal: new Uint16Array(10),
  amount_cents: new Uint32Array(10),
  scenario: Uint8Array.from([0, 2, 0, 0, 0, 0, 0, 0, 0, 0]),
}

function replay(feedback: Feedback): string[] {
  const log: string[] = []
  replayCards(
    WORLD,
    {
      score: (row) => {
        log.push(`score ${row}`)
        return { probability: 0, risk_score: 0 }
      },
      decide: (row, isFraud) => void log.push(`${isFraud ? 'fraud' : 'honest'} ${row}`),
    },
    { feedback, onProgress: () => {} },
  )
  return log
}

describe('a replay', () => {
  it('scores every order once, in order', () => {
    expect(replay('none')).toEqual(Array.from({ length: 10 }, (_, row) => `score ${row}`))
  })

  it('decides seven days after the order, before later orders are scored', () => {
    const log = replay('every_order')
    expect(log.slice(6)).toEqual([
      'score 6',
      'honest 0',
      'score 7',
      'fraud 1',
      'score 8',
      'honest 2',
      'score 9',
    ])
  })

  it('decides nothing but frauds when only frauds become known', () => {
    expect(replay('frauds_only').filter((line) => !line.startsWith('score'))).toEqual(['fraud 1'])
  })
})
