/** Specification, "Errors": the statuses of operations, unknown paths and rate limits. */
import { describe, expect, it } from 'vitest'
import { useHarness } from '../harness.ts'
import { operationsOf, readDocument } from '../support/document.ts'
import { newEmail, newPhone } from '../support/samples.ts'

const harness = useHarness()

const STATUSES = [200, 400, 401, 403, 404, 429, 500]
const ascending = (a: number, b: number): number => a - b
const NOT_FOUND = { success: false, message: 'Not found' }

describe('a path that does not exist', () => {
  it.each([
    '/v1/nothing',
    '/v1',
    '/v1/',
    '/v1/orders/4711',
    '/v2/check',
    '/check',
    '/',
    '/v1/check/a/b',
    '/v1/check/%',
  ])('is a 404 in the envelope, with a key and without: %s', async (path) => {
    await expectNotFound(path)
  })

  it('OP-38: is a 404 in the envelope, at any length', async () => {
    await expectNotFound(`/v1/check/${'a'.repeat(10_000)}`)
  })

  async function expectNotFound(path: string): Promise<void> {
    const { keys } = await harness().createTenant()
    for (const credential of [{ key: keys.live_secret }, {}]) {
      const { status, body } = await harness().call({ method: 'GET', path, ...credential })
      expect(status).toBe(404)
      expect(body).toEqual(NOT_FOUND)
    }
  }

  it.each([
    ['GET', '/v1/check'],
    ['PUT', '/v1/check'],
    ['DELETE', '/v1/check/bulk'],
    ['PATCH', '/v1/check/phone/report'],
    ['POST', '/v1/check/sandbox'],
    ['DELETE', '/v1/check/0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07'],
    ['GET', '/v1/profiles'],
    ['PATCH', '/v1/profiles'],
    ['GET', '/v1/orders'],
    ['PUT', '/v1/orders/bulk'],
  ] as const)('includes %s %s, because of the method', async (method, path) => {
    const { keys } = await harness().createTenant()
    const { status, body } = await harness().call({ method, path, key: keys.live_secret })
    expect(status).toBe(404)
    expect(body).toEqual(NOT_FOUND)
  })
})

describe('the statuses of every operation', () => {
  it('are documented, all of them and no others', () => {
    for (const { name, responses } of operationsOf(readDocument(harness().app))) {
      expect(Object.keys(responses).map(Number).toSorted(ascending), name).toEqual(STATUSES)
    }
  })
})

describe('OP-19: over the rate limit', () => {
  const strict = useHarness({
    settings: { VIGIL_RATE_LIMIT_CHECK: '3/60', VIGIL_RATE_LIMIT_REPORT: '1/60' },
  })

  const check = async (key: string, path = '/v1/check') =>
    await strict().call({ method: 'POST', path, key, body: { email: newEmail() } })

  it('a request is refused with 429, retry_after and Retry-After, and costs nothing', async () => {
    const { keys, org_id } = await strict().createTenant()
    for (let n = 0; n < 3; n += 1) expect((await check(keys.live_secret)).status).toBe(200)
    const { status, headers, body } = await check(keys.live_secret)
    expect(status).toBe(429)
    expect(body).toEqual({
      success: false,
      message: 'Rate limit exceeded',
      content: { retry_after: expect.any(Number) as number },
    })
    expect(body.content.retry_after).toBeGreaterThanOrEqual(1)
    expect(body.content.retry_after).toBeLessThanOrEqual(60)
    expect(headers['retry-after']).toBe(String(body.content.retry_after))
    expect(Object.keys(headers).filter((name) => /ratelimit/i.test(name))).toEqual([])
    expect((await strict().services.billing.funds(org_id))?.unposted_usage_credits).toBe(3)
  })

  it('a request is refused before its body is validated', async () => {
    const { keys } = await strict().createTenant()
    const request = { method: 'POST', path: '/v1/check', key: keys.live_secret, body: 5 } as const
    for (let n = 0; n < 3; n += 1) expect((await strict().call(request)).status).toBe(400)
    expect((await strict().call(request)).status).toBe(429)
  })

  it('all keys of an organization count together, and live and test separately', async () => {
    const { keys, org_id } = await strict().createTenant()
    const another = (await strict().services.keys.create(org_id, 'live_secret'))?.key ?? ''
    for (const key of [keys.live_secret, another, another]) await check(key)
    expect((await check(keys.live_secret)).status).toBe(429)
    expect((await check(keys.test_secret)).status).toBe(200)
  })

  it('a bulk request counts each of its checks, and is refused as a whole', async () => {
    const { keys, org_id } = await strict().createTenant()
    const checks = (count: number) => Array.from({ length: count }, () => ({ email: newEmail() }))
    const bulk = async (count: number) =>
      await strict().post('/v1/check/bulk', { checks: checks(count) }, { key: keys.live_secret })
    expect((await bulk(2)).status).toBe(200)
    expect((await bulk(2)).status).toBe(429)
    expect((await strict().services.billing.funds(org_id))?.unposted_usage_credits).toBe(2)
  })

  it('organizations and classes of endpoints count separately', async () => {
    const [one, two] = [await strict().createTenant(), await strict().createTenant()]
    for (let n = 0; n < 4; n += 1) await check(one.keys.live_secret, '/v1/check/bulk')
    expect((await check(one.keys.live_secret)).status).toBe(429)
    expect((await check(two.keys.live_secret)).status).toBe(200)
    const key = one.keys.live_secret
    expect((await strict().call({ method: 'GET', path: '/v1/check/sandbox', key })).status).toBe(
      200,
    )
    const body = { phone: newPhone(), outcome: 'spam' }
    const report = { method: 'POST', path: '/v1/check/phone/report', key, body } as const
    expect((await strict().call(report)).status).toBe(200)
    expect((await strict().call(report)).status).toBe(429)
  })
})
