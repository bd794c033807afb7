import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { TEST_MASTER_KEY } from '../../../test/harness.ts'
import { type Providers, startProviders } from '../../../test/support/push-applications.ts'
import {
  addPushMessage,
  addPushSubscriptions,
  someTokens,
} from '../../../test/support/push-dispatch.ts'
import { pushCommands } from '../commands/push.ts'
import type { Io } from '../io.ts'
import { reportFailure } from '../program.ts'

const db = ownDatabase()
const BUNDLE = 'com.example.app'
const folder = mkdtempSync(join(tmpdir(), 'vigil-push-'))
let providers: Providers
let database = ''
let org = ''

beforeAll(async () => {
  providers = await startProviders(db)
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  database = rows[0]?.name ?? ''
})
afterAll(async () => {
  await providers.close()
  rmSync(folder, { recursive: true })
})
beforeEach(async () => {
  const { rows } = await sql<{ id: string }>`
    insert into organizations (id, name, plan, created_at)
    values (gen_random_uuid(), 'Shop', 'starter', now()) returning id`.execute(db)
  org = rows[0]?.id ?? ''
})

/** Runs only the push commands, which then trust the authority of the emulators. */
async function vigil(...args: string[]) {
  const { host, port, user } = inject('postgres')
  const { fcm, production, sandbox } = providers.urls
  const printed = { stdout: '', stderr: '' }
  const io: Io = {
    working_folder: folder,
    environment: {
      DATABASE_URL: `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`,
      VIGIL_MASTER_KEY: TEST_MASTER_KEY,
      VIGIL_DATA_DIR: folder,
      VIGIL_FCM_URL: fcm.url,
      VIGIL_FCM_TOKEN_URL: fcm.token_url,
      VIGIL_APNS_URL: production.url,
      VIGIL_APNS_SANDBOX_URL: sandbox.url,
    },
    stdout: (text) => {
      printed.stdout += `${text}\n`
    },
    stderr: (text) => {
      printed.stderr += `${text}\n`
    },
  }
  const program = new Command('vigil').exitOverride().configureOutput({ writeErr: io.stderr })
  pushCommands(program, io, { ca: providers.ca })
  const status = await program
    .parseAsync(['push', ...args], { from: 'user' })
    .then(() => 0)
    .catch((error: unknown) => reportFailure(error, io, args.includes('--json')))
  return { status, ...printed }
}

const json = async (...args: string[]) => {
  const { status, stdout, stderr } = await vigil(...args, '--json')
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return JSON.parse(stdout) as Record<string, unknown>
}

async function addApp(environment = 'live'): Promise<string[]> {
  const args = [
    'application',
    'create',
    '--org',
    org,
    '--name',
    'Shop',
    '--environment',
    environment,
  ]
  const { id } = await json(...args)
  return ['--org', org, '--application', String(id)]
}
const configure = async (of: string[]) =>
  await json('configure', ...of, '--android-package', 'com.example.app', '--ios-bundle', BUNDLE)

function fileOf(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return name
}
const fcmFile = (change: object = {}) =>
  fileOf('fcm.json', JSON.stringify({ ...providers.uploads.fcm.service_account, ...change }))
const apnsArgs = () => {
  const { key, key_id, team_id } = providers.uploads.apns
  return ['--apns', fileOf('key.p8', key), '--key-id', key_id, '--team-id', team_id]
}

describe('vigil push application', () => {
  it('creates, lists and removes', async () => {
    const of = await addApp('test')
    const id = of.at(-1)
    const listed = await vigil('application', 'list', '--org', org)
    expect(listed.stdout).toBe(`${id}  test  Shop\n`)
    expect((await vigil('application', 'remove', ...of)).stdout).toBe(`Application ${id} deleted\n`)
    expect(await json('application', 'list', '--org', org)).toEqual({ applications: [] })
    const again = await vigil('application', 'remove', ...of)
    expect(again).toMatchObject({
      status: 1,
      stderr: `Organization ${org} has no application ${id}\n`,
    })
  })

  it('is not created for an organization that does not exist', async () => {
    const missing = '01a1f716-c360-7b08-aad8-533adec87a22'
    const rest = ['--org', missing, '--name', 'Shop', '--environment', 'live']
    const { status, stderr } = await vigil('application', 'create', ...rest)
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `Organization ${missing} does not exist\n`,
    })
  })

  it.each(['a\u001b[2Jb', 'a\ud800', 'a\0'])('refuses the name %j', async (name) => {
    const rest = ['--org', org, '--name', name, '--environment', 'live']
    expect(await vigil('application', 'create', ...rest)).toEqual({
      status: 1,
      stdout: '',
      stderr: 'name must not contain control characters or unpaired surrogates\n',
    })
  })

  it('reports an organization id that is not a UUID as missing', async () => {
    const listed = await vigil('application', 'list', '--org', 'shop')
    expect(listed).toMatchObject({ status: 1, stderr: 'Organization shop does not exist\n' })
    const id = (await addApp()).at(-1) ?? ''
    const of = ['--org', 'shop', '--application', id]
    for (const command of [
      ['application', 'remove'],
      ['configure', '--ios-bundle', BUNDLE],
      ['credential', 'set', ...apnsArgs()],
      ['credential', 'list'],
      ['credential', 'remove', '--provider', 'fcm'],
      ['test', '--provider', 'fcm', '--token', 'x'],
    ]) {
      const { status, stderr } = await vigil(...command, ...of)
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: `Organization shop has no application ${id}\n`,
      })
    }
  })
})

describe('vigil push configure', () => {
  it('keeps a name that is omitted', async () => {
    const of = await addApp()
    const nothing = await vigil('configure', ...of)
    expect(nothing.stderr).toMatch(/^android_package_name or ios_bundle_id is required/)
    await vigil('configure', ...of, '--android-package', 'com.example.app')
    const { stdout } = await vigil('configure', ...of, '--ios-bundle', 'com.example.ios')
    expect(stdout).toMatch(
      /^Push configuration [0-9a-f-]{36}\nAndroid com.example.app, iOS com.example.ios\n$/,
    )
  })
})

describe('vigil push import', () => {
  it('imports the lines of a file, and names those that it refuses', async () => {
    const of = await addApp()
    const tokens = Array.from({ length: 1003 }, (_, index) => `token-of-a-phone-${index}`)
    const lines = tokens.map((token) => JSON.stringify({ platform: 'android', token }))
    const text = [...lines, '', '{"platform":', '{"platform":"android","token":"short"}', '']
    const file = fileOf('subscriptions.ndjson', text.join('\n'))
    expect(await json('import', ...of, '--file', file)).toMatchObject({
      lines: 1006,
      created: 1003,
      existing: 0,
      refused: 2,
      faults: [
        { line: 1005, field: 'body' },
        { line: 1006, field: 'token' },
      ],
    })
    expect(await json('import', ...of, '--file', file)).toMatchObject({
      created: 0,
      existing: 1003,
    })
    const missing = await vigil('import', ...of, '--file', 'missing.ndjson')
    expect(missing.status).toBe(1)
    expect(missing.stderr).toContain('Cannot read')
  })
})

describe('vigil push credential', () => {
  it('stores keys for both providers, and lists their names and states', async () => {
    const of = await addApp()
    await configure(of)
    const fcm = await vigil('credential', 'set', ...of, '--fcm', fcmFile())
    expect(fcm).toMatchObject({ status: 0, stderr: '' })
    const apns = await vigil('credential', 'set', ...of, ...apnsArgs())
    expect(apns).toMatchObject({ status: 0, stderr: '' })
    const { project_id, client_email, private_key_id } = providers.fcm.serviceAccount()
    const { key_id, team_id } = providers.uploads.apns
    const { stdout } = await vigil('credential', 'list', ...of)
    const lines = stdout.split('\n').map((line) => line.split('  ').toSorted())
    expect(lines).toEqual([
      ['fcm', 'Stored, test required', project_id, client_email, private_key_id].toSorted(),
      ['apns', 'Stored, test required', team_id, key_id].toSorted(),
      [''],
    ])
    expect(fcm.stdout + apns.stdout + stdout).not.toContain('PRIVATE KEY')
  })

  it.each<[string, () => string[], RegExp]>([
    ['nothing', () => [], /^Either --fcm or --apns is required/],
    ['both', () => ['--fcm', fcmFile(), ...apnsArgs()], /^Either --fcm or --apns is required/],
    ['a missing file', () => ['--fcm', 'none.json'], /^Cannot use the key .*: ENOENT/],
    [
      'a file that is not a key',
      () => ['--fcm', fileOf('x', 'x')],
      /^service_account is not the key of a serv/,
    ],
    ['no ids', () => apnsArgs().slice(0, 2), /^key_id is required/],
    [
      'a file that is too large',
      () => ['--apns', fileOf('x', 'x'.repeat(70_000))],
      /the file is too large/,
    ],
  ])('refuses %s', async (_, args, about) => {
    const of = await addApp()
    await configure(of)
    const { status, stderr } = await vigil('credential', 'set', ...of, ...args())
    expect(status).toBe(1)
    expect(stderr).toMatch(about)
    expect(await json('credential', 'list', ...of)).toEqual({ credentials: [] })
  })

  it('is refused when the application has no name at the provider', async () => {
    const of = await addApp()
    const { stderr } = await vigil('credential', 'set', ...of, '--fcm', fcmFile())
    expect(stderr).toMatch(/^android_package_name is not configured for this application/)
  })
})

describe('vigil push credential remove', () => {
  it('deletes the key of one provider', async () => {
    const of = await addApp()
    await configure(of)
    await vigil('credential', 'set', ...of, '--fcm', fcmFile())
    await vigil('credential', 'set', ...of, ...apnsArgs())
    const removed = await vigil('credential', 'remove', ...of, '--provider', 'fcm')
    expect(removed).toEqual({ status: 0, stdout: 'Credential for fcm deleted\n', stderr: '' })
    expect(await json('credential', 'list', ...of)).toMatchObject({
      credentials: [{ provider: 'apns' }],
    })
    const again = await vigil('credential', 'remove', ...of, '--provider', 'fcm')
    expect(again).toMatchObject({
      status: 1,
      stderr: `Application ${of.at(-1)} has no credential for fcm\n`,
    })
    expect(await json('credential', 'remove', ...of, '--provider', 'apns')).toEqual({
      application_id: of.at(-1),
      provider: 'apns',
      removed: true,
    })
  })

  it('requires a provider', async () => {
    const of = await addApp()
    expect((await vigil('credential', 'remove', ...of)).stderr).toContain('--provider')
    expect((await vigil('credential', 'remove', ...of, '--provider', 'x')).status).not.toBe(0)
  })
})

describe('vigil push status', () => {
  const pushApp = (of: string[]) => ({ org_id: org, application_id: of.at(-1) ?? '' })

  it('shows the configuration, credentials, subscriptions and messages of each application', async () => {
    const bare = await addApp('test')
    const of = await addApp()
    const app = pushApp(of)
    await configure(of)
    await vigil('credential', 'set', ...of, '--fcm', fcmFile())
    const { project_id, client_email, private_key_id } = providers.fcm.serviceAccount()
    await sql`update push_credentials set status = 'needs_attention', error = 'It was revoked.',
      paused_until = '2999-01-01' where application_id = ${app.application_id}`.execute(db)
    const ids = await addPushSubscriptions(db, app, someTokens(4))
    const [denied, dead, both] = ids
    await sql`update push_subscriptions set permission = 'denied'
      where id in (${denied}, ${both})`.execute(db)
    await sql`update push_subscriptions set invalidated_at = now(), invalid_reason = 'UNREGISTERED'
      where id in (${dead}, ${both})`.execute(db)
    await addPushSubscriptions(db, app, someTokens(2), { provider: 'apns' })
    const [sending, done] = [
      await addPushMessage(db, app, ids),
      await addPushMessage(db, app, ids),
      await addPushMessage(db, app, []),
    ]
    await sql`update push_messages set failed = 1 where id = ${sending}`.execute(db)
    await sql`update push_messages set status = 'cancelled', completed_at = now()
      where id = ${done}`.execute(db)
    const lines = {
      bare: [
        `${bare.at(-1)}  test  Shop`,
        '  not configured',
        '  no credentials',
        '  android  0 reachable, 0 denied, 0 invalid',
        '  ios  0 reachable, 0 denied, 0 invalid',
        '  messages  0 scheduled, 0 queued, 0 sending, 0 recipients pending',
      ],
      whole: [
        `${app.application_id}  live  Shop`,
        '  Android com.example.app, iOS com.example.app',
        expect.stringMatching(/^ {2}fcm {2}Needs attention {2}/) as string,
        '    It was revoked.',
        '    paused until 2999-01-01T00:00:00.000Z',
        '  android  1 reachable, 1 denied, 2 invalid',
        '  ios  2 reachable, 0 denied, 0 invalid',
        '  messages  0 scheduled, 0 queued, 2 sending, 3 recipients pending',
      ],
    }
    const { status, stdout, stderr } = await vigil('status', '--org', org)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout.trimEnd().split('\n')).toEqual([...lines.whole, ...lines.bare])
    for (const name of [project_id, client_email, private_key_id]) expect(stdout).toContain(name)
    const one = await vigil('status', '--org', org, '--application', bare.at(-1) ?? '')
    expect(one.stdout.trimEnd().split('\n')).toEqual(lines.bare)
    const shown = await json('status', ...of)
    expect(shown).toMatchObject({
      applications: [
        {
          id: app.application_id,
          configuration: { ios_bundle_id: BUNDLE },
          credentials: [{ status: 'Needs attention', error: 'It was revoked.' }],
          subscriptions: [
            { platform: 'android', reachable: 1, denied: 1, invalid: 2 },
            { platform: 'ios', reachable: 2, denied: 0, invalid: 0 },
          ],
          messages: { scheduled: 0, queued: 0, sending: 2, pending: 3 },
        },
      ],
    })
    expect(JSON.stringify(shown) + stdout).not.toContain('PRIVATE KEY')
  })

  it('reports an organization or application that does not exist', async () => {
    const id = (await addApp()).at(-1) ?? ''
    expect((await vigil('status', '--org', 'shop')).stderr).toBe(
      'Organization shop does not exist\n',
    )
    expect((await vigil('status', '--org', org, '--application', 'x')).stderr).toBe(
      `Organization ${org} has no application x\n`,
    )
    expect((await vigil('status', '--org', org, '--application', id)).status).toBe(0)
  })
})

describe('vigil push test', () => {
  it('reports success by its exit status and its output', async () => {
    const of = await addApp('test')
    await configure(of)
    await vigil('credential', 'set', ...of, ...apnsArgs())
    const { token } = providers.apns.sandbox.makePhone()
    const args = ['test', ...of, '--provider', 'apns', '--token', token]
    const { status, stdout, stderr } = await vigil(...args)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^Accepted\napns {2}Active {2}/)
    expect(await json(...args)).toMatchObject({ accepted: true, reason: null })
  })

  it('fails when the provider rejects the notification, and reports the reason', async () => {
    const of = await addApp()
    await configure(of)
    await vigil('credential', 'set', ...of, '--fcm', fcmFile({ private_key_id: 'other' }))
    const { token } = providers.fcm.makePhone()
    const { status, stderr } = await vigil('test', ...of, '--provider', 'fcm', '--token', token)
    expect(status).toBe(1)
    expect(stderr).toMatch(
      /^Not accepted: invalid_grant\. Credential: Needs attention \(Google does not accept the key/,
    )
    const { stdout } = await vigil('credential', 'list', ...of)
    expect(stdout).toMatch(/^fcm {2}Needs attention .*\n {2}Google does not accept the key/)
  })

  it('requires exactly one device', async () => {
    const of = await addApp()
    await configure(of)
    const { status, stderr } = await vigil('test', ...of, '--provider', 'fcm')
    expect(status).toBe(1)
    expect(stderr).toContain('exactly one of subscription_id and token is required')
  })
})
