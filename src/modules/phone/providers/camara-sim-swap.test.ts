import { createPrivateKey } from 'node:crypto'
import { exportJWK, exportPKCS8, generateKeyPair } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type CamaraEmulator,
  type CamaraScenario,
  startCamara,
} from '../../../../emulators/camara.ts'
import { startHttp } from '../../../../emulators/http-server.ts'
import { known, unknown } from '../../../platform/lookup.ts'
import { type CamaraOptions, createCamaraSimSwap } from './camara-sim-swap.ts'

const NOW = new Date('2026-02-01T12:00:00.000Z')
const CLEAN = '+346661113300'

const scenario: CamaraScenario = {
  clients: [{ client_id: 'vigil', client_secret: 'a secret+%' }],
  phones: {
    [CLEAN]: { activated: '2020-05-04T03:02:01.000Z' },
    '+346661113301': { activated: 20_000, last_swap: 48 },
    '+346661113302': { activated: 20_000, last_swap: 168 },
    '+346661113303': { activated: 20_000, last_swap: 169 },
    '+346661113304': {},
    '+346661113305': { applicable: false },
    '+346661113306': { activated: 3 },
    '+346661113307': { activated: 20_000, last_swap: 60 },
  },
}

let camara: CamaraEmulator
let now = NOW

beforeAll(async () => {
  camara = await startCamara({ port: 0, scenario, now: () => now })
})

beforeEach(() => {
  now = NOW
  camara.requests.length = 0
  camara.setScenario(scenario)
  camara.revokeTokens()
})

afterAll(() => camara.close())

const create = (overrides: Partial<CamaraOptions> = {}) =>
  createCamaraSimSwap({
    baseUrl: camara.sim_swap_url,
    tokenUrl: camara.token_url,
    clientId: 'vigil',
    auth: { clientSecret: 'a secret+%' },
    timeoutMs: 2_000,
    now: () => now,
    ...overrides,
  })

const paths = () => camara.requests.map((request) => request.path.replace('/sim-swap/v2', ''))
const tokenRequests = () => paths().filter((path) => path === '/oauth2/token').length
const bodies = () => camara.requests.map((request) => request.body)
const swap = (recent_sim_swap: boolean, sim_swap_date: string | null) =>
  known({ recent_sim_swap, sim_swap_date })

describe('an answer of the operator', () => {
  test.each([
    ['a swap two days ago', '+346661113301', swap(true, '2026-01-30T12:00:00.000Z')],
    ['a swap seven days ago to the hour', '+346661113302', swap(true, '2026-01-25T12:00:00.000Z')],
    ['a swap an hour earlier than that', '+346661113303', swap(false, '2026-01-25T11:00:00.000Z')],
    ['an old activation without a swap', CLEAN, swap(false, '2020-05-04T03:02:01.000Z')],
    ['a new activation, which counts', '+346661113306', swap(true, '2026-02-01T09:00:00.000Z')],
  ])('%s takes one request', async (_, phone, expected) => {
    expect(await create()(phone)).toEqual(expected)
    expect(paths()).toEqual(['/oauth2/token', '/retrieve-date'])
  })

  test('without date and period: the window is checked', async () => {
    expect(await create()('+346661113304')).toEqual(swap(false, null))
    expect(paths()).toEqual(['/oauth2/token', '/retrieve-date', '/check'])
    expect(bodies().at(-1)).toBe('{"phoneNumber":"+346661113304","maxAge":168}')
  })

  test('without a date in a period that covers the window means no swap', async () => {
    camara.setScenario({ ...scenario, monitored_period_days: 7 })
    expect(await create()(CLEAN)).toEqual(swap(false, null))
    expect(paths()).toEqual(['/oauth2/token', '/retrieve-date'])
  })

  test('with a period shorter than the window leaves the days before it unknown', async () => {
    camara.setScenario({ ...scenario, monitored_period_days: 2 })
    expect(await create()('+346661113307')).toEqual(unknown('not_applicable'))
    expect(bodies().at(-1)).toBe('{"phoneNumber":"+346661113307","maxAge":48}')
  })

  test('out of range without a period is repeated with one day', async () => {
    const limits = { monitored_period_days: 2, tell_monitored_period: false }
    camara.setScenario({ ...scenario, ...limits })
    expect(await create()('+346661113307')).toEqual(unknown('not_applicable'))
    expect(bodies().at(-1)).toBe('{"phoneNumber":"+346661113307","maxAge":24}')
  })

  test('for a client that is only allowed to check has no date', async () => {
    const lookup = create({ scope: 'sim-swap:check' })
    expect(await lookup('+346661113301')).toEqual(swap(true, null))
    expect(await lookup('+346661113303')).toEqual(swap(false, null))
  })

  test('about a swap within a shortened window is still a recent swap', async () => {
    const phones = { [CLEAN]: { last_swap: 5 } }
    camara.setScenario({ ...scenario, monitored_period_days: 3, phones })
    expect(await create({ scope: 'sim-swap:check' })(CLEAN)).toEqual(swap(true, null))
  })

  test('for a client without permission is a refusal', async () => {
    expect(await create({ scope: 'openid' })(CLEAN)).toEqual(unknown('refused'))
  })

  test.each([
    ['an unknown number', '+346661119999'],
    ['a customer that the service is not for', '+346661113305'],
  ])('%s is not applicable', async (_, phone) => {
    expect(await create()(phone)).toEqual(unknown('not_applicable'))
  })

  test('is not requested for a text that is not E.164', async () => {
    expect(await create()('346661113300')).toEqual(unknown('not_applicable'))
    expect(camara.requests).toEqual([])
  })

  test.each([{ latestSimChange: 5 }, { latestSimChange: 'yesterday' }, {}, [], 'text'])(
    '%j is a bad answer',
    async (body) => {
      const odd = await startHttp({
        port: 0,
        host: '127.0.0.1',
        handle: () => ({ status: 200, body }),
      })
      expect(await create({ baseUrl: odd.url })(CLEAN)).toEqual(unknown('bad_answer'))
      await odd.close()
    },
  )

  test('every request has a different correlator', async () => {
    await create()('+346661113304')
    const correlators = camara.requests.slice(1).map(({ headers }) => headers['x-correlator'])
    expect(new Set(correlators).size).toBe(2)
    expect(correlators.every((value) => /^[0-9a-f-]{36}$/.test(value ?? ''))).toBe(true)
  })
})

describe('tokens', () => {
  test('concurrent callers share one token request', async () => {
    const lookup = create()
    await Promise.all([lookup(CLEAN), lookup(CLEAN), lookup('+346661113301')])
    expect(tokenRequests()).toBe(1)
  })

  test('a token is used until shortly before its end', async () => {
    const lookup = create()
    await lookup(CLEAN)
    now = new Date(NOW.getTime() + 269_000)
    await lookup(CLEAN)
    expect(tokenRequests()).toBe(1)
    now = new Date(NOW.getTime() + 271_000)
    await lookup(CLEAN)
    expect(tokenRequests()).toBe(2)
  })

  test('a rejected token is replaced once', async () => {
    const lookup = create()
    await lookup(CLEAN)
    camara.revokeTokens()
    expect((await lookup(CLEAN)).known).toBe(true)
    expect(paths().slice(2)).toEqual(['/retrieve-date', '/oauth2/token', '/retrieve-date'])
  })

  test('an operator that rejects every token gets only two requests', async () => {
    camara.setScenario({ ...scenario, token_lifetime_s: 0 })
    expect(await create()(CLEAN)).toEqual(unknown('refused'))
    expect(paths().filter((path) => path === '/retrieve-date')).toHaveLength(2)
  })

  test('a failed token request is repeated', async () => {
    const lookup = create()
    camara.setScenario({ ...scenario, token_fault: '500' })
    expect(await lookup(CLEAN)).toEqual(unknown('server_error'))
    camara.setScenario(scenario)
    expect((await lookup(CLEAN)).known).toBe(true)
  })

  test('a wrong secret is refused', async () => {
    const auth = { clientSecret: 'wrong' }
    expect(await create({ auth })(CLEAN)).toEqual(unknown('refused'))
  })

  test('the secret can be sent in the body', async () => {
    const auth = { clientSecret: 'a secret+%', sendAs: 'body' } as const
    expect((await create({ auth })(CLEAN)).known).toBe(true)
    expect(camara.requests[0]?.headers['authorization']).toBeUndefined()
  })

  test.each(['ES256', 'ES384', 'PS256', 'EdDSA'])(
    'private_key_jwt with a key for %s, from PEM and from JWK',
    async (alg) => {
      const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
      const public_keys = [{ ...(await exportJWK(publicKey)), alg, kid: 'key-1' }]
      camara.setScenario({ ...scenario, clients: [{ client_id: 'vigil', public_keys }] })
      const privateKeyPem = await exportPKCS8(privateKey)
      const privateKeyJwk = createPrivateKey(privateKeyPem).export({ format: 'jwk' })
      const kid = 'key-1'
      const [fromPem, fromJwk] = [
        { privateKeyPem, kid },
        { privateKeyJwk, kid },
      ]
      expect((await create({ auth: fromPem })(CLEAN)).known).toBe(true)
      expect((await create({ auth: fromJwk })(CLEAN)).known).toBe(true)
      expect((await create({ auth: { ...fromPem, kid: 'key-2' } })(CLEAN)).known).toBe(false)
    },
  )

  test('an unreadable key throws on creation', () => {
    const auth = { privateKeyPem: 'no key' }
    expect(() => create({ auth })).toThrow()
  })

  test('a key of another algorithm is not configured', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true })
    const auth = { privateKeyPem: await exportPKCS8(privateKey), alg: 'RS256' }
    expect(await create({ auth })(CLEAN)).toEqual(unknown('not_configured'))
  })
})

describe('an operator in trouble', () => {
  test.each([
    ['429', 'rate_limited'],
    ['500', 'server_error'],
    ['reset', 'unreachable'],
    ['invalid_json', 'bad_answer'],
  ] as const)('%s is unknown: %s, from the API and from the token endpoint', async (fault, why) => {
    camara.setScenario({ ...scenario, fault })
    expect(await create()(CLEAN)).toEqual(unknown(why))
    camara.setScenario({ ...scenario, token_fault: fault })
    expect(await create()(CLEAN)).toEqual(unknown(why))
  })

  test.each([
    { fault: 'hang' },
    { fault: 'drip' },
    { latency_ms: 3_000 },
    { token_fault: 'hang' },
    { token_fault: 'drip' },
    { token_latency_ms: 3_000 },
  ] as const)('%j is unknown: timeout', async (trouble) => {
    camara.setScenario({ ...scenario, ...trouble })
    expect(await create({ timeoutMs: 80 })(CLEAN)).toEqual(unknown('timeout'))
  })
})
