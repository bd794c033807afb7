import { setImmediate as nextPass } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createTurns, withPauses } from './turns.ts'

describe('computations that take turns', () => {
  it('continue one per pass of the event loop, in the order in which they waited', async () => {
    const nextTurn = createTurns()
    const done: string[] = []
    const compute = async (name: string) => {
      for (let slice = 1; slice <= 2; slice += 1) {
        await nextTurn()
        done.push(`${name}${slice}`)
      }
    }
    const all = Promise.all(['a', 'b', 'c'].map(compute))
    const passes: number[] = []
    for (let pass = 0; pass < 12 && done.length < 6; pass += 1) {
      await nextPass()
      passes.push(done.length)
    }
    await all
    expect(done).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2'])
    expect(passes.map((count, pass) => count - (passes[pass - 1] ?? 0))).not.toContain(2)
  })

  it('with pauses let the event loop pass several times before each turn', async () => {
    const nextTurn = withPauses(createTurns())
    let passes = 0
    const state = { isDone: false }
    const counting = (async () => {
      for (; !state.isDone; passes += 1) await nextPass()
    })()
    await nextTurn()
    state.isDone = true
    await counting
    expect(passes).toBeGreaterThan(2)
  })
})
