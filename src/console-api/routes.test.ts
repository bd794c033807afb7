import { describe, expect, it } from 'vitest'
import { useHarness } from '../../test/harness.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_SIGN_IN: '3/60' } })

/** Each attempt from a network of its own, so that only the e-mail is counted. */
async function attempts(emails: string[]): Promise<number[]> {
  const statuses: number[] = []
  for (const [index, email] of emails.entries()) {
    const { statusCode } = await harness().app.inject({
      method: 'POST',
      url: '/console/api/auth/login',
      remoteAddress: `198.51.100.${index}`,
      payload: { email, password: 'wrong password' },
    })
    statuses.push(statusCode)
  }
  return statuses
}

describe('attempts to sign in', () => {
  it('at one account count together, however the e-mail is spelled', async () => {
    const ascii = ['ann@shop.example', ' ANN@shop.example', 'Ann@Shop.Example ']
    expect(await attempts([...ascii, 'ANN@SHOP.EXAMPLE'])).toEqual([401, 401, 401, 429])
    const greek = ['ΝΙΚΟΣ@shop.example', 'νικος@shop.example', 'νικοσ@shop.example']
    expect(await attempts([...greek, 'Νικος@shop.example'])).toEqual([401, 401, 401, 429])
    const dotted = ['İlk@shop.example', 'ilk@shop.example', 'i\u0307lk@shop.example']
    expect(await attempts([...dotted, 'ILK@shop.example'])).toEqual([401, 401, 401, 429])
  })

  it('from one network of IPv6 count together', async () => {
    const statuses: number[] = []
    for (const tail of ['::1', '::2', ':ffff:1:2:3', '::4']) {
      const { statusCode } = await harness().app.inject({
        method: 'POST',
        url: '/console/api/auth/login',
        remoteAddress: `2001:db8:7:1${tail}`,
        payload: { email: `${tail}@shop.example`, password: 'wrong password' },
      })
      statuses.push(statusCode)
    }
    expect(statuses).toEqual([401, 401, 401, 429])
  })
})
