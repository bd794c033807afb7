/** OP-1: many checks in one request, each with an answer of its own. */
import { describe, expect, it } from 'vitest'
import { useHarness } from '../harness.ts'
import { countRows, usageOf } from '../support/books.ts'
import { newEmail, newPhone } from '../support/samples.ts'

const harness = useHarness({ settings: { VIGIL_CHECK_BULK_MAX: '20' } })

const bulk = async (key: string, checks: unknown) =>
  await harness().call<Envelope[]>({
    method: 'POST',
    path: '/v1/check/bulk',
    key,
    body: { checks },
  })

const invalid = (field: string) => ({
  success: false,
  message: expect.stringMatching(/\w/) as string,
  code: 'invalid_request',
  content: { field },
})

describe('OP-1: POST /check/bulk', () => {
  it('answers in the order of the request, as POST /check would have', async () => {
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

  it('a bad element does not fail the rest', async () => {
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
    // They run side by side: either payload may be the first, and the other one is refused.
    const [accepted, refused] = first?.success ? [first, third] : [third, first]
    expect(accepted).toMatchObject({ success: true, content: { email: same.email } })
    expect(refused).toEqual(invalid('event_id'))
    expect(await usageOf(harness().stores.db, org_id)).toHaveLength(1)
  })

  it.each([
    ['too many', Array.from({ length: 21 }, () => ({ email: 'jane@gmail.com' })), 'checks'],
    ['none', [], 'checks'],
    ['no list', { 0: { email: 'jane@gmail.com' } }, 'checks'],
    ['nothing', null, 'checks'],
    ['missing', undefined, 'checks'],
  ])('%s is a 400 for the whole, and nothing is stored', async (_, checks, field) => {
    const { keys, org_id } = await harness().createTenant()
    const before = await countRows(harness().stores.db, org_id)
    const { status, body } = await bulk(keys.live_secret, checks)
    expect(status).toBe(400)
    expect(body).toEqual(invalid(field))
    expect(await countRows(harness().stores.db, org_id)).toEqual(before)
  })
})

type Envelope = { success: boolean; content: Record<string, unknown> }
