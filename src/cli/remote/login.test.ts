import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Harness, openHarness } from '../../../test/harness.ts'
import { withoutLimits } from '../../../test/support/calls.ts'
import { addFlaggedOrders } from '../../../test/support/flagged-orders.ts'
import { runProgram } from '../program.ts'

let harness: Harness
let url = ''
const folder = mkdtempSync(join(tmpdir(), 'vigil-login-'))
const file = join(folder, 'vigil', 'login.json')

beforeAll(async () => {
  harness = await openHarness({ settings: withoutLimits() })
  url = await harness.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await harness.close()
  rmSync(folder, { recursive: true })
})

/** A laptop, which has no database: a command that opened one would fail. */
async function vigil(args: string[], onProgress: (text: string) => void = () => undefined) {
  const output = { stdout: '', stderr: '' }
  const status = await runProgram(args, {
    working_folder: folder,
    environment: { XDG_CONFIG_HOME: folder, DATABASE_URL: 'postgres://127.0.0.1:9/none' },
    stdout: (text) => {
      output.stdout += `${text}\n`
    },
    stderr: (text) => {
      output.stderr += `${text}\n`
      onProgress(text)
    },
  })
  return { status, ...output }
}

const OWN = '/console/api/me/device-sign-in'
const AUTH = '/console/api/auth/device'
type Codes = { device_code: string; user_code: string }

const begin = async () =>
  (
    await harness.call<Codes>({
      method: 'POST',
      path: AUTH,
      body: { program: 'vigil login on laptop' },
    })
  ).body.content
const decide = async (
  action: 'approve' | 'deny' | '',
  user_code: string,
  token: string,
  more: object = {},
) =>
  await harness.call({
    method: 'POST',
    path: `${OWN}${action === '' ? '' : `/${action}`}`,
    body: { user_code, ...more },
    token,
  })
type Redeemed = { status: string; access_token: string }
const redeem = async (device_code: string) =>
  await harness.call<Redeemed>({ method: 'POST', path: `${AUTH}/token`, body: { device_code } })

async function newShop() {
  const { org_id } = await harness.createTenant()
  return { org_id, token: await harness.signIn(org_id, 'owner') }
}

describe('vigil login', () => {
  it('stores a token after an approval, which commands use until vigil logout', async () => {
    const { org_id, token } = await newShop()
    let approved: Promise<unknown> = Promise.resolve()
    const signedIn = await vigil(['login', url], (text) => {
      const [, code = ''] = /enter the code (\S+)/.exec(text) ?? []
      if (code !== '') approved = decide('approve', code.toLowerCase(), token, { org_id, days: 7 })
    })
    await approved
    expect(signedIn).toMatchObject({ status: 0 })
    expect(signedIn.stderr).toContain(`${url}/console/device`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const exported = await vigil(['export', 'config'])
    expect(exported.stdout).toContain('role: owner')
    const logs = await vigil(['logs', 'query', 'level:error'])
    expect(logs.stdout).toContain('No logs match')
    const { token: stored } = JSON.parse(readFileSync(file, 'utf8')) as { token: string }
    expect((await vigil(['logout'])).status).toBe(0)
    expect((await harness.get('/console/api/me', { token: stored })).status).toBe(401)
    expect((await vigil(['export', 'config'])).stderr).toContain('Name the organization with --org')
    expect((await vigil(['logout'])).stderr).toContain('You are not signed in')
  })

  it('takes a token from a file', async () => {
    const { org_id, token } = await newShop()
    writeFileSync(join(folder, 'token'), `${token}\n`)
    await vigil(['login', url, '--token-file', 'token'])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ url, token, org_id })
    expect((await vigil(['export', 'config'])).stdout).toContain('role: owner')
    expect((await vigil(['login', 'vigil.example'])).stderr).toContain('must be a URL')
    expect((await vigil(['login', url, '--token-file', 'token', '--org', 'x'])).status).toBe(1)
  })
})

describe('commands that need no database', () => {
  const signIn = async () => {
    const { org_id, token } = await newShop()
    writeFileSync(join(folder, 'token'), token)
    await vigil(['login', url, '--token-file', 'token'])
    return { org_id, token }
  }
  const json = async <T>(...args: string[]): Promise<T> => {
    const { stdout, stderr } = await vigil([...args, '--json'])
    expect(stderr).toBe('')
    return JSON.parse(stdout) as T
  }

  it('manage API keys, and list the organization of the sign-in', async () => {
    const { org_id } = await signIn()
    const created = await json<{ key_id: string }>('key', 'create', '--type', 'test_secret')
    const rolled = await json<{ key_id: string }>('key', 'roll', '--key', created.key_id)
    await vigil(['key', 'revoke', '--key', rolled.key_id])
    const { stdout } = await vigil(['key', 'list'])
    expect(stdout).toContain(`${rolled.key_id}  test_secret`)
    expect(stdout).toMatch(/ revoked\n/)
    const { organizations } = await json<{ organizations: object[] }>('org', 'list')
    expect(organizations).toMatchObject([{ org_id, role: 'owner' }])
    const other = await newShop()
    const refused = await vigil(['key', 'list', '--org', other.org_id])
    expect([refused.status, refused.stdout]).toEqual([1, ''])
  })

  it('list and decide reviews', async () => {
    const { org_id } = await signIn()
    const key = (await harness.services.keys.create(org_id, 'live_secret'))?.key ?? ''
    await addFlaggedOrders(harness, key, ['order 1'])
    expect((await vigil(['review', 'list'])).stdout).toContain('order 1')
    const page = await json<{ reviews: { id: string }[] }>('review', 'list', '--limit', '1')
    const id = page.reviews[0]?.id ?? ''
    expect((await vigil(['review', 'decide', 'unknown', 'fraud'])).stderr).toContain('404')
    const decided = await vigil(['review', 'decide', id, 'fraud', '--note', 'Called the customer'])
    expect(decided.stdout).toContain('labeled fraud')
    expect((await vigil(['review', 'stats'])).stdout).toContain('1 decisions, 1 fraud')
  })

  it('import push subscriptions', async () => {
    const { org_id, token } = await signIn()
    const application = await harness.call<{ id: string }>({
      method: 'POST',
      path: '/console/api/push/applications',
      body: { org_id, name: 'Shop', type: 'flutter', environment: 'test' },
      token,
    })
    const lines = [{ platform: 'android', token: 'a'.repeat(40) }, { platform: 'toaster' }]
    writeFileSync(join(folder, 'file'), lines.map((line) => JSON.stringify(line)).join('\n'))
    const { id } = application.body.content
    const imported = await vigil(['push', 'import', '--application', id, '--file', 'file'])
    expect(imported.stdout).toContain('2 lines: 1 created, 0 registered already, 1 refused')
    expect(imported.stdout).toContain('line 2: ')
  })

  it('follow logs, and say why they cannot', async () => {
    const { org_id } = await signIn()
    const key = (await harness.services.keys.create(org_id, 'live_secret'))?.key ?? ''
    let isDone = false
    const tail = vigil(['logs', 'tail', '--limit', '1', '--json', 'level:error']).finally(() => {
      isDone = true
    })
    const data = '{"order":9007199254740993}'
    const log = `{"device_id":"till-1","level":"error","message":"jammed","data":${data}}`
    await vi.waitFor(
      async () => {
        await fetch(`${url}/v1/edge/logs`, {
          method: 'POST',
          headers: { 'x-api-key': key, 'content-type': 'application/json' },
          body: `{"logs":[${log}]}`,
        })
        expect(isDone).toBe(true)
      },
      { timeout: 20_000, interval: 200 },
    )
    const { stdout } = await tail
    expect(JSON.parse(stdout)).toMatchObject({ device_id: 'till-1', message: 'jammed' })
    expect(stdout).toContain(data)
    const other = await newShop()
    const refused = await vigil(['logs', 'tail', '--org', other.org_id])
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('followed (404)')])
  })
})

describe('a code of a program', () => {
  it('yields one token, for one organization, that approves no other', async () => {
    const [one, other] = [await newShop(), await newShop()]
    const { device_code, user_code } = await begin()
    expect(user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    expect((await redeem(device_code)).body.content).toEqual({ status: 'pending' })
    const approval = { org_id: one.org_id, days: 1 }
    expect((await decide('approve', user_code, other.token, approval)).status).toBe(404)
    const approvals = await Promise.all([
      decide('approve', user_code, one.token, approval),
      decide('approve', user_code, one.token, approval),
    ])
    expect(approvals.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404])
    const redeemed = await Promise.all([redeem(device_code), redeem(device_code)])
    const [good] = redeemed.filter(({ status }) => status === 200)
    expect(redeemed.filter(({ status }) => status === 404)).toHaveLength(1)
    const token = good?.body.content.access_token ?? ''
    const members = async (orgId: string) =>
      (await harness.get(`/console/api/members?org_id=${orgId}`, { token })).status
    // The same user in another organization.
    const { user_id = '' } = (await harness.services.accounts.verifyAccess(token)) ?? {}
    await harness.services.accounts.setMember(other.org_id, user_id, 'owner')
    expect(await members(one.org_id)).toBe(200)
    expect(await members(one.org_id.toUpperCase())).toBe(200)
    expect(await members(other.org_id)).toBe(404)
    type Me = { organizations: { id: string }[] }
    const me = (await harness.get<Me>('/console/api/me', { token })).body.content
    expect(me.organizations.map(({ id }) => id)).toEqual([one.org_id])
    expect((await harness.get('/console/api/me/sessions', { token })).status).toBe(403)
    const second = await begin()
    const answer = await decide('approve', second.user_code, token, approval)
    expect(answer.status).toBe(403)
  })

  it('ends with a denial, after ten minutes, and when the user leaves', async () => {
    const { org_id, token } = await newShop()
    const denied = await begin()
    await decide('deny', denied.user_code, token)
    expect((await decide('', denied.user_code, token)).status).toBe(404)
    expect((await redeem(denied.device_code)).body.content).toEqual({ status: 'denied' })
    const late = await begin()
    await sql`update device_sign_ins set expires_at = now() - interval '1 second'`.execute(
      harness.stores.directory,
    )
    expect((await decide('approve', late.user_code, token, { org_id, days: 1 })).status).toBe(404)
    expect((await redeem(late.device_code)).status).toBe(404)
    const left = await begin()
    const member = await harness.signIn(org_id, 'member')
    await decide('approve', left.user_code, member, { org_id, days: 1 })
    const { user_id = '' } = (await harness.services.accounts.verifyAccess(member)) ?? {}
    await harness.services.accounts.removeMember(org_id, user_id)
    expect((await redeem(left.device_code)).body.content).toEqual({ status: 'denied' })
  })
})
