import { generateKeyPairSync } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { type HttpReply, type HttpRequest, startHttp } from '../../../../emulators/http-server.ts'
import { createAndroidManagement } from './android-management.ts'
import type { GoogleConnection } from './google.ts'
import type { Answer, ProviderFault } from './port.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const DEVICE = 'enterprises/LC1/devices/d1'
const POLICY = 'enterprises/LC1/policies/p1'
const DEADLINE_MS = 2000
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ACCOUNT = {
  project_id: 'example-project',
  client_email: 'vigil@example-project.iam.gserviceaccount.com',
  private_key_id: 'key-1',
  private_key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
}

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanUp) => cleanUp()))
})

type Reply = (request: HttpRequest, count: number) => HttpReply

/** Starts a server that grants numbered access tokens unless `replyToToken` answers otherwise. */
async function setUp(reply: Reply, replyToToken?: () => HttpReply) {
  const requests: HttpRequest[] = []
  let granted = 0
  const http = await startHttp({
    port: 0,
    host: '127.0.0.1',
    handle: (request) => {
      if (request.path !== '/token') {
        requests.push(request)
        return reply(request, requests.length)
      }
      granted += 1
      const body = { access_token: `ya29.token-${granted}`, expires_in: 3599 }
      return replyToToken?.() ?? { status: 200, body }
    },
  })
  cleanups.push(http.close)
  const target: GoogleConnection = {
    account: ACCOUNT,
    api_url: http.url,
    token_url: `${http.url}/token`,
    pubsub_url: http.url,
  }
  const provider = createAndroidManagement({
    connection: () => Promise.resolve(target),
    deadline_ms: DEADLINE_MS,
    now: () => NOW,
  })
  return { provider, requests }
}

const always =
  (reply: HttpReply): Reply =>
  () =>
    reply
const errorOf = (code: number, status: string, message: string, more: object = {}): HttpReply => ({
  status: code,
  body: { error: { code, status, message, ...more } },
})
const OPERATION = { status: 200, body: { name: `${DEVICE}/operations/1` } }

function faultIn(answer: Answer<unknown>): ProviderFault {
  if (answer.ok) throw new Error('Expected a fault')
  return answer.fault
}

describe('an error of Google becomes a fault:', () => {
  it.each<[string, HttpReply, Partial<ProviderFault>]>([
    [
      '429 with a header',
      { ...errorOf(429, 'RESOURCE_EXHAUSTED', 'Quota.'), headers: { 'retry-after': '90' } },
      { kind: 'rate_limited', retry_after_s: 90 },
    ],
    [
      '429 with a detail',
      errorOf(429, 'RESOURCE_EXHAUSTED', 'Quota.', {
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '30.5s' }],
      }),
      { kind: 'rate_limited', retry_after_s: 31 },
    ],
    ['429 without a body', { status: 429 }, { kind: 'rate_limited' }],
    [
      '429 for a day',
      { status: 429, headers: { 'retry-after': '86400' } },
      { kind: 'rate_limited', retry_after_s: 3600 },
    ],
    [
      '403 of a quota',
      errorOf(403, 'PERMISSION_DENIED', 'Limit.', { errors: [{ reason: 'rateLimitExceeded' }] }),
      { kind: 'rate_limited' },
    ],
    ['403', errorOf(403, 'PERMISSION_DENIED', 'No.'), { kind: 'refused' }],
    ['400', errorOf(400, 'INVALID_ARGUMENT', 'Bad field.'), { kind: 'rejected' }],
    ['409', errorOf(409, 'ABORTED', 'Conflict'), { kind: 'rejected' }],
    ['412', errorOf(412, 'FAILED_PRECONDITION', 'Not so.'), { kind: 'rejected' }],
    ['404', errorOf(404, 'NOT_FOUND', 'None.'), { kind: 'not_found' }],
  ])('%s, after which nothing was carried out', async (_, reply, fault) => {
    const { provider, requests } = await setUp(always(reply))
    const answer = await provider.issueCommand(DEVICE, { type: 'LOCK' })
    expect(faultIn(answer)).toMatchObject({ ...fault, is_ambiguous: false })
    expect(requests).toHaveLength(1)
  })

  it.each<[string, HttpReply]>([
    ['503', errorOf(503, 'UNAVAILABLE', 'Down.')],
    ['500 without a body', { status: 500 }],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }],
    ['a reset connection', { status: 200, fault: 'reset' }],
    ['no answer', { status: 200, fault: 'hang' }],
    ['a slow answer', { status: 200, fault: 'drip' }],
    ['invalid JSON', { status: 200, fault: 'invalid_json' }],
    ['a list', { status: 200, body: [] }],
    ['an answer without a name', { status: 200, body: { done: true } }],
    ['a huge answer', { status: 200, body: { name: 'x'.repeat(3_000_000) } }],
  ])('%s, after which a command may have been carried out', async (_, reply) => {
    const { provider, requests } = await setUp(always(reply))
    const answer = await provider.issueCommand(DEVICE, { type: 'LOCK' })
    expect(faultIn(answer)).toMatchObject({ kind: 'unavailable', is_ambiguous: true })
    expect(requests).toHaveLength(1)
  })

  it('503 for a read, after which nothing was carried out', async () => {
    const { provider } = await setUp(always({ status: 503 }))
    expect(faultIn(await provider.getDevice(DEVICE))).toMatchObject({
      kind: 'unavailable',
      is_ambiguous: false,
    })
  })

  it('with a message of one line and limited length', async () => {
    const { provider } = await setUp(
      always(errorOf(400, 'INVALID_ARGUMENT', `Bad\n\u0000field ${'x'.repeat(2000)}`)),
    )
    const { message } = faultIn(await provider.getDevice(DEVICE))
    expect(message).toMatch(/^Google rejected this: Bad field x+…$/)
    expect(message.length).toBeLessThan(400)
  })
})

describe('an access token', () => {
  it('is replaced once when Google no longer accepts it', async () => {
    const { provider, requests } = await setUp((_, count) =>
      count === 1 ? errorOf(401, 'UNAUTHENTICATED', 'Expired.') : OPERATION,
    )
    expect((await provider.issueCommand(DEVICE, { type: 'LOCK' })).ok).toBe(true)
    expect(requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer ya29.token-1',
      'Bearer ya29.token-2',
    ])
  })

  it('is not replaced a second time', async () => {
    const { provider, requests } = await setUp(always(errorOf(401, 'UNAUTHENTICATED', 'No.')))
    const answer = await provider.issueCommand(DEVICE, { type: 'LOCK' })
    expect(faultIn(answer)).toMatchObject({ kind: 'refused', is_ambiguous: false })
    expect(requests).toHaveLength(2)
  })

  it.each<[HttpReply, ProviderFault['kind']]>([
    [{ status: 400, body: { error: 'invalid_grant' } }, 'refused'],
    [{ status: 429 }, 'rate_limited'],
    [{ status: 503 }, 'unavailable'],
    [{ status: 200, fault: 'reset' }, 'unavailable'],
  ])('that is not issued (%#) stops the request', async (reply, kind) => {
    const { provider, requests } = await setUp(always(OPERATION), () => reply)
    const answer = await provider.issueCommand(DEVICE, { type: 'LOCK' })
    expect(faultIn(answer)).toMatchObject({ kind, is_ambiguous: false })
    expect(requests).toEqual([])
  })
})

describe('no secret', () => {
  it('is in a fault, whatever Google repeats', async () => {
    const repeat: Reply = ({ path, body, headers }) =>
      errorOf(400, 'INVALID_ARGUMENT', `${path} ${body} ${headers['authorization']}`)
    const { provider } = await setUp((request) =>
      request.method === 'PUT' ? { status: 200, body: {} } : repeat(request, 0),
    )
    const answers = [
      await provider.issueCommand(DEVICE, { type: 'RESET_PASSWORD', newPassword: 'k7Hd-93' }),
      await provider.createEnterprise({
        signup_url_name: 'signupUrls/1',
        enterprise_token: 'EAFp',
      }),
    ]
    const text = JSON.stringify(answers)
    expect(text).toContain('RESET_PASSWORD')
    for (const secret of ['k7Hd-93', 'EAFp', 'ya29']) expect(text).not.toContain(secret)
  })
})

describe('a request', () => {
  it.each(['', '..', 'enterprises/../../v2', 'enterprises/LC1?x=1', 'enterprises/a b', 'a//b'])(
    'is not sent for the invalid name %j',
    async (name) => {
      const { provider, requests } = await setUp(always(OPERATION))
      expect(faultIn(await provider.getDevice(name)).kind).toBe('rejected')
      expect(faultIn(await provider.issueCommand(name, { type: 'LOCK' })).kind).toBe('rejected')
      expect(requests).toEqual([])
    },
  )

  it('is not sent without a connection', async () => {
    const options = { deadline_ms: DEADLINE_MS, now: () => NOW }
    const none = createAndroidManagement({
      ...options,
      connection: () => Promise.resolve(undefined),
    })
    expect(faultIn(await none.getDevice(DEVICE))).toEqual({
      kind: 'unavailable',
      message: 'Device management is not connected to Google; run `vigil mdm connect`.',
      is_ambiguous: false,
    })
    const broken = createAndroidManagement({
      ...options,
      connection: async () => await Promise.reject(new Error('the key is k7Hd-93')),
    })
    const fault = faultIn(await broken.issueCommand(DEVICE, { type: 'LOCK' }))
    expect(fault).toMatchObject({ kind: 'unavailable', is_ambiguous: false })
    expect(fault.message).not.toContain('k7Hd')
  })
})

describe('an unmodified policy', () => {
  it('is answered with the version that Google has', async () => {
    const { provider, requests } = await setUp(({ method }) =>
      method === 'PATCH' ? { status: 304 } : { status: 200, body: { version: '7' } },
    )
    expect(await provider.patchPolicy(POLICY, {})).toEqual({ ok: true, value: { version: 7 } })
    expect(requests.map(({ method }) => method)).toEqual(['PATCH', 'GET'])
  })
})

describe('an enterprise', () => {
  const CREATED = { name: 'enterprises/LC1' }
  const request = { signup_url_name: 'signupUrls/1', enterprise_token: 'EAFp' }

  it('is created with the topic of the project and the types of notifications in use', async () => {
    const { provider, requests } = await setUp(({ path }) => ({
      status: 200,
      body: path.startsWith('/v1/enterprises') ? CREATED : {},
    }))
    expect((await provider.createEnterprise(request)).ok).toBe(true)
    const created = requests.find(({ path }) => path.startsWith('/v1/enterprises'))
    expect(JSON.parse(created?.body ?? '')).toEqual({
      pubsubTopic: 'projects/example-project/topics/vigil-android',
      enabledNotificationTypes: ['ENROLLMENT', 'STATUS_REPORT', 'COMMAND'],
    })
  })

  it('is created when the account lacks the permission to create topics', async () => {
    const { provider } = await setUp(({ path }) =>
      path.startsWith('/v1/enterprises')
        ? { status: 200, body: CREATED }
        : errorOf(403, 'PERMISSION_DENIED', 'No.'),
    )
    expect(await provider.createEnterprise(request)).toMatchObject({ ok: true, value: CREATED })
  })

  it('is not created while its topic cannot be created', async () => {
    const { provider, requests } = await setUp(always({ status: 503 }))
    expect(faultIn(await provider.createEnterprise(request)).kind).toBe('unavailable')
    expect(requests.filter(({ path }) => path.startsWith('/v1/enterprises'))).toEqual([])
  })
})

describe('a malformed answer', () => {
  /** An object whose conversion to a text throws. */
  const NO_TEXT = { toString: 1 }
  const TOKEN = {
    name: 'enterprises/LC1/enrollmentTokens/t',
    value: 'ABC',
    qrCode: '{}',
    expirationTimestamp: '2026-03-08T12:00:00Z',
  }
  const tokenWith = async (members: object) => {
    const { provider } = await setUp(always({ status: 200, body: { ...TOKEN, ...members } }))
    return await provider.createEnrollmentToken('enterprises/LC1', {
      policyName: POLICY,
      duration: '60s',
      oneTimeOnly: false,
      allowPersonalUsage: 'PERSONAL_USAGE_DISALLOWED',
      additionalData: '{}',
    })
  }
  const enterpriseOf = async (body: object) => {
    const { provider } = await setUp(({ path }) => ({
      status: 200,
      body: path.startsWith('/v1/enterprises') ? body : {},
    }))
    return await provider.createEnterprise({ signup_url_name: 's', enterprise_token: 't' })
  }

  it.each<[string, object]>([
    ['a name that is no text', { name: NO_TEXT }],
    ['a NUL character', { value: 'a\0b' }],
    ['a lone surrogate', { qrCode: '\ud83d' }],
    ['a time that is no text', { expirationTimestamp: NO_TEXT }],
    ['a time that the database cannot store', { expirationTimestamp: '+012026-03-08T12:00:00Z' }],
  ])('is a fault instead of an enrollment token: %s', async (_, members) => {
    expect((await tokenWith({})).ok).toBe(true)
    expect(faultIn(await tokenWith(members)).kind).toBe('unavailable')
  })

  it.each([NO_TEXT, '', 'seven', null])('is a fault instead of a version: %j', async (version) => {
    const { provider } = await setUp(always({ status: 200, body: { version } }))
    expect(faultIn(await provider.patchPolicy(POLICY, {})).kind).toBe('unavailable')
  })

  it.each(['LC1', 'enterprises/', 'enterprises/LC1/policies/p', 'enterprises/\0', NO_TEXT])(
    'is a fault instead of an enterprise: %j',
    async (name) => {
      expect(faultIn(await enterpriseOf({ name })).kind).toBe('unavailable')
    },
  )

  it('does not stop an enterprise whose display name is no text', async () => {
    const name = 'enterprises/LC1'
    expect(await enterpriseOf({ name, enterpriseDisplayName: 7 })).toEqual({
      ok: true,
      value: { name },
    })
  })

  it('does not stop the listing of operations', async () => {
    const operations = [{ name: 'x', metadata: { createTime: NO_TEXT } }, { name: 'y' }]
    const { provider } = await setUp(always({ status: 200, body: { operations } }))
    expect((await provider.listOperations(DEVICE)).ok).toBe(true)
  })

  it('does not hide a refusal or a limit', async () => {
    const details = [{ '@type': NO_TEXT, retryDelay: NO_TEXT }]
    const refusal = errorOf(403, 'PERMISSION_DENIED', 'No.', {
      errors: [{ reason: NO_TEXT }],
      details,
    })
    const { provider } = await setUp(always(refusal))
    expect(faultIn(await provider.getDevice(DEVICE)).kind).toBe('refused')
    const limited = await setUp(always(errorOf(429, 'RESOURCE_EXHAUSTED', 'No.', { details })))
    expect(faultIn(await limited.provider.getDevice(DEVICE)).kind).toBe('rate_limited')
  })
})

describe('a pull', () => {
  const signal = () => new AbortController().signal
  const maxMessagesOf = (request: HttpRequest | undefined): number =>
    (JSON.parse(request?.body ?? '{}') as { maxMessages: number }).maxMessages

  it('requests fewer messages after an unreadable answer, and more again afterwards', async () => {
    const { provider, requests } = await setUp((_, count) =>
      count === 1 ? { status: 200, fault: 'invalid_json' } : { status: 200, body: {} },
    )
    for (let i = 0; i < 4; i += 1) await provider.pull(400, signal())
    expect(requests.map(maxMessagesOf)).toEqual([400, 100, 200, 400])
  })

  it('ends without a fault when it is stopped', async () => {
    const { provider } = await setUp(always({ status: 200, fault: 'hang' }))
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 50)
    expect(await provider.pull(10, stop.signal)).toEqual({ ok: true, value: [] })
  })

  it('returns messages without valid data', async () => {
    const message = (messageId: string, data?: string) => ({
      ackId: messageId,
      message: { messageId, data },
    })
    const { provider } = await setUp(
      always({
        status: 200,
        body: { receivedMessages: [message('1', 'bm90IGpzb24='), message('2'), 7, { ackId: '3' }] },
      }),
    )
    const pulled = await provider.pull(10, signal())
    expect(pulled).toMatchObject({
      ok: true,
      value: [
        { message_id: '1', ack_id: '1' },
        { message_id: '2', ack_id: '2' },
        { message_id: '', ack_id: '3' },
      ],
    })
  })
})

describe('the operations of a device', () => {
  /** Answers with the given number of pages of one operation each, oldest first. */
  const paged = (pages: number) =>
    setUp(({ path }) => {
      const page = Number(new URL(path, 'http://google').searchParams.get('pageToken') ?? '1')
      const createTime = new Date(NOW.getTime() + page * 1000).toISOString()
      const operations = [{ name: `${DEVICE}/operations/${page}`, metadata: { createTime } }]
      const more = page < pages && { nextPageToken: String(page + 1) }
      return { status: 200, body: { operations, ...more } }
    })

  it('are listed completely, newest first', async () => {
    const { provider } = await paged(20)
    const listed = await provider.listOperations(DEVICE)
    const names = listed.ok ? listed.value.map(({ name }) => name) : []
    expect(names).toHaveLength(20)
    expect(names[0]).toBe(`${DEVICE}/operations/20`)
  })

  it('are a fault rather than incomplete, because a missing one would be issued again', async () => {
    const { provider, requests } = await paged(21)
    const fault = faultIn(await provider.listOperations(DEVICE))
    expect(fault).toMatchObject({ kind: 'unavailable', is_ambiguous: false })
    expect(requests).toHaveLength(20)
  })
})
