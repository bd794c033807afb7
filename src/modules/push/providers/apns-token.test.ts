import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { decodeJwt, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { MINUTE_MS } from '../../../platform/time-units.ts'
import { type ApnsCredential, createApnsTokens, findKeyFault } from './apns-token.ts'

const pemOf = (curve: string) =>
  generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string

const CREDENTIAL: ApnsCredential = {
  team_id: 'VIGILTEAM1',
  key_id: 'ABCDE12345',
  private_key: pemOf('P-256'),
  environment: 'production',
}

/** A clock that is `minutes` into a 35-minute period, which starts a minute late. */
function setUp(minutes = 10) {
  const periodStart = Math.floor(Date.parse('2026-03-01T12:00:00Z') / (35 * MINUTE_MS))
  const time = { ms: (periodStart * 35 + 1 + minutes) * MINUTE_MS }
  const tokens = createApnsTokens({ now: () => new Date(time.ms) })
  const pass = (more: number) => {
    time.ms += more * MINUTE_MS
  }
  return { tokens, time, pass }
}

const issuedMs = (token: string | undefined) => (decodeJwt(token ?? '').iat ?? 0) * 1000

describe('provider tokens', () => {
  it('contain team, key and time, signed as Apple requires', async () => {
    const { tokens, time } = setUp()
    const token = tokens.token(CREDENTIAL) ?? ''
    const key = createPublicKey(CREDENTIAL.private_key)
    const currentDate = new Date(time.ms)
    const { payload, protectedHeader } = await jwtVerify(token, key, { currentDate })
    expect(protectedHeader).toEqual({ alg: 'ES256', kid: 'ABCDE12345' })
    expect(payload).toEqual({ iss: 'VIGILTEAM1', iat: issuedMs(token) / 1000 })
  })

  it('have the same time in all processes, and never one in the future', () => {
    const [one, other] = [setUp(0), setUp(34.9)]
    const issued = issuedMs(one.tokens.token(CREDENTIAL))
    expect(issuedMs(other.tokens.token(CREDENTIAL))).toBe(issued)
    expect(issued).toBe(one.time.ms - MINUTE_MS)
  })

  it.each(Array.from({ length: 36 }, (_, minutes) => minutes))(
    'signed %i minutes into a period are not renewed within 20 minutes, nor used after 57',
    (minutes) => {
      const { tokens, time, pass } = setUp(minutes)
      let last = { token: tokens.token(CREDENTIAL), minted_ms: time.ms }
      for (let passed = 0; passed < 200; passed += 1) {
        pass(1)
        const token = tokens.token(CREDENTIAL)
        expect(time.ms - issuedMs(token)).toBeLessThan(57 * MINUTE_MS)
        if (token === last.token) continue
        expect(time.ms - last.minted_ms).toBeGreaterThanOrEqual(20 * MINUTE_MS)
        last = { token, minted_ms: time.ms }
      }
    },
  )

  it('are renewed once when Apple reports them as expired', () => {
    const { tokens, time, pass } = setUp()
    const first = tokens.token(CREDENTIAL) ?? ''
    const second = tokens.renew(CREDENTIAL, first) ?? ''
    expect(issuedMs(second)).toBe(time.ms)
    expect(tokens.renew(CREDENTIAL, first)).toBe(second)
    expect(tokens.token(CREDENTIAL)).toBe(second)
    pass(1)
    expect(tokens.renew(CREDENTIAL, second)).toBeUndefined()
    pass(20)
    expect(tokens.renew(CREDENTIAL, second)).toEqual(expect.any(String))
  })

  it('are not renewed after Apple reported too many', () => {
    const { tokens, pass } = setUp(30)
    const token = tokens.token(CREDENTIAL) ?? ''
    pass(19)
    tokens.hold(CREDENTIAL)
    pass(19)
    expect(tokens.token(CREDENTIAL)).toBe(token)
    pass(2)
    expect(tokens.token(CREDENTIAL)).not.toBe(token)
  })

  it('differ for another key file under the same ids', () => {
    const { tokens } = setUp()
    const other = { ...CREDENTIAL, private_key: pemOf('P-256') }
    expect(tokens.token(other)).not.toBe(tokens.token(CREDENTIAL))
    expect(tokens.token({ ...CREDENTIAL, environment: 'sandbox' })).toBe(tokens.token(CREDENTIAL))
  })

  it.each([
    ['an invalid PEM', { private_key: 'AAAA' }],
    ['another curve', { private_key: pemOf('P-384') }],
    ['a short Key ID', { key_id: 'ABC' }],
    ['a Team ID with a line break', { team_id: 'VIGILTEAM\n' }],
  ])('are not signed with %s, and the fault does not reveal the key', (_, change) => {
    const { tokens } = setUp()
    const credential = { ...CREDENTIAL, ...change }
    expect(tokens.token(credential)).toBeUndefined()
    const fault = findKeyFault(credential)
    expect(fault).toMatch(/Key|Team/i)
    expect(fault).not.toContain(credential.private_key)
    expect(findKeyFault(CREDENTIAL)).toBeUndefined()
  })
})
