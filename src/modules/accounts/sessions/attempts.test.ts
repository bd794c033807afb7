import type { FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import { createKeyedHash } from '../../../platform/crypto/keyed-hash.ts'
import { createRateLimits } from '../../../platform/http/rate-limit.ts'
import { type LimitName, limitsOf } from '../../access/index.ts'
import { createSignInAttempts } from './attempts.ts'

const LIMIT = { points: 2, window_seconds: 60 }

function createNode() {
  const used = new Set<string>()
  const limits = createRateLimits<LimitName>(
    limitsOf(() => LIMIT),
    undefined,
  )
  const attempts = createSignInAttempts(createKeyedHash(Buffer.alloc(32, 1)))
  const tryFrom = async (ip: string, email = 'ann@shop.example'): Promise<number | undefined> => {
    const request = {
      ip,
      countSignIn: async (limit: LimitName, key: string) => {
        used.add(`${limit}:${key}`)
        return await limits.consume(limit, key)
      },
    } as unknown as FastifyRequest
    return await attempts.count(request, email).then(
      () => undefined,
      (error: { body: { content: { retry_after: number } } }) => error.body.content.retry_after,
    )
  }
  return { tryFrom, used }
}

const networkOf = (n: number) => `10.${n >> 8}.${n & 255}.1`

describe('attempts for one e-mail', () => {
  it('make each network wait longer, and never refuse the first of a network', async () => {
    const { tryFrom } = createNode()
    let n = 0
    const attack = async (attempts: number) => {
      for (let end = n + attempts; n < end; n += 1) {
        expect(await tryFrom(networkOf(n))).toBeUndefined()
      }
    }
    const waitAfterFirst = async (ip: string) => {
      expect(await tryFrom(ip)).toBeUndefined()
      return await tryFrom(ip)
    }
    await attack(25)
    const short = await waitAfterFirst('192.0.2.1')
    expect(short).toBeGreaterThan(30)
    expect(short).toBeLessThanOrEqual(60)
    await attack(200)
    const long = await waitAfterFirst('192.0.2.2')
    expect(long).toBeGreaterThan(60)
    expect(long).toBeLessThanOrEqual(900)
    expect(await tryFrom('192.0.2.2', 'bob@shop.example')).toBeUndefined()
  })

  it('use a limited number of counters for any number of invented e-mails', async () => {
    const { tryFrom, used } = createNode()
    for (let n = 0; n < 500; n += 1) {
      await tryFrom(networkOf(n), `${'x'.repeat(200)}${n}@shop.example`)
    }
    for (const key of used) expect(key).toMatch(/^sign_in_(email|pair)\w*:[0-9a-f]{4}$/)
  })
})
