import { describe, expect, it } from 'vitest'
import { createMemoryGuard } from './memory.ts'

function guarded(resident: number, afterPurge: number) {
  let now = resident
  let purges = 0
  const guard = createMemoryGuard({
    max_bytes: 1000,
    resident: () => now,
    purge: () => {
      purges += 1
      now = afterPurge
      return Promise.resolve()
    },
  })
  return { guard, purges: () => purges }
}

describe('the memory of the process', () => {
  it('is not purged while there is enough', async () => {
    const { guard, purges } = guarded(900, 0)
    await guard.admit()
    expect(purges()).toBe(0)
  })

  it('is purged once before a request is refused', async () => {
    const { guard, purges } = guarded(1100, 400)
    await Promise.all([guard.admit(), guard.admit()])
    expect(purges()).toBe(1)
  })

  it('refuses requests with the error of the engine if purging does not help', async () => {
    const { guard } = guarded(3_000_000, 2_000_000)
    await expect(guard.admit()).rejects.toMatchObject({ code: 241 })
    expect(await guard.tidy()).toBe('full')
  })

  it('is purged between requests when more than half of it is used', async () => {
    const { guard, purges } = guarded(600, 100)
    expect(await guard.tidy()).toBe('fine')
    expect(await guard.tidy()).toBe('fine')
    expect(purges()).toBe(1)
  })
})
