import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCallerTurns } from './caller-turns.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Lets everything run that does not wait for a timer. */
const settle = async () => await vi.advanceTimersByTimeAsync(0)

function createSender() {
  const inTurn = createCallerTurns()
  const begun: string[] = []
  const send = async (caller: string | undefined, name: string, bytes: number) =>
    await inTurn(caller, async () => {
      begun.push(name)
      return await Promise.resolve(Buffer.alloc(bytes))
    })
  return { begun, send }
}

describe('the bodies of a caller', () => {
  it('are unpacked one after the other, and small ones without a pause', async () => {
    const { begun, send } = createSender()
    const sent = ['a', 'b', 'c'].map(async (name) => await send('caller', name, 65_536))
    expect(begun).toEqual(['a'])
    expect((await Promise.all(sent)).map(({ length }) => length)).toEqual([65_536, 65_536, 65_536])
    expect(begun).toEqual(['a', 'b', 'c'])
  })

  it('wait after a large one, in proportion to its size, while others continue', async () => {
    const { begun, send } = createSender()
    await send('caller', 'large', 1_000_000)
    const next = send('caller', 'next', 10)
    await send('other', 'other', 1_000_000)
    await send(undefined, 'without a caller', 1_000_000)
    await vi.advanceTimersByTimeAsync(290)
    expect(begun).toEqual(['large', 'other', 'without a caller'])
    await vi.advanceTimersByTimeAsync(20)
    await next
    expect(begun.at(-1)).toBe('next')
  })

  it('continue after one that is refused', async () => {
    const inTurn = createCallerTurns()
    const refused = inTurn('caller', async () => await Promise.reject(new Error('429')))
    const next = inTurn('caller', async () => await Promise.resolve(Buffer.alloc(1)))
    await expect(refused).rejects.toThrow('429')
    await settle()
    expect(await next).toHaveLength(1)
  })
})
