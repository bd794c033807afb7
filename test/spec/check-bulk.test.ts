/** OP-1: several checks in one request, each with a separate result. */
import { describe, expect, it } from 'vitest'
import { openHarness, useHarness } from '../harness.ts'
import { invalid } from '../support/answers.ts'
import { countRows, usageOf } from '../support/books.ts'
import { newEmail, newPhone } from '../support/samples.ts'

const harness = useHarness({ settings: { VIGIL_CHECK_BULK_MAX: '20' } })

const bulk = async (key: string, checks: unknown) =>
  await harness().post<Envelope[]>('/v1/check/bulk', { checks }, { key })

const sendText = async (key: string, payload: string) => {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const sent = { method: 'POST', url: '/v1/check/bulk', headers, payload } as const
  const answer = await harness().app.inject(sent)
  return { status: answer.statusCode, body: answer.json<{ content: Envelope[] }>() }
}

describe('OP-1: POST /check/bulk', () => {
  it('answers in the order of the request, as POST /check would', async () => {
    const { keys } = await harness().createTenant()
    const key = keys.live_secret
    const emails = Array.from({ length: 20 }, newEmail)
    const { status, body } = await bulk(
      key,
      emails.map((email) => ({ email })),
    )
    expect(status).toBe(200)
    expect(body.content.map(({ content }) => content['email'])).toEqual(emails)
    for (const answer of body.content) {
      const path = `/v1/check/${String(answer.content['check_id'])}`
      expect((await harness().call({ method: 'GET', path, key })).body).toEqual(answer)
    }
  })

  it('an invalid element does not fail the rest', async () => {
    const { keys, org_id } = await harness().createTenant()
    const { status, body } = await bulk(keys.test_secret, [
      { email: newEmail() },
      {},
      { email: 5 },
      'text',
      null,
      [],
      { email: newEmail(), ip_address: '203.0.113.7' },
      { phone: newPhone(), device: 'x' },
      { email: 'server-error@example.com' },
      { email: 'rate-limited@example.com' },
      { phone: newPhone() },
    ])
    expect(status).toBe(200)
    expect(body.content).toEqual([
      expect.objectContaining({ success: true, message: 'Check completed' }),
      invalid('email'),
      invalid('email'),
      invalid('body'),
      invalid('body'),
      invalid('body'),
      invalid('ip_address'),
      invalid('device'),
      { success: false, message: 'Internal server error' },
      { success: false, message: 'Rate limit exceeded', content: { retry_after: 1 } },
      expect.objectContaining({ success: true, message: 'Check completed' }),
    ])
    expect(await usageOf(harness().stores.db, org_id)).toHaveLength(2)
  })

  it('elements with one event_id share one check and one price', async () => {
    const { keys, org_id } = await harness().createTenant()
    const same = { email: newEmail(), event_id: 'bulk' }
    const other = { ...same, event_type: 'login' }
    const { body } = await bulk(keys.live_secret, [same, same, other, same])
    const [first, second, third, fourth] = body.content
    expect([second, fourth]).toEqual([first, first])
    expect(first).toMatchObject({ success: true, content: { email: same.email } })
    expect(third).toEqual(invalid('event_id'))
    expect(await usageOf(harness().stores.db, org_id)).toHaveLength(1)
  })

  it('the first element with an event_id wins, however long it takes', async () => {
    const { keys } = await harness().createTenant()
    for (let turn = 0; turn < 6; turn += 1) {
      const event_id = `first-${turn}`
      // The domain of the first one needs look-ups, the second one is refused or done immediately.
      const first = { email: newEmail(), phone: newPhone(), event_id }
      const second = { device: { fingerprint_hash: 'f' }, event_id }
      const { body } = await bulk(keys.live_secret, [first, second])
      expect(body.content.map(({ success }) => success)).toEqual([true, false])
      expect(body.content[1]).toEqual(invalid('event_id'))
    }
  })

  it('an element that is not strict JSON does not fail the rest', async () => {
    const { keys } = await harness().createTenant()
    const good = JSON.stringify({ email: newEmail() })
    const twice = '{"email":"a@example.com","email":"b@example.com"}'
    const { status, body } = await sendText(
      keys.test_secret,
      `{"checks":[${good},${twice},{"metadata":{"a":"\\u0000"}},${good}]}`,
    )
    expect(status).toBe(200)
    expect(body.content.map(({ success }) => success)).toEqual([true, false, false, true])
    expect(body.content.slice(1, 3)).toEqual([invalid('email'), invalid('metadata.a')])
  })

  it('more elements than the rate limit ever allows are a 400, not a 429', async () => {
    const limited = await openHarness({ settings: { VIGIL_RATE_LIMIT_CHECK: '5/3' } })
    const { keys } = await limited.createTenant()
    const send = async (count: number) => {
      const checks = Array.from({ length: count }, () => ({ email: newEmail() }))
      return await limited.post('/v1/check/bulk', { checks }, { key: keys.test_secret })
    }
    const { status, body } = await send(6)
    expect([status, body.content.field]).toEqual([400, 'checks'])
    expect(body.message).toContain('more than 5 items')
    await limited.close()
  })

  it.each(['metadata', 'device', 'behavior'])('limits the size of %s', async (name) => {
    const { keys } = await harness().createTenant()
    const max = harness().config.check_data_max_bytes
    const around = JSON.stringify({ a: '' }).length
    const ofBytes = (bytes: number) => ({
      email: newEmail(),
      [name]: { a: 'é'.repeat((bytes - around) / 2) },
    })
    const elements = [ofBytes(max), ofBytes(max + 2)]
    const { body } = await bulk(keys.test_secret, elements)
    expect(body.content.map(({ success }) => success)).toEqual([true, false])
    expect(body.content[1]).toEqual(invalid(name))
    const key = keys.test_secret
    expect((await harness().post('/v1/check', elements[1], { key })).body).toEqual(invalid(name))
  })

  it.each([
    ['too many', Array.from({ length: 21 }, () => ({ email: 'jane@gmail.com' })), 'checks'],
    ['none', [], 'checks'],
    ['no list', { 0: { email: 'jane@gmail.com' } }, 'checks'],
    ['nothing', null, 'checks'],
    ['missing', undefined, 'checks'],
  ])('%s is a 400 for the whole request, and nothing is stored', async (_, checks, field) => {
    const { keys, org_id } = await harness().createTenant()
    const before = await countRows(harness().stores.db, org_id)
    const { status, body } = await bulk(keys.live_secret, checks)
    expect(status).toBe(400)
    expect(body).toEqual(invalid(field))
    expect(await countRows(harness().stores.db, org_id)).toEqual(before)
  })
})

type Envelope = { success: boolean; content: Record<string, unknown> }
