import { generateKeyPairSync } from 'node:crypto'
import { Writable } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { createAuthority } from '../../../../emulators/certificate.ts'
import { type FcmErrorCode, startFcm } from '../../../../emulators/fcm/index.ts'
import type { ServiceAccount } from '../../../platform/google/service-account.ts'
import { createLog } from '../../../platform/log.ts'
import { createFcmSender } from './fcm.ts'
import type { AndroidMessage, SendResult } from './port.ts'

const authority = createAuthority()
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
})

/** The emulator, and a sender whose log is recorded. */
async function setUp({ deadline_ms = 10_000 } = {}) {
  const emulator = await startFcm({ port: 0, authority })
  cleanups.push(emulator.close)
  const lines: string[] = []
  const log = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString())
      done()
    },
  })
  const sender = createFcmSender({
    url: emulator.url,
    token_url: emulator.token_url,
    ca: authority.cert,
    log: createLog('trace', log),
    deadline_ms,
    now: () => new Date(),
  })
  cleanups.push(() => sender.close(0))
  const { control } = emulator
  const account = control.serviceAccount()
  const send = (token: string, change: Partial<AndroidMessage> = {}, by = account) =>
    sender.send(messageTo(token, change), by, { signal: new AbortController().signal })
  const tokenRequests = () => control.requests().filter(({ path }) => path === '/token')
  return { control, sender, send, account, lines, tokenRequests }
}

const messageTo = (token: string, change: Partial<AndroidMessage> = {}): AndroidMessage => ({
  recipient_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
  message_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c08',
  token,
  package_name: 'com.example.app',
  title: 'Hello',
  data: { order_id: '17' },
  priority: 'high',
  ...change,
})

describe('a message to an Android device', () => {
  it('is accepted and arrives unchanged', async () => {
    const { control, send } = await setUp()
    const { token } = control.makePhone()
    const result = await send(token)
    const { messages } = control.truth()
    expect(result).toEqual({
      kind: 'accepted',
      provider_id: `projects/vigil-emulator/messages/${messages[0]?.id}`,
    })
    expect(control.getPhone(token).last[0]?.body).toMatchObject({
      notification: { title: 'Hello' },
      data: { order_id: '17' },
    })
  })

  it('shares the connection and access token with all others', async () => {
    const { control, sender, send, tokenRequests } = await setUp()
    const phones = control.makePhones(300)
    const results = await Promise.all(phones.map((token) => send(token)))
    expect(results.every(({ kind }) => kind === 'accepted')).toBe(true)
    expect(control.truth()).toMatchObject({ accepted: 300, repeated: 0 })
    expect(control.traffic().connections_total).toBe(1)
    expect(control.traffic().streams_open_max).toBe(100)
    expect(tokenRequests()).toHaveLength(1)
    expect(sender.inFlight()).toBe(0)
  })

  it('that cannot be built is not sent', async () => {
    const { control, send } = await setUp()
    const { token } = control.makePhone()
    const result = await send(token, { body: 'x'.repeat(5000) })
    expect(result.kind).toBe('message_rejected')
    expect(result).toMatchObject({ reason: expect.stringMatching(/^body is too long/) as string })
    expect(control.requests()).toEqual([])
  })

  it('of the maximum length that Vigil allows is accepted', async () => {
    const { control, send } = await setUp()
    const { token } = control.makePhone()
    const kinds: string[] = []
    for (let length = 3600; length < 4096; length += 31) {
      const { kind } = await send(token, { body: 'x'.repeat(length) })
      kinds.push(kind)
    }
    expect(kinds).toContain('accepted')
    const { requests } = control
    expect(requests().every(({ path, status }) => path === '/token' || status === 200)).toBe(true)
  })
})

describe('error codes documented by FCM', () => {
  const CODES: Readonly<Record<FcmErrorCode, SendResult['kind']>> = {
    UNSPECIFIED_ERROR: 'retry',
    INVALID_ARGUMENT: 'message_rejected',
    UNREGISTERED: 'token_invalid',
    SENDER_ID_MISMATCH: 'token_invalid',
    QUOTA_EXCEEDED: 'throttled',
    UNAVAILABLE: 'retry',
    INTERNAL: 'retry',
    THIRD_PARTY_AUTH_ERROR: 'credential_rejected',
  }

  it('have a result each, without the token in it', async () => {
    const { control, send } = await setUp()
    for (const [code, kind] of Object.entries(CODES) as [FcmErrorCode, string][]) {
      const { token } = control.makePhone()
      control.changePhone(token, { denial: { code, retry_after_s: 7 } })
      const result = await send(token)
      expect([code, result.kind]).toEqual([code, kind])
      if (kind === 'retry' || kind === 'throttled')
        expect(result).toMatchObject({ retry_after_s: 7 })
      expect(JSON.stringify(result)).not.toContain(token)
    }
  })

  it('distinguish tokens that are malformed, unregistered or of another project', async () => {
    const { control, send } = await setUp()
    const gone = control.makePhone().token
    control.changePhone(gone, { is_registered: false })
    const other = control.makePhone({ project_id: 'other-project' }).token
    const invalid = (reason: string) => ({ kind: 'token_invalid', reason })
    expect(await send('not a token')).toEqual(invalid('INVALID_ARGUMENT'))
    expect(await send(gone)).toEqual(invalid('UNREGISTERED'))
    expect(await send(other)).toEqual(invalid('SENDER_ID_MISMATCH'))
  })

  it('reject a message to the token of another app', async () => {
    const { control, send } = await setUp()
    const { token } = control.makePhone({ package_name: 'com.example.other' })
    expect(await send(token)).toMatchObject({ kind: 'message_rejected' })
  })

  it('throttle beyond the quota', async () => {
    const { control, send } = await setUp()
    const { token } = control.makePhone()
    control.setQuotas({ messages_per_minute: 1 })
    expect((await send(token)).kind).toBe('accepted')
    const result = await send(token)
    expect(result).toMatchObject({ kind: 'throttled', scope: 'application' })
  })
})

describe('the credential', () => {
  it('gets a new access token once when the old one is rejected', async () => {
    const { control, send, tokenRequests } = await setUp()
    const { token } = control.makePhone()
    await send(token)
    control.expireTokens()
    const results = await Promise.all([send(token), send(token), send(token)])
    expect(results.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted'])
    expect(tokenRequests()).toHaveLength(2)
  })

  it('that Google does not know is rejected in our own words, without a request per message', async () => {
    const { control, send, account, tokenRequests } = await setUp()
    const { token } = control.makePhone()
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const private_key = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const forged: ServiceAccount = { ...account, private_key }
    for (let i = 0; i < 5; i += 1) {
      const result = await send(token, {}, { ...account, ...forged })
      expect(result).toMatchObject({ kind: 'credential_rejected', reason: 'invalid_grant' })
    }
    expect(tokenRequests()).toHaveLength(1)
    expect((await send(token)).kind).toBe('accepted')
  })

  it('of another project is rejected', async () => {
    const { control, send, account } = await setUp()
    const { token } = control.makePhone()
    const result = await send(token, {}, { ...account, project_id: 'other-project' })
    expect(result).toMatchObject({ kind: 'credential_rejected', reason: 'PERMISSION_DENIED' })
  })

  it('whose key cannot be read is rejected without a request', async () => {
    const { control, send, account, tokenRequests } = await setUp()
    const { token } = control.makePhone()
    const result = await send(token, {}, { ...account, private_key: 'nothing' })
    expect(result).toMatchObject({ kind: 'credential_rejected', reason: 'UNREADABLE_KEY' })
    expect(tokenRequests()).toHaveLength(0)
  })

  it('is retried when no access token is available', async () => {
    const { control, send } = await setUp()
    control.setFaults({ token_error: 'unavailable' })
    const result = await send(control.makePhone().token)
    expect(result).toEqual({ kind: 'retry', reason: 'token_server_error', is_ambiguous: false })
  })
})

describe('a failed request', () => {
  it('that may have been accepted is ambiguous', async () => {
    const { control, send } = await setUp()
    const { token } = control.makePhone()
    control.changePhone(token, { denial: { code: 'lost_answer', times: 1 } })
    const result = await send(token)
    expect(result).toEqual({ kind: 'retry', reason: 'broken', is_ambiguous: true })
    expect((await send(token)).kind).toBe('accepted')
    expect(control.truth()).toMatchObject({ accepted: 2, repeated: 1 })
  })

  it('ends at the deadline of the attempt', async () => {
    const { control, send } = await setUp({ deadline_ms: 300 })
    const { token } = control.makePhone()
    await send(token)
    control.changePhone(token, { denial: { code: 'hang' } })
    const result = await send(token)
    expect(result).toEqual({ kind: 'retry', reason: 'timeout', is_ambiguous: true })
  })

  it('ends when the caller aborts it, even while waiting for an access token', async () => {
    const { control, sender, account } = await setUp()
    control.setFaults({ token_latency_ms: 5000 })
    const controller = new AbortController()
    const { token } = control.makePhone()
    const sent = sender.send(messageTo(token), account, { signal: controller.signal })
    controller.abort()
    expect(await sent).toEqual({ kind: 'retry', reason: 'stopped', is_ambiguous: false })
  })

  it('reveals no secret in results or logs', async () => {
    const { control, send, account, lines } = await setUp()
    const phones = control.makePhones(20)
    control.changePhone(phones[3] ?? '', { denial: { code: 'reset_connection' } })
    control.changePhone(phones[7] ?? '', { denial: { code: 'THIRD_PARTY_AUTH_ERROR' } })
    const results = await Promise.all(phones.map((token) => send(token)))
    const output = JSON.stringify(results) + lines.join('\n')
    expect(lines.length).toBeGreaterThan(0)
    for (const secret of [
      ...phones,
      'Bearer',
      'ya29',
      account.private_key.slice(40, 80),
      'Hello',
    ]) {
      expect(output).not.toContain(secret)
    }
  })
})
