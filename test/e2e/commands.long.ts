/** The commands with a running service and without one, with text and JSON output. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createRoom,
  type Ended,
  isLinux,
  launch,
  MAIN,
  type Room,
  run,
  runJson,
  type Service,
  serve,
  waitFor,
} from './program.ts'

type First = NonNullable<Service['ready']['first_run']>

let room: Room | undefined
let service: Service | undefined
let first: First | undefined

beforeAll(async () => {
  if (!isLinux) return
  room = createRoom()
  service = await serve({ cwd: room.folder })
  first = service.ready.first_run
})
afterAll(async () => {
  await room?.close()
})

const cwd = (): string => room?.folder ?? ''
const org = (): string => first?.org_id ?? ''
const json = async <T>(...args: string[]): Promise<T> => await runJson<T>(args, { cwd: cwd() })
const plain = async (...args: string[]): Promise<Ended> => await run(args, { cwd: cwd() })

async function call(
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; body: unknown }> {
  const base = service?.ready.url.replace(/\/v1$/, '') ?? ''
  const answer = await fetch(`${base}${path}`, init)
  return { status: answer.status, body: await answer.json() }
}

const withKey = async (key: string): Promise<number> =>
  (
    await call('/v1/check', {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: '{"email":"jane@mailinator.com"}',
    })
  ).status

const me = async (token: string): Promise<number> =>
  (await call('/console/api/me', { headers: { authorization: `Bearer ${token}` } })).status

type Created = { key_id: string; key: string }
type Tokens = { access_token: string; refresh_token: string; expires_at: string }

describe.skipIf(!isLinux).sequential('commands with a running service', () => {
  it('create organizations and users who can sign in', async () => {
    const created = await json<{ org_id: string }>('org', 'create', '--name', 'Second shop')
    expect(Object.keys(created)).toEqual(['org_id'])
    expect(await json('org', 'plan', '--org', created.org_id, '--plan', 'business')).toEqual({
      org_id: created.org_id,
      plan: 'business',
    })
    const email = 'ann@shop.example'
    const create = ['user', 'create', '--org', created.org_id, '--email', email, '--role', 'admin']
    const user = await json<{ user_id: string; password: string }>(...create)
    expect(Object.keys(user)).toEqual(['user_id', 'password'])
    const signIn = async (password: string) =>
      await call('/console/api/auth/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      })
    expect((await signIn(user.password)).status).toBe(200)
    const renewed = await json<{ user_id: string; password: string }>(
      'user',
      'password',
      '--email',
      email,
    )
    expect(renewed.user_id).toBe(user.user_id)
    expect((await signIn(user.password)).status).toBe(401)
    expect((await signIn(renewed.password)).status).toBe(200)
    const tokens = await json<Tokens>('token', '--email', email)
    expect(Object.keys(tokens).toSorted()).toEqual(['access_token', 'expires_at', 'refresh_token'])
    expect(new Date(tokens.expires_at).toISOString()).toBe(tokens.expires_at)
    expect(await me(tokens.access_token)).toBe(200)
  })

  it('create, list, roll and revoke keys with immediate effect on the service', async () => {
    const created = await json<Created>('key', 'create', '--org', org(), '--type', 'live_secret')
    expect(Object.keys(created)).toEqual(['key_id', 'key'])
    expect(await withKey(created.key)).toBe(200)
    const { keys } = await json<{ keys: { key_id: string }[] }>('key', 'list', '--org', org())
    expect(keys.map(({ key_id }) => key_id)).toContain(created.key_id)
    expect(JSON.stringify(keys)).not.toContain(created.key)
    const rolled = await json<Created>('key', 'roll', '--org', org(), '--key', created.key_id)
    expect([await withKey(created.key), await withKey(rolled.key)]).toEqual([401, 200])
    await json('key', 'revoke', '--org', org(), '--key', rolled.key_id)
    expect(await withKey(rolled.key)).toBe(401)
  })

  it('grant credits, once per key, and show the balance', async () => {
    const grant = ['credits', 'grant', '--org', org(), '--amount', '12.5', '--idempotency-key', 'a']
    expect(await json(...grant)).toMatchObject({ granted: true, balance_credits: 12.5 })
    expect(await json(...grant)).toMatchObject({ granted: false, balance_credits: 12.5 })
    expect(await json('credits', 'balance', '--org', org())).toMatchObject({
      org_id: org(),
      balance_credits: 12.5,
      ledger_difference: 0,
      usage_difference: 0,
    })
  })

  it('explain a check', async () => {
    const { body } = await call('/v1/check', {
      method: 'POST',
      headers: { 'x-api-key': first?.keys.live_secret ?? '', 'content-type': 'application/json' },
      body: '{"email":"joe@mailinator.com"}',
    })
    const { check_id, risk_score } = (body as { content: { check_id: string; risk_score: number } })
      .content
    expect(await json('check', 'explain', check_id)).toMatchObject({ check_id, risk_score })
    const { stdout } = await plain('check', 'explain', check_id)
    expect(stdout).toContain(`Score ${risk_score}, `)
  })

  it('replace the master key while secrets and sessions stay valid', async () => {
    const before = await json<Tokens>('token', '--email', first?.email ?? '')
    expect(await json('secrets', 'rotate')).toEqual({ rewrapped: 1 })
    expect(await me(before.access_token)).toBe(200)
    const after = await json<Tokens>('token', '--email', first?.email ?? '')
    expect(await me(after.access_token)).toBe(200)

    expect((await service?.stop())?.status).toBe(0)
    service = await serve({ cwd: cwd() })
    expect(await me(before.access_token)).toBe(200)
    expect(await withKey(first?.keys.live_secret ?? '')).toBe(200)
  })

  it('report that nothing needs to be done', async () => {
    expect(await json('migrate')).toEqual({ applied: [] })
    expect(await json('doctor')).toMatchObject({ ok: true })
  })
})

describe.skipIf(!isLinux).sequential('commands without a running service', () => {
  beforeAll(async () => {
    await service?.stop()
    await room?.empty()
  })

  it('work the same, and leave no process running', async () => {
    const created = await json<{ org_id: string }>('org', 'create', '--name', 'Third shop')
    const user = ['user', 'create', '--org', created.org_id, '--email', 'bob@shop.example']
    await json(...user, '--role', 'owner')
    await json<Tokens>('token', '--email', 'bob@shop.example')
    const key = await json<Created>(
      'key',
      'create',
      '--org',
      created.org_id,
      '--type',
      'test_secret',
    )
    await json('key', 'roll', '--org', created.org_id, '--key', key.key_id)
    await json('credits', 'grant', '--org', created.org_id, '--amount', '1')
    expect(await json('credits', 'balance', '--org', created.org_id)).toMatchObject({
      balance_credits: 1,
    })
    expect(await json('doctor')).toMatchObject({ ok: true })
    await room?.empty()
  })

  it('print as text what they print as JSON, and secrets only when they are created', async () => {
    const { stdout } = await plain('key', 'create', '--org', org(), '--type', 'live_public')
    expect(stdout).toMatch(/^Key [0-9a-f-]{36} \(shown once\): pk_live_\w+\n$/)
    const list = await plain('key', 'list', '--org', org())
    expect(list.stdout.trim().split('\n').length).toBeGreaterThan(4)
    const token = await plain('token', '--email', first?.email ?? '')
    expect(token.stdout).toMatch(
      /^Access token \(until \d{4}-\d\d-\d\dT[\d:.]+Z\): \S+\nRefresh token: \S+\n$/,
    )
  })

  it('read the .env file of the folder', async () => {
    writeFileSync(join(cwd(), '.env'), 'VIGIL_POSTGRES_POOL_SIZE=1\n')
    const { status, stderr } = await plain('migrate')
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'VIGIL_POSTGRES_POOL_SIZE must be a whole number from 2 to 200, not "1".\n',
    })
    expect(
      (await run(['migrate'], { cwd: cwd(), env: { VIGIL_POSTGRES_POOL_SIZE: '5' } })).status,
    ).toBe(0)
    writeFileSync(join(cwd(), '.env'), '')
  })
})

describe.skipIf(!isLinux)('the command line', () => {
  it('ends with a status and a message, with --json as one object', async () => {
    const refused = await plain('credits', 'balance', '--org', 'nobody', '--json')
    expect(refused).toMatchObject({
      status: 1,
      stdout: '{"error":"Organization nobody does not exist"}\n',
      stderr: 'Organization nobody does not exist\n',
    })
    expect((await plain('credits', 'balance')).status).toBe(1)
  })

  it('accepts a reader that closes the pipe early', async () => {
    const script = '"$0" "$1" --help | true; "$0" "$1" key list --org "$2" | head -n 1 | wc -l'
    const ended = await run(['-c', script, process.execPath, MAIN, org()], {
      cwd: cwd(),
      program: 'sh',
    })
    expect(ended).toMatchObject({ stdout: '1\n', stderr: '' })
  })

  it('runs emulators until they are stopped', async () => {
    const printed = {
      dns: /^\{"kind":"dns","address":"127\.0\.0\.1:\d+"\}$/m,
      rdap: /^\{"kind":"rdap","url":"http:[^"]+","whois_address":"127\.0\.0\.1:\d+"\}$/m,
      camara: /^\{"kind":"camara","url":"http:[^"]+","token_url":"http:[^"]+"\}$/m,
    }
    for (const [kind, line] of Object.entries(printed)) {
      const emulator = launch(['emulate', kind, '--port', '0', '--json'], { cwd: cwd() })
      await waitFor(emulator, () => line.exec(emulator.stdout())?.[0])
      emulator.child.kill('SIGTERM')
      expect(await emulator.ended).toMatchObject({ status: 0, stderr: '' })
    }
  })
})
