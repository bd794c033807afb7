import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createStopSignals } from './stop-signals.ts'

const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

describe('stop signals', () => {
  it('have one listener each, and none without items', () => {
    const signals = createStopSignals<string>(() => undefined)
    const { signal } = new AbortController()
    signals.watch(signal, 'a')
    signals.watch(signal, 'b')
    expect(listenersOf(signal)).toBe(1)
    signals.forget(signal, 'a')
    expect(listenersOf(signal)).toBe(1)
    signals.forget(signal, 'b')
    signals.forget(signal, 'b')
    expect(listenersOf(signal)).toBe(0)
    signals.watch(signal, 'c')
    expect(listenersOf(signal)).toBe(1)
  })

  it('stop all their remaining items, even when stopping forgets them', () => {
    const stopped: string[] = []
    const first = new AbortController()
    const second = new AbortController()
    const signals = createStopSignals<string>((item) => {
      stopped.push(item)
      signals.forget(first.signal, item)
    })
    for (const item of ['a', 'b', 'c']) signals.watch(first.signal, item)
    signals.watch(second.signal, 'd')
    signals.forget(first.signal, 'b')
    first.abort()
    expect(stopped).toEqual(['a', 'c'])
    expect(listenersOf(second.signal)).toBe(1)
  })
})
