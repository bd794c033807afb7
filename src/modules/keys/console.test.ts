import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../test/harness.ts'
import type { LedgerPage } from '../billing/index.ts'
import type { RequestPage } from '../requests/index.ts'
import type { Volume } from '../volume/schema.ts'
import type { KeyRecord } from './index.ts'

const harness = useHarness()
const TRIES_MAX = 40
const PAUSE_MS = 100

const get = async <T>(path: string, token: string) =>
  await harness().call<T>({ method: 'GET', path: `/console/api/${path}`, token })
const post = async <T>(path: string, token: string, body: object) =>
  await harness().call<T>({ method: 'POST', path: `/console/api/${path}`, token, body })

/** The request log is written once a second. */
async function requestsOf(orgId: string, token: string, count: number, filter = '') {
  for (let n = 0; n < TRIES_MAX; n += 1) {
    const { body } = await get<RequestPage>(`requests?org_id=${orgId}${filter}`, token)
    if (body.content.requests.length >= count) return body.content.requests
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  throw new Error(`there were never ${count} requests`)
}

async function newOrganization() {
  const tenant = await harness().createTenant()
  const admin = await harness().signIn(tenant.org_id, 'admin')
  const member = await harness().signIn(tenant.org_id, 'member')
  const stranger = await harness().signIn((await harness().createTenant()).org_id)
  return { ...tenant, admin, member, stranger }
}

describe('API keys in the console', () => {
  it('are created, used, rolled and revoked by admins, who are listed as their creators', async () => {
    const { org_id, admin } = await newOrganization()
    type Made = { key_id: string; key: string }
    const check = async (key: string) =>
      (await harness().call({ method: 'POST', path: '/v1/check', key, body: EXAMPLE })).status
    const first = (await post<Made>('keys', admin, { org_id, type: 'test_secret' })).body.content
    expect(await check(first.key)).toBe(200)
    const rolled = await post<Made>('keys/roll', admin, { org_id, key_id: first.key_id })
    const second = rolled.body.content
    expect([await check(first.key), await check(second.key)]).toEqual([401, 200])
    const revoked = await post('keys/revoke', admin, { org_id, key_id: second.key_id })
    expect(revoked.status).toBe(200)
    expect(await check(second.key)).toBe(401)
    const listed = await get<KeyRecord[]>(`keys?org_id=${org_id}`, admin)
    const [newest, replaced, oldest] = listed.body.content
    expect(newest?.created_by).toMatch(/@vigil\.test$/)
    expect(replaced?.replaced_by).toBe(second.key_id)
    expect(oldest?.created_by).toBeNull()
  })

  it('have limits, which the service enforces, and the last use', async () => {
    const { org_id, admin, member } = await newOrganization()
    const limits = { name: 'Sign-up', scopes: ['checks:write'], networks: ['127.0.0.1'] }
    const { key, key_id } = (
      await post<{ key: string; key_id: string }>('keys', admin, {
        org_id,
        type: 'test_secret',
        ...limits,
      })
    ).body.content
    const send = async (path: string) => {
      const answer = await harness().call({ method: 'POST', path, key, body: EXAMPLE })
      return [answer.status, answer.body.message]
    }
    expect((await send('/v1/check'))[0]).toBe(200)
    const refusal = [403, 'This API key does not have the scope profiles:write']
    expect(await send('/v1/profiles')).toEqual(refusal)
    const logged = await requestsOf(org_id, member, 2, '&mode=test')
    expect(logged.map(({ status }) => status)).toEqual([403, 200])

    const change = { method: 'PATCH', path: `/console/api/keys/${key_id}`, token: admin } as const
    const elsewhere = { org_id, networks: ['192.0.2.0/24'] }
    expect((await harness().call({ ...change, body: elsewhere })).status).toBe(200)
    expect((await send('/v1/check'))[0]).toBe(403)
    const [record] = (await get<KeyRecord[]>(`keys?org_id=${org_id}`, admin)).body.content
    expect(record).toMatchObject({ ...limits, networks: ['192.0.2.0/24'] })
    const ofStranger = { ...change, path: `/console/api/keys/${org_id}`, body: { org_id } }
    expect((await harness().call(ofStranger)).status).toBe(404)
  })

  it('work on for a chosen time when they are rolled', async () => {
    const { org_id, admin } = await newOrganization()
    type Made = { key_id: string; key: string }
    const old = (await post<Made>('keys', admin, { org_id, type: 'test_secret' })).body.content
    const roll = { org_id, key_id: old.key_id, overlap_hours: 24 }
    expect((await post('keys/roll', admin, { ...roll, overlap_hours: 2 })).status).toBe(400)
    const rolled = await post<Made>('keys/roll', admin, roll)
    expect(rolled.body.message).toBe('Key rolled; the old one works for 24 more hours')
    for (const { key } of [old, rolled.body.content]) {
      const sent = { method: 'POST', path: '/v1/check', key, body: EXAMPLE } as const
      expect((await harness().call(sent)).status).toBe(200)
    }
  })

  it('are neither visible to nor changed by members and strangers', async () => {
    const { org_id, member, stranger } = await newOrganization()
    for (const [token, status] of [
      [member, 403],
      [stranger, 404],
    ] as const) {
      expect((await get(`keys?org_id=${org_id}`, token)).status).toBe(status)
      expect((await post('keys', token, { org_id, type: 'test_secret' })).status).toBe(status)
      const one = { org_id, key_id: org_id }
      expect((await post('keys/roll', token, one)).status).toBe(status)
      expect((await post('keys/revoke', token, one)).status).toBe(status)
      expect((await get(`credits?org_id=${org_id}`, token)).status).toBe(status)
      expect((await get(`ledger?org_id=${org_id}`, token)).status).toBe(status)
    }
    expect((await get(`requests?org_id=${org_id}`, member)).status).toBe(200)
    expect((await get(`requests?org_id=${org_id}`, stranger)).status).toBe(404)
  })
})

describe('the ledger', () => {
  it('shows each transfer with the balance after it, across pages', async () => {
    const { org_id, admin } = await newOrganization()
    const { billing } = harness().services
    const empty = await get<LedgerPage>(`ledger?org_id=${org_id}`, admin)
    expect(empty.body.content).toEqual({ entries: [], next_cursor: null })
    for (const [index, credits] of [10, 0.5, 4.25].entries()) {
      await billing.grantCredits(org_id, credits, `Grant ${index}`, `g${index}`)
    }
    const listed: unknown[] = []
    let cursor = ''
    do {
      const path = `ledger?org_id=${org_id}&limit=2${cursor && `&cursor=${cursor}`}`
      const { entries, next_cursor } = (await get<LedgerPage>(path, admin)).body.content
      listed.push(
        ...entries.map(({ reason, credits, balance_credits }) => [
          reason,
          credits,
          balance_credits,
        ]),
      )
      cursor = next_cursor ?? ''
    } while (cursor !== '')
    expect(listed).toEqual([
      ['Grant 2', 4.25, 14.75],
      ['Grant 1', 0.5, 10.5],
      ['Grant 0', 10, 10],
    ])
  })

  it.each(['x', `${'0'.repeat(36)}.1`, '.'])('refuses the cursor %s', async (cursor) => {
    const { org_id, admin } = await newOrganization()
    const path = `ledger?org_id=${org_id}&cursor=${cursor}`
    const answer = await get<{ field: string }>(path, admin)
    expect([answer.status, answer.body.content.field]).toEqual([400, 'cursor'])
  })
})

describe('usage', () => {
  it('is listed by day for thirty days, to all members and no one else', async () => {
    const { org_id, keys, member, stranger } = await newOrganization()
    await harness().call({
      method: 'POST',
      path: '/v1/check',
      key: keys.test_secret,
      body: EXAMPLE,
    })
    const { body } = await get<Volume>(`usage?org_id=${org_id}&mode=test`, member)
    const { starts, meters, step } = body.content
    expect([starts.length, step]).toEqual([30, 'day'])
    expect(starts.every((start) => start.endsWith('T00:00:00.000Z'))).toBe(true)
    expect(meters).toMatchObject([{ meter: 'check', total_quantity: 1, total_credits: 0 }])
    expect(meters[0]?.quantity.at(-1)).toBe(1)
    const live = await get<Volume>(`usage?org_id=${org_id}&days=7`, member)
    expect([live.body.content.starts.length, live.body.content.meters]).toEqual([7, []])
    expect((await get(`usage?org_id=${org_id}`, stranger)).status).toBe(404)
    expect((await get(`usage?org_id=${org_id}&days=91`, member)).status).toBe(400)
  })
})

const EXAMPLE = { email: 'jane@mailinator.com', event_type: 'signup' }

describe('the request log in the console', () => {
  it('shows requests with a key, refused or not, without their query', async () => {
    const { org_id, keys, member } = await newOrganization()
    const call = async (path: string, body?: object) =>
      await harness().call({
        method: body ? 'POST' : 'GET',
        path,
        key: keys.test_secret,
        ...(body && { body }),
      })
    await call('/v1/check', EXAMPLE)
    await call('/v1/check', { email: 5 })
    await call('/v1/check/unknown?secret=hidden')
    const requests = await requestsOf(org_id, member, 3, '&mode=test')
    expect(
      requests.map(({ method, route, path, status, mode }) => ({
        method,
        route,
        path,
        status,
        mode,
      })),
    ).toEqual([
      {
        method: 'GET',
        route: '/v1/check/:id',
        path: '/v1/check/unknown',
        status: 404,
        mode: 'test',
      },
      { method: 'POST', route: '/v1/check', path: '/v1/check', status: 400, mode: 'test' },
      { method: 'POST', route: '/v1/check', path: '/v1/check', status: 200, mode: 'test' },
    ])
    expect(requests[0]?.key_hint).toMatch(/^sk_test_….{4}$/)
    expect(JSON.stringify(requests)).not.toContain('hidden')
    const refused = await requestsOf(org_id, member, 2, '&mode=test&status=4xx')
    expect(refused).toHaveLength(2)
  })

  it('shows API requests of signed-in users, and lets strangers write nothing', async () => {
    const { org_id, admin, member, stranger } = await newOrganization()
    await get(`me`, admin)
    const listing = { method: 'GET', path: `/v1/webhooks?org_id=${org_id}` } as const
    expect((await harness().call({ ...listing, token: stranger })).status).toBeGreaterThan(400)
    expect((await harness().call({ ...listing, token: admin })).status).toBe(200)
    const requests = await requestsOf(org_id, member, 1)
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({ status: 200, key_hint: null, mode: null })
    expect(requests[0]?.user_email).toMatch(/@vigil\.test$/)
  })

  it('does not log a request for another organization when it names two', async () => {
    const { org_id, admin, member } = await newOrganization()
    const theirs = await newOrganization()
    const call = async (org: string, other: string) =>
      await harness().call({
        method: 'POST',
        path: `/v1/mdm/groups?org_id=${org}`,
        token: admin,
        body: { name: 'Tills', org_id: other },
      })
    expect((await call(org_id, theirs.org_id)).status).toBe(200)
    // This request is written after the other one, so its entry proves that the other is missing.
    await harness().call({
      method: 'GET',
      path: `/v1/webhooks?org_id=${theirs.org_id}`,
      token: theirs.admin,
    })
    const [own] = await requestsOf(org_id, member, 1)
    expect(own?.route).toBe('/v1/mdm/groups')
    const routes = (await requestsOf(theirs.org_id, theirs.member, 1)).map(({ route }) => route)
    expect(routes).toEqual(['/v1/webhooks'])
  })

  it.each([
    ['cursor', 'cursor=x'],
    ['key_id', 'key_id=x'],
    ['path', 'path=%00'],
    ['status', 'status=3xx'],
    ['method', 'method=TRACE'],
    ['limit', 'limit=0'],
  ])('refuses an invalid %s', async (field, query) => {
    const { org_id, member } = await newOrganization()
    const path = `requests?org_id=${org_id}&${query}`
    const answer = await get<{ field: string }>(path, member)
    expect([answer.status, answer.body.content.field]).toEqual([400, field])
  })
})
