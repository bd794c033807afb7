import { describe, expect, it } from 'vitest'
import { createSlots } from './slots.ts'

const always = () => true

describe('slots', () => {
  it('are lent to one caller at a time, in order', async () => {
    const slots = createSlots({ items: ['a'], waiting_max: 10, whenFull: () => new Error('full') })
    const order: number[] = []
    let inside = 0
    const work = (number: number) => async () => {
      inside += 1
      expect(inside).toBe(1)
      await Promise.resolve()
      order.push(number)
      inside -= 1
    }
    await Promise.all([1, 2, 3].map((number) => slots.use(always, work(number))))
    expect(order).toEqual([1, 2, 3])
    expect(slots.busy()).toBe(0)
  })

  it('are returned when the work fails', async () => {
    const slots = createSlots({ items: ['a'], waiting_max: 0, whenFull: () => new Error('full') })
    const failing = slots.use(always, () => Promise.reject(new Error('no')))
    await expect(failing).rejects.toThrow('no')
    expect(await slots.use(always, (item) => Promise.resolve(item))).toBe('a')
  })

  it('limit the number of waiting callers and skip those that no longer want one', async () => {
    const slots = createSlots({ items: ['a'], waiting_max: 1, whenFull: () => new Error('full') })
    let finish = () => {}
    const first = slots.use(
      always,
      () =>
        new Promise<string>((resolve) => {
          finish = () => resolve('done')
        }),
    )
    const gone = slots.use(
      () => false,
      () => Promise.resolve('never'),
    )
    await expect(slots.use(always, () => Promise.resolve())).rejects.toThrow('full')
    finish()
    expect(await first).toBe('done')
    expect(await gone).toBeUndefined()
  })
})
