import { generateKeyPairSync } from 'node:crypto'
import { Writable } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { type ApnsReason, REASONS, startApns } from '../../../../emulators/apns/index.ts'
import { createAuthority } from '../../../../emulators/certificate.ts'
import { createLog } from '../../../platform/log.ts'
import { createApnsSender } from './apns.ts'
import { PERIOD_MS } from './apns-token.ts'
import type { AppleMessage } from './port.ts'

const authority = createAuthority()
/** A token that is signed at this time is 11 minutes old. */
const START = Math.floor(Date.parse('2026-03-01T12:00:00Z') / PERIOD_MS) * PERIOD_MS + 11 * 60_000
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
})

/** Both environments with the same keys, and a sender whose log is recorded. */
async function setUp({ deadline_ms = 10_000 } = {}) {
  /** Minutes since `START`. */
  const time = { ours: 0, apples: 0 }
  const nowAt = (environment: keyof typeof time) => () =>
    new Date(START + time[environment] * 60_000)
  const apple = { port: 0, authority, now: nowAt('apples') }
  const production = await startApns({ ...apple, environment: 'production' })
  const key = production.control.signingKey()
  const sandbox = await startApns({ ...apple, environment: 'sandbox', keys: [key] })
  cleanups.push(production.close, sandbox.close)
  const lines: string[] = []
  const log = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString())
      done()
    },
  })
  const sender = createApnsSender({
    urls: { production: production.url, sandbox: sandbox.url },
    ca: authority.cert,
    log: createLog('trace', log),
    deadline_ms,
    now: nowAt('ours'),
  })
  cleanups.push(() => sender.close(0))
  const credentialOf = ({ team_id, key_id, private_key }: typeof key) => ({
    team_id,
    key_id,
    private_key,
    environment: 'production' as const,
  })
  const credential = credentialOf(key)
  const send = (token: string, change: Partial<AppleMessage> = {}, by: Credential = credential) =>
    sender.send(messageTo(token, change), by, { signal: new AbortController().signal })
  const { control } = production
  return { control, sandbox, sender, send, credential, credentialOf, time, lines }
}
type Credential = Parameters<ReturnType<typeof createApnsSender>['send']>[1]

const messageTo = (token: string, change: Partial<AppleMessage> = {}): AppleMessage => ({
  recipient_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
  message_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c08',
  token,
  bundle_id: 'com.example.app',
  title: 'Hello',
  data: { order_id: '17' },
  priority: 'high',
  ...change,
})

describe('a message to an Apple device', () => {
  it('is accepted under our id and arrives unchanged', async () => {
    const { control, send } = await setUp()
    const { token } = control.makePhone()
    const result = await send(token.toUpperCase(), { ttl_seconds: 60, collapse_key: 'zwei Wörter' })
    const provider_id = expect.stringMatching(/^0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07$/i) as string
    expect(result).toEqual({ kind: 'accepted', provider_id })
    expect(control.getPhone(token).last[0]?.body).toMatchObject({
      aps: { alert: { title: 'Hello' } },
      order_id: '17',
    })
  })

  it('in the background is accepted, too', async () => {
    const { sender, control, credential } = await setUp()
    const { title: _, ...rest } = messageTo(control.makePhone().token)
    const { signal } = new AbortController()
    expect((await sender.send(rest, credential, { signal })).kind).toBe('accepted')
  })

  it('goes to the environment of its credential, which has separate device tokens', async () => {
    const { sandbox, send, credential } = await setUp()
    const { token } = sandbox.control.makePhone()
    const there = { ...credential, environment: 'sandbox' as const }
    expect((await send(token, {}, there)).kind).toBe('accepted')
    expect(await send(token)).toEqual({
      kind: 'token_invalid',
      reason: 'BadDeviceToken',
      is_wrong_environment: true,
    })
  })

  it('shares one connection with all others, which starts with one stream', async () => {
    const { control, sender, send } = await setUp()
    const phones = control.makePhones(500)
    const results = await Promise.all(phones.map((token) => send(token)))
    expect(results.every(({ kind }) => kind === 'accepted')).toBe(true)
    expect(control.truth()).toMatchObject({ accepted: 500, repeated: 0 })
    expect(control.traffic().connections_total).toBe(1)
    expect(sender.inFlight()).toBe(0)
  })

  it.each(['', 'abc', '../../other', 'zz'.repeat(32), 'a b'.repeat(20)])(
    'is not sent to a malformed token: %j',
    async (token) => {
      const { control, send } = await setUp()
      expect(await send(token)).toEqual({ kind: 'token_invalid', reason: 'MalformedToken' })
      expect(control.traffic().connections_total).toBe(0)
    },
  )

  it('that cannot be built is not sent', async () => {
    const { control, send } = await setUp()
    const result = await send(control.makePhone().token, { body: 'x'.repeat(5000) })
    expect(result).toMatchObject({ reason: expect.stringMatching(/^body is too long/) as string })
    expect(control.traffic().connections_total).toBe(0)
  })
})

describe('reasons documented by Apple', () => {
  it('have a result each, without the token in it', async () => {
    const { control, send } = await setUp()
    const kinds = new Map<string, number>()
    for (const code of Object.keys(REASONS) as ApnsReason[]) {
      const { token } = control.makePhone()
      control.changePhone(token, { denial: { code } })
      const result = await send(token)
      kinds.set(result.kind, (kinds.get(result.kind) ?? 0) + 1)
      const isNamed = 'reason' in result ? result.reason === code : result.kind === 'throttled'
      expect([code, isNamed]).toEqual([code, true])
      expect(JSON.stringify(result)).not.toContain(token)
    }
    expect(Object.fromEntries(kinds)).toEqual({
      token_invalid: 4,
      message_rejected: 11,
      credential_rejected: 12,
      throttled: 2,
      retry: 4,
    })
  })

  it('include the time since when a token is invalid', async () => {
    const { control, send } = await setUp()
    const { token } = control.makePhone()
    const timestamp_ms = Date.parse('2026-03-01T12:00:00.123Z')
    control.changePhone(token, { gone: { reason: 'Unregistered', timestamp_ms } })
    expect(await send(token)).toEqual({
      kind: 'token_invalid',
      reason: 'Unregistered',
      invalid_since: new Date(timestamp_ms),
    })
  })

  it('distinguish tokens and topics of other apps', async () => {
    const { control, send } = await setUp()
    const { token } = control.makePhone({ bundle_id: 'com.example.second' })
    const other = await send(token)
    expect(other).toEqual({ kind: 'token_invalid', reason: 'DeviceTokenNotForTopic' })
    const unknown = await send(token, { bundle_id: 'com.unknown.app' })
    expect(unknown.kind).toBe('credential_rejected')
  })
})

describe('the key', () => {
  it('that Apple does not know is rejected without holding up others', async () => {
    const { control, send, credential } = await setUp()
    const { token } = control.makePhone()
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const forged = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const [bad, good] = await Promise.all([
      send(token, {}, { ...credential, private_key: forged }),
      send(token),
    ])
    expect(bad).toMatchObject({ kind: 'credential_rejected', reason: 'InvalidProviderToken' })
    expect(good.kind).toBe('accepted')
  })

  it('that cannot be read is rejected without a connection', async () => {
    const { control, send, credential } = await setUp()
    const result = await send(control.makePhone().token, {}, { ...credential, private_key: 'x' })
    expect(result).toMatchObject({ kind: 'credential_rejected', reason: 'UnreadableKey' })
    expect(control.traffic().connections_total).toBe(0)
  })

  it('of the other environment is reported as such', async () => {
    const { control, send, credentialOf } = await setUp()
    const key = control.addKey({ environments: ['sandbox'] })
    const result = await send(control.makePhone().token, {}, credentialOf(key))
    expect(result).toMatchObject({ reason: 'BadEnvironmentKeyIdInToken' })
  })

  it('has separate connections', async () => {
    const { control, send, credentialOf } = await setUp()
    const { token } = control.makePhone()
    const key = control.addKey()
    const results = [await send(token), await send(token, {}, credentialOf(key)), await send(token)]
    expect(results.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted'])
    expect(control.traffic().connections_total).toBe(2)
  })

  it('signs a new token once when Apple reports the old one as expired', async () => {
    const { control, send, time } = await setUp()
    const phones = control.makePhones(50)
    await send(phones[0] ?? '')
    time.apples = 55
    const results = await Promise.all(phones.map((token) => send(token)))
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['accepted']))
    time.apples = 65
    const late = await send(phones[0] ?? '')
    expect(late).toMatchObject({ kind: 'throttled', scope: 'token_updates' })
    time.ours = 21
    expect((await send(phones[0] ?? '')).kind).toBe('accepted')
  })

  it('is reported as expired when a new token does not help', async () => {
    const { control, send, time } = await setUp()
    time.apples = 65
    const result = await send(control.makePhone().token)
    expect(result).toMatchObject({ kind: 'credential_rejected', reason: 'ExpiredProviderToken' })
    expect(control.requests()).toHaveLength(2)
  })
})

describe('a failed request', () => {
  it('that may have been accepted is ambiguous, and repeats under the same id', async () => {
    const { control, send } = await setUp()
    const { token } = control.makePhone()
    control.changePhone(token, { denial: { code: 'lost_answer', times: 1 } })
    expect(await send(token)).toEqual({ kind: 'retry', reason: 'broken', is_ambiguous: true })
    expect((await send(token)).kind).toBe('accepted')
    expect(control.truth()).toMatchObject({ accepted: 2, repeated: 1 })
  })

  it('ends at the deadline of the attempt', async () => {
    const { control, send } = await setUp({ deadline_ms: 300 })
    const { token } = control.makePhone()
    await send(token)
    control.changePhone(token, { denial: { code: 'hang' } })
    expect(await send(token)).toEqual({ kind: 'retry', reason: 'timeout', is_ambiguous: true })
  })

  it('ends when the caller aborts it', async () => {
    const { control, sender, credential } = await setUp()
    const controller = new AbortController()
    controller.abort()
    const message = messageTo(control.makePhone().token)
    const result = await sender.send(message, credential, { signal: controller.signal })
    expect(result).toEqual({ kind: 'retry', reason: 'stopped', is_ambiguous: false })
  })

  it('leaves no connection open after close', async () => {
    const { control, sender, send } = await setUp()
    const { token } = control.makePhone()
    await send(token)
    await sender.close(1000)
    expect(await send(token)).toMatchObject({ kind: 'retry', is_ambiguous: false })
  })

  it('reveals no secret in results or logs', async () => {
    const { control, send, credential, lines } = await setUp()
    const phones = control.makePhones(20)
    control.changePhone(phones[3] ?? '', { denial: { code: 'reset_connection' } })
    control.changePhone(phones[7] ?? '', { denial: { code: 'InvalidProviderToken' } })
    const results = await Promise.all(phones.map((token) => send(token)))
    const output = JSON.stringify(results) + lines.join('\n')
    expect(lines.length).toBeGreaterThan(0)
    const secrets = ['bearer', 'eyJ', credential.private_key.slice(40, 80), 'Hello']
    for (const secret of [...phones, ...secrets]) expect(output).not.toContain(secret)
  })
})
