/**
 * Specification, "Check": the client IP is derived by the service from trusted forwarding headers.
 * Velocity shows which address was used: each one has a row.
 */
import { describe, expect, it } from 'vitest'
import { type Harness, useHarness } from '../harness.ts'
import { countRows } from '../support/books.ts'
import { newEmail } from '../support/samples.ts'

const plain = useHarness()
const behindProxy = useHarness({ settings: { VIGIL_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' } })
const withoutUser = useHarness({
  settings: { VIGIL_TRUSTED_PROXIES: '127.0.0.1', VIGIL_END_USER_ADDRESS: 'ignored' },
})
const behindOther = useHarness({ settings: { VIGIL_TRUSTED_PROXIES: '192.0.2.1' } })

/** Returns the number of addresses that a check of one e-mail with these headers counted. */
async function believed(on: Harness, headers: (string | undefined)[]): Promise<number> {
  const { keys, org_id } = await on.createTenant()
  const body = { email: newEmail() }
  for (const header of headers) {
    const request = { method: 'POST', path: '/v1/check', key: keys.live_secret, body } as const
    const forwarded = header === undefined ? {} : { headers: { 'x-forwarded-for': header } }
    expect((await on.call({ ...request, ...forwarded })).status).toBe(200)
  }
  const { velocity = 0 } = await countRows(on.stores.db, org_id)
  // One of the rows counts the e-mail.
  return velocity - 1
}

const ONE = ['198.51.100.1']
const TWO = ['198.51.100.1', '198.51.100.2']

describe('X-Forwarded-For', () => {
  it('is ignored by default', async () => {
    expect(await believed(plain(), [undefined, ...TWO])).toBe(0)
  })

  it('is ignored from an address that is not a trusted proxy', async () => {
    expect(await believed(behindOther(), [undefined, ...TWO])).toBe(0)
  })

  it('is used from VIGIL_TRUSTED_PROXIES', async () => {
    expect(await believed(behindProxy(), ONE)).toBe(1)
    expect(await believed(behindProxy(), TWO)).toBe(2)
  })

  it('is not replaced when a proxy does not send it', async () => {
    expect(await believed(behindProxy(), [undefined])).toBe(0)
  })

  it('counts the last address before the trusted ones, and ignores those that the client wrote', async () => {
    const spoofed = ['203.0.113.1, 198.51.100.1', '203.0.113.2, 198.51.100.1, 10.1.2.3']
    expect(await believed(behindProxy(), [...ONE, ...spoofed])).toBe(1)
  })

  it('counts the same address once in any notation', async () => {
    const spellings = ['198.51.100.1:4711', '198.51.100.1:4712', '::ffff:198.51.100.1']
    expect(await believed(behindProxy(), [...ONE, ...spellings])).toBe(1)
    expect(await believed(behindProxy(), ['2001:db8::1', '[2001:DB8:0::1]:443'])).toBe(1)
  })

  it.each(['unknown', '_hidden', ',', '1.2.3', '::1%eth0', '<script>'])(
    'is ignored when it is not an address: %j',
    async (text) => {
      expect(await believed(behindProxy(), [text])).toBe(0)
    },
  )
})

describe('other headers', () => {
  it('that proxies send are ignored, even from a trusted proxy', async () => {
    const { keys, org_id } = await behindProxy().createTenant()
    const address = '198.51.100.1'
    const headers = {
      forwarded: `for=${address}`,
      'x-real-ip': address,
      'true-client-ip': address,
      'cf-connecting-ip': address,
    }
    const body = { email: newEmail() }
    const request = { method: 'POST', path: '/v1/check', key: keys.live_secret, body } as const
    await behindProxy().call({ ...request, headers })
    expect((await countRows(behindProxy().stores.db, org_id))['velocity']).toBe(1)
  })
})

describe('a shared address', () => {
  it('never brings a check to medium alone, even with the traffic of an office', async () => {
    const { keys } = await behindProxy().createTenant()
    const headers = { 'x-forwarded-for': '198.51.100.77' }
    const scores = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const body = { email: newEmail() }
        const request = { method: 'POST', path: '/v1/check', key: keys.live_secret, body } as const
        const answer = await behindProxy().call<{ risk_score: number }>({ ...request, headers })
        return answer.body.content.risk_score
      }),
    )
    expect(Math.max(...scores)).toBeLessThan(25)
    expect(Math.max(...scores)).toBeGreaterThan(0)
  })

  it('is neither examined nor counted with VIGIL_END_USER_ADDRESS=ignored', async () => {
    expect(await believed(withoutUser(), TWO)).toBe(0)
  })
})
