/**
 * Many clients send `Content-Type: application/json` with every request. Where a route declares no
 * body, the header changes nothing.
 */
import { describe, expect, it } from 'vitest'
import { useHarness } from './harness.ts'
import { withoutLimits } from './support/calls.ts'

const harness = useHarness({ settings: withoutLimits() })
const SOME_ID = '0198c3a2-0000-7c3d-9a54-3f2b8e6d1c07'
const BODYLESS = ['GET', 'HEAD', 'OPTIONS']

describe('a request without a body', () => {
  it('is answered the same with and without a content type, by every route', async () => {
    const { org_id, keys } = await harness().createTenant('business')
    const { app } = harness()
    const routes = app.declaredRoutes.flatMap(({ method, url, schema }) =>
      [method]
        .flat()
        .filter((name) => !BODYLESS.includes(name) && schema?.body === undefined)
        .map((name) => ({ method: name as 'DELETE', url })),
    )
    expect(routes.filter(({ url }) => url.startsWith('/v1/')).length).toBeGreaterThan(4)
    expect(routes.filter(({ url }) => url.startsWith('/console/')).length).toBeGreaterThan(5)
    for (const { method, url } of routes) {
      const path = `${url.replaceAll(/:\w+/g, SOME_ID)}?org_id=${org_id}&id=${SOME_ID}`
      // Some requests end the session.
      const headersOf = async () => ({
        'x-api-key': keys.live_secret,
        authorization: `Bearer ${await harness().signIn(org_id)}`,
      })
      const plain = await app.inject({ method, url: path, headers: await headersOf() })
      const typed = await app.inject({
        method,
        url: path,
        headers: { ...(await headersOf()), 'content-type': 'application/json' },
      })
      const [before, after] = [plain, typed].map(({ statusCode, body }) => {
        const { message } = JSON.parse(body) as { message: string }
        return [statusCode, message]
      })
      expect(after, `${method} ${url}`).toEqual(before)
    }
  })

  it('is a 404 where there is no route', async () => {
    for (const method of ['DELETE', 'PUT', 'POST', 'PATCH'] as const) {
      const headers = { 'content-type': 'application/json' }
      const { statusCode } = await harness().app.inject({ method, url: '/v1/orders/x', headers })
      expect(statusCode, method).toBe(404)
    }
  })
})
