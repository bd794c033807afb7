import { describe, expect, it } from 'vitest'
import { createBatcher } from './batch.ts'

const double = (sizes: number[]) => (items: number[]) => {
  sizes.push(items.length)
  return Promise.resolve(items.map((item) => item * 2))
}

describe('batcher', () => {
  it('returns its own result to each caller', async () => {
    const batcher = createBatcher({
      run: double([]),
      items_max: 3,
      batches_in_flight_max: 2,
    })
    const results = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((n) => batcher.submit(n)))
    expect(results).toEqual([2, 4, 6, 8, 10, 12, 14])
  })

  it('never exceeds the number of items and combines those that arrive together', async () => {
    const sizes: number[] = []
    const batcher = createBatcher({
      run: double(sizes),
      items_max: 4,
      batches_in_flight_max: 1,
    })
    await Promise.all(Array.from({ length: 10 }, (_, n) => batcher.submit(n)))
    expect(sizes).toEqual([4, 4, 2])
  })

  it('limits the size of a batch; a larger item runs alone', async () => {
    const sizes: number[] = []
    const batcher = createBatcher({
      run: double(sizes),
      items_max: 4,
      size_max: 10,
      sizeOf: (item: number) => item,
      batches_in_flight_max: 1,
    })
    const items = [4, 6, 1, 20, 1, 1, 1, 1, 1]
    const results = await Promise.all(items.map((item) => batcher.submit(item)))
    expect(results).toEqual(items.map((item) => item * 2))
    expect(sizes).toEqual([2, 1, 1, 4, 1])
  })

  it('refuses items while too many are waiting, and accepts them again afterwards', async () => {
    const error = new Error('too many are waiting')
    const batcher = createBatcher({
      run: double([]),
      items_max: 2,
      batches_in_flight_max: 1,
      refusal: { waiting_max: 3, error: () => error },
    })
    const submitted = [1, 2, 3, 4].map((n) => batcher.submit(n))
    const results = await Promise.allSettled(submitted)
    const statuses = results.map(({ status }) => status)
    expect(statuses).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
    expect(results.at(-1)).toMatchObject({ reason: error })
    expect(await batcher.submit(4)).toBe(8)
  })

  it('starts a second batch only when enough items are waiting', async () => {
    const started: number[] = []
    const finish: (() => void)[] = []
    const batcher = createBatcher({
      run: async (items: number[]) => {
        started.push(items.length)
        await new Promise<void>((resolve) => finish.push(resolve))
        return items
      },
      items_max: 10,
      batches_in_flight_max: 2,
      second_batch_min: 3,
    })
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const submitted = [batcher.submit(1)]
    await turn()
    submitted.push(batcher.submit(2), batcher.submit(3))
    await turn()
    expect(started).toEqual([1])
    submitted.push(batcher.submit(4))
    await turn()
    expect(started).toEqual([1, 3])
    submitted.push(batcher.submit(5))
    await turn()
    for (const end of finish.splice(0)) end()
    await turn()
    await turn()
    expect(started).toEqual([1, 3, 1])
    for (const end of finish) end()
    expect(await Promise.all(submitted)).toEqual([1, 2, 3, 4, 5])
  })

  it('runs items alone after a failure, so that a bad one fails no others', async () => {
    const batcher = createBatcher({
      run: (items: number[]) =>
        items.includes(2) ? Promise.reject(new Error('bad 2')) : Promise.resolve(items),
      items_max: 10,
      batches_in_flight_max: 1,
      may_be_one_item: () => true,
    })
    const results = await Promise.allSettled([1, 2, 3].map((n) => batcher.submit(n)))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  it('fails as a whole if no single item can be the cause', async () => {
    let runs = 0
    const batcher = createBatcher({
      run: () => {
        runs += 1
        return Promise.reject(new Error('database unavailable'))
      },
      items_max: 10,
      batches_in_flight_max: 1,
    })
    const results = await Promise.allSettled([1, 2, 3].map((n) => batcher.submit(n)))
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(runs).toBe(1)
  })

  it('drains all submitted items', async () => {
    const done: number[] = []
    const batcher = createBatcher({
      run: async (items: number[]) => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        done.push(...items)
        return items
      },
      items_max: 1,
      batches_in_flight_max: 1,
    })
    void batcher.submit(1)
    void batcher.submit(2)
    await batcher.drain()
    expect(done).toEqual([1, 2])
    await batcher.drain()
  })
})
