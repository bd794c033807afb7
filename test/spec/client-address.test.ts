/**
 * Specification, "Check": the client IP is derived by the service from trusted forwarding headers.
 * It shows in what is counted: one velocity row for each address that was believed.
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

/** How many addresses were believed when one e-mail was checked under these headers. */
async function believed(on: Harness, headers: (string | undefined)[]): Promise<number> {
  const { keys, org_id } = await on.createTenant()
  const body = { email: newEmail() }
  for (const header of headers) {
    const request = { method: 'POST', path: '/v1/check', key: keys.live_secret, body } as const
    const forwarded = header === undefined ? {} : { headers: { 'x-forwarded-for': header } }
    expect((await on.call({ ...request, ...forwarded })).status).toBe(200)
  }
  const { velocity = 0 } = await countRows(on.stores.db, org_id)
  // One row is that of the e-mail.
  return velocity - 1
}

const ONE = ['198.51.100.1']
const TWO = ['198.51.100.1', '198.51.100.2']

describe('X-Forwarded-For', () => {
  it('is believed from nobody by default', async () => {
    expect(await believed(plain(), [undefined, ...TWO])).toBe(0)
  })

  it('is not believed from an address that is not a trusted proxy', async () => {
    expect(await believed(behindOther(), [undefined, ...TWO])).toBe(0)
  })

  it('is believed from VIGIL_TRUSTED_PROXIES', async () => {
    expect(await believed(behindProxy(), ONE)).toBe(1)
    expect(await believed(behindProxy(), TWO)).toBe(2)
  })

  it('is not made up when a proxy does not send it', async () => {
    expect(await believed(behindProxy(), [undefined])).toBe(0)
  })

  it('counts the last address before the trusted ones; what the client wrote itself is ignored', async () => {
    const spoofed = ['203.0.113.1, 198.51.100.1', '203.0.113.2, 198.51.100.1, 10.1.2.3']
    expect(await believed(behindProxy(), [...ONE, ...spoofed])).toBe(1)
  })

  it('is one address however a proxy spells it', async () => {
    const spellings = ['198.51.100.1:4711', '198.51.100.1:4712', '::ffff:198.51.100.1']
    expect(await believed(behindProxy(), [...ONE, ...spellings])).toBe(1)
    expect(await believed(behindProxy(), ['2001:db8::1', '[2001:DB8:0::1]:443'])).toBe(1)
  })

  it.each(['unknown', '_hidden', ',', '1.2.3', '::1%eth0', '<script>'])(
    'is nothing when it is no address: %j',
    async (text) => {
      expect(await believed(behindProxy(), [text])).toBe(0)
    },
  )
})

describe('other headers', () => {
  it('that proxies are known to send are not believed, not even from a trusted one', async () => {
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

describe('an address that many share', () => {
  it('never alone brings a check to medium, as an office or an integrator would', async () => {
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
