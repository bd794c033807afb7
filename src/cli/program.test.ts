import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ownDatabase, testDatabase } from '../../test/database.ts'
import { TEST_MASTER_KEY } from '../../test/harness.ts'
import { createParts } from '../app/index.ts'
import { createLog } from '../platform/log.ts'
import { openDatabase } from '../platform/postgres/db.ts'
import { withCore } from './command.ts'
import { referenceData } from './doctor.ts'
import type { Io } from './io.ts'
import { reportFailure, runProgram } from './program.ts'

const shared = testDatabase()
/** Rows that other tests leave in the spool of the shared database would be faults to the doctor. */
const own = ownDatabase()
let database = ''

let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-cli-'))
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(own)
  database = rows[0]?.name ?? ''
})
afterAll(() => rmSync(folder, { recursive: true }))

function ownDatabaseUrl(): string {
  const { host, port, user } = inject('postgres')
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`
}

type Printed = { status: number; stdout: string; stderr: string }

function createIo(
  environment: Record<string, string> = {},
): Io & { printed: () => Omit<Printed, 'status'> } {
  const out: string[] = []
  const err: string[] = []
  return {
    working_folder: folder,
    environment: {
      DATABASE_URL: ownDatabaseUrl(),
      VIGIL_MASTER_KEY: TEST_MASTER_KEY,
      VIGIL_DATA_DIR: folder,
      ...environment,
    },
    stdout: (text) => void out.push(`${text}\n`),
    stderr: (text) => void err.push(`${text}\n`),
    printed: () => ({ stdout: out.join(''), stderr: err.join('') }),
  }
}

async function vigil(args: string[], environment?: Record<string, string>): Promise<Printed> {
  const io = createIo(environment)
  const status = await runProgram(args, io)
  return { status, ...io.printed() }
}

async function vigilJson<T>(...args: string[]): Promise<T> {
  const { status, stdout, stderr } = await vigil([...args, '--json'])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return JSON.parse(stdout) as T
}

describe('the JSON output of a command', () => {
  it('has the documented members and no others', async () => {
    const created = await vigilJson<{ org_id: string }>('org', 'create', '--name', 'CLI test')
    const { org_id } = created
    expect(Object.keys(created)).toEqual(['org_id'])
    const email = `${org_id}@shop.example`
    const create = ['user', 'create', '--org', org_id, '--email', email, '--role', 'owner']
    const user = await vigilJson<{ user_id: string }>(...create)
    expect(Object.keys(user)).toEqual(['user_id', 'password'])
    const tokens = await vigilJson<{ expires_at: string }>('token', '--email', email)
    expect(Object.keys(tokens).toSorted()).toEqual(['access_token', 'expires_at', 'refresh_token'])
    expect(new Date(tokens.expires_at).toISOString()).toBe(tokens.expires_at)
    const orgArgs = ['--org', org_id]
    const key = await vigilJson<{ key_id: string }>(
      'key',
      'create',
      ...orgArgs,
      '--type',
      'live_public',
    )
    expect(Object.keys(key)).toEqual(['key_id', 'key'])
    const rolled = await vigilJson<{ key_id: string }>(
      'key',
      'roll',
      ...orgArgs,
      '--key',
      key.key_id,
    )
    expect(Object.keys(rolled)).toEqual(['key_id', 'key'])
    expect(await vigilJson('key', 'revoke', ...orgArgs, '--key', rolled.key_id)).toEqual({
      key_id: rolled.key_id,
      revoked: true,
    })
    expect(await vigilJson('org', 'plan', ...orgArgs, '--plan', 'business')).toEqual({
      org_id,
      plan: 'business',
    })
  })
})

describe('vigil org list', () => {
  it('lists all organizations in parts, the oldest first', async () => {
    const before = await vigilJson<Listed>('org', 'list')
    const { org_id } = await vigilJson<{ org_id: string }>('org', 'create', '--name', 'Nile Shop')
    const email = `${org_id}@shop.example`
    await vigilJson('user', 'create', '--org', org_id, '--email', email, '--role', 'owner')
    const { organizations, next } = await vigilJson<Listed>('org', 'list')
    expect(next).toBeNull()
    expect(organizations.slice(0, -1)).toEqual(before.organizations)
    expect(organizations.at(-1)).toEqual({
      org_id,
      name: 'Nile Shop',
      plan: 'starter',
      created_at: expect.any(String) as string,
      members: 1,
    })
    const first = await vigilJson<Listed>('org', 'list', '--limit', '1')
    expect(first).toEqual({ organizations: [organizations[0]], next: organizations[0]?.org_id })
    const rest = await vigilJson<Listed>('org', 'list', '--after', first.next ?? '')
    expect([...first.organizations, ...rest.organizations]).toEqual(organizations)
    const { stdout } = await vigil(['org', 'list', '--limit', '1'])
    expect(stdout).toContain(`There are more: --after ${first.next}`)
  })
})

type Listed = { organizations: { org_id: string }[]; next: string | null }

describe('several users with one e-mail', () => {
  it('are distinguished by an organization, until one of them proves the e-mail', async () => {
    const email = `${randomUUID()}@shop.example`
    const [one, two] = [await newMember('One shop', email), await newMember('Two shop', email)]
    const refused = await vigil(['user', 'prove', '--email', email])
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain(`Several users have the e-mail ${email}`)
    for (const { org_id, user_id } of [one, two]) {
      expect(refused.stderr).toContain(`${user_id}: `)
      expect(refused.stderr).toContain(` shop (${org_id})`)
    }
    const choose = ['--email', email, '--org', two.org_id]
    expect(await vigilJson('user', 'prove', ...choose)).toEqual({ user_id: two.user_id, email })
    const reset = await vigilJson<{ user_id: string }>('user', 'password', '--email', email)
    expect(reset.user_id).toBe(two.user_id)
    const first = ['--email', email, '--org', one.org_id]
    expect((await vigil(['user', 'prove', ...first])).stderr).toBe(
      'Another user owns this e-mail address\n',
    )
    expect(await vigilJson<object>('token', ...first)).toHaveProperty('access_token')
    const change = ['user', 'email', ...first, '--to']
    expect((await vigil([...change, 'nowhere'])).stderr).toBe('--to must be an e-mail address\n')
    const to = `${randomUUID()}@shop.example`
    const { user_id } = one
    expect(await vigilJson(...change, to)).toEqual({ user_id, from: email, to })
  })

  /** As if the person had accepted an invitation. */
  async function newMember(name: string, email: string) {
    const { org_id } = await vigilJson<{ org_id: string }>('org', 'create', '--name', name)
    const user_id = randomUUID()
    const user = { id: user_id, email, password_hash: 'none', email_proved_at: null }
    await own.insertInto('users').values(user).execute()
    await own.insertInto('memberships').values({ org_id, user_id, role: 'owner' }).execute()
    return { org_id, user_id }
  }
})

describe('vigil key list', () => {
  it('has a line per key: id, type, hint, creation date and state', async () => {
    const { org_id } = await vigilJson<{ org_id: string }>('org', 'create', '--name', 'CLI test')
    const orgArgs = ['--org', org_id]
    const create = ['key', 'create', ...orgArgs, '--type', 'live_secret']
    type CreatedKey = { key_id: string; key: string }
    const first = await vigilJson<CreatedKey>(...create)
    const second = await vigilJson<CreatedKey>('key', 'roll', ...orgArgs, '--key', first.key_id)
    const third = await vigilJson<CreatedKey>(...create)
    await vigilJson('key', 'revoke', ...orgArgs, '--key', third.key_id)
    const { stdout } = await vigil(['key', 'list', ...orgArgs])
    const line = ({ key_id, key }: CreatedKey, state: string) =>
      `${key_id}  live_secret  sk_live_…${key.slice(-4)}  \\d{4}-\\d{2}-\\d{2}  ${state}\n`
    expect(stdout).toMatch(
      new RegExp(
        `^${line(third, 'revoked')}${line(second, 'active')}${line(first, `replaced by ${second.key_id}`)}$`,
      ),
    )
  })
})

const NO_ONE = '01a1f716-c360-7b08-aad8-533adec87a22'

describe('a command with invalid arguments', () => {
  it.each([
    [['org', 'plan', '--org', NO_ONE, '--plan', 'free'], `Organization ${NO_ONE} does not exist`],
    [['org', 'plan', '--org', 'x', '--plan', 'free'], 'Organization x does not exist'],
    [['org', 'create', '--name', ' '], '--name must not be empty'],
    [['org', 'list', '--after', 'x'], '--after must be an id'],
    [
      ['user', 'create', '--org', 'x', '--email', 'a@b.example', '--role', 'owner'],
      'Organization x does not exist',
    ],
    [['token', '--email', 'nobody@b.example'], 'User nobody@b.example does not exist'],
    [
      ['key', 'create', '--org', NO_ONE, '--type', 'live_secret'],
      `Organization ${NO_ONE} does not exist`,
    ],
    [['key', 'list', '--org', NO_ONE], `Organization ${NO_ONE} does not exist`],
    [['key', 'roll', '--org', NO_ONE, '--key', 'x'], `Organization ${NO_ONE} has no active key x`],
    [['key', 'revoke', '--org', 'x', '--key', NO_ONE], `Organization x has no key ${NO_ONE}`],
    [
      ['credits', 'grant', '--org', NO_ONE, '--amount', '1'],
      `Organization ${NO_ONE} does not exist`,
    ],
    [['credits', 'balance', '--org', 'x'], 'Organization x does not exist'],
    [['check', 'explain', 'x'], 'Check x does not exist'],
    [['check', 'explain', NO_ONE], `Check ${NO_ONE} does not exist`],
  ])('fails with one message, also as one JSON object: %j', async (args, error) => {
    expect(await vigil(args)).toEqual({ status: 1, stdout: '', stderr: `${error}\n` })
    expect(await vigil([...args, '--json'])).toEqual({
      status: 1,
      stdout: `${JSON.stringify({ error })}\n`,
      stderr: `${error}\n`,
    })
  })

  it('fails for an invalid or taken e-mail address and for a reused idempotency key', async () => {
    const { org_id } = await vigilJson<{ org_id: string }>('org', 'create', '--name', 'CLI test')
    const user = (email: string) => [
      'user',
      'create',
      '--org',
      org_id,
      '--role',
      'owner',
      '--email',
      email,
    ]
    const email = `${org_id}@shop.example`
    const { user_id } = await vigilJson<{ user_id: string }>(...user(email))
    expect((await vigil(user(email.toUpperCase()))).stderr).toBe(
      `User ${user_id} of this organization has this e-mail\n`,
    )
    const other = await vigilJson<{ org_id: string }>('org', 'create', '--name', 'CLI test')
    const elsewhere = user(email).map((text) => (text === org_id ? other.org_id : text))
    expect((await vigil(elsewhere)).stderr).toBe('Another user owns this e-mail address\n')
    expect((await vigil(user('no-at-sign'))).stderr).toBe('--email must be an e-mail address\n')

    const once = ['credits', 'grant', '--org', org_id, '--idempotency-key', 'k']
    const grant = (amount: string) => [...once, '--amount', amount]
    await vigilJson(...grant('1'))
    expect(await vigil(grant('2'))).toMatchObject({
      status: 1,
      stderr: 'This idempotency key was already used for another grant\n',
    })
  })
})

describe('vigil migrate', () => {
  it('reports in one line that ClickHouse rejects the account, without its password', async () => {
    const url = new URL(inject('clickhouse').url)
    url.username = 'vigil'
    url.password = 'hunter2'
    const { status, stdout, stderr } = await vigil(['migrate'], { CLICKHOUSE_URL: url.href })
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(
      /^Cannot use the ClickHouse server at CLICKHOUSE_URL: .*Authentication failed.*\n$/,
    )
    expect(stderr).not.toContain('hunter2')
  })

  it('lists the migrations of ClickHouse, too', async () => {
    const url = new URL(inject('clickhouse').url)
    Object.assign(url, pickAccount(inject('clickhouse')))
    url.pathname = '/no_such_database'
    const { status, stdout } = await vigil(['migrate', '--status'], { CLICKHOUSE_URL: url.href })
    expect(status).toBe(0)
    expect(stdout).toMatch(/^pending {2}clickhouse {2}0001_\w+\.sql$/m)
    expect(stdout).toMatch(/^applied {2}postgresql {2}0001_/m)
  })
})

const pickAccount = ({ username, password }: { username: string; password: string }) => ({
  username,
  password,
})

describe('a usage error', () => {
  it.each([
    [['org', 'create'], "required option '--name <name>' not specified"],
    [['orgs'], "unknown command 'orgs'\n(Did you mean org?)"],
    [
      ['org', 'plan', '--org', 'x', '--plan', 'gold'],
      /^option '--plan <plan>' argument 'gold' is /,
    ],
    [
      ['credits', 'grant', '--org', 'x', '--amount', '-1'],
      /must be a positive number with up to 4/,
    ],
    [
      ['credits', 'grant', '--org', 'x', '--amount', '1e3'],
      /must be a positive number with up to 4/,
    ],
    [['emulate', 'dns', '--port', '65536'], /must be a port number from 0 to 65535/],
    [['check', 'explain'], "missing required argument 'check_id'"],
    [['migrate', 'now'], /^too many arguments/],
    [['serve', '--role', 'boss'], /^option '--role <role>' argument 'boss' is invalid/],
    [['serve', '--port', '1'], /^unknown option '--port'/],
    [['key'], 'The command is incomplete'],
    [[], 'The command is incomplete'],
  ] as [string[], string | RegExp][])('is printed with the usage: %j', async (args, error) => {
    const forPeople = await vigil(args)
    expect(forPeople).toMatchObject({ status: 1, stdout: '' })
    expect(forPeople.stderr).toContain('Usage: vigil')

    const { status, stdout } = await vigil([...args, '--json'])
    expect(status).toBe(1)
    const printed = JSON.parse(stdout) as { error: string }
    expect(Object.keys(printed)).toEqual(['error'])
    if (typeof error === 'string') expect(printed.error).toBe(error)
    else expect(printed.error).toMatch(error)
  })

  it('is not reported for --help and --version', async () => {
    expect(await vigil(['--version'])).toMatchObject({ status: 0, stderr: '' })
    const help = await vigil(['credits', 'grant', '--help'])
    expect(help).toMatchObject({ status: 0, stderr: '' })
    expect(help.stdout).toContain('--idempotency-key <key>')
  })
})

describe('a scenario that cannot be used', () => {
  it.each([
    ['missing.json', undefined, /^Cannot use the scenario .*: ENOENT/],
    ['no-json.json', '{', /^Cannot use the scenario .*: Expected property name/],
    ['misspelled.json', '{"name":{}}', /^Cannot use the scenario .*: dns scenario: /],
  ])('is named in the error: %s', async (name, content, error) => {
    const file = join(folder, name)
    if (content !== undefined) writeFileSync(file, content)
    const { status, stderr } = await vigil(['emulate', 'dns', '--port', '0', '--scenario', file])
    expect(status).toBe(1)
    expect(stderr).toContain(file)
    expect(stderr).toMatch(error)
    expect(stderr).not.toMatch(/^ {4}at /m)
  })
})

describe('an unexpected error', () => {
  it('prints its stack as text and its message as one JSON object', () => {
    const io = createIo()
    expect(reportFailure(new TypeError('x is not a function'), io, true)).toBe(1)
    expect(io.printed().stdout).toBe('{"error":"x is not a function"}\n')
    expect(io.printed().stderr).toMatch(/^TypeError: x is not a function\n {4}at /)
  })
})

describe('the doctor', () => {
  const findings = async (environment: Record<string, string>) => {
    const { status, stdout } = await vigil(['doctor', '--json'], environment)
    const report = JSON.parse(stdout) as {
      ok: boolean
      findings: { check: string; ok: boolean; detail: string; advice?: string }[]
    }
    expect(status).toBe(report.ok ? 0 : 1)
    return report.findings
  }

  it('finds no faults in a healthy installation', async () => {
    const all = await findings({})
    expect(all.filter(({ ok }) => !ok)).toEqual([])
    expect(all.map(({ check }) => check)).toEqual([
      'configuration',
      'Node.js',
      'reference data',
      'disk',
      'PostgreSQL',
      'migrations',
      'clock',
      'master key',
      'partitions',
      'secrets',
      'spool',
      'analytics engine',
    ])
  })

  it.each([
    ['a bad setting', { VIGIL_PORT: 'x' }, 'configuration', /\.env/],
    ['an unwritable data directory', { VIGIL_DATA_DIR: '/dev/null/x' }, 'disk', /VIGIL_DATA_DIR/],
    [
      'a PostgreSQL server that is unreachable',
      { DATABASE_URL: 'postgres://vigil:hunter2@127.0.0.1:1/x' },
      'PostgreSQL',
      /DATABASE_URL/,
    ],
    [
      'a Redis server that is unreachable',
      { REDIS_URL: 'redis://:hunter2@127.0.0.1:1' },
      'Redis',
      /REDIS_URL/,
    ],
    [
      'a ClickHouse server that is unreachable',
      { CLICKHOUSE_URL: 'http://vigil:hunter2@127.0.0.1:1' },
      'ClickHouse',
      /CLICKHOUSE_URL/,
    ],
    [
      'a master key of another database',
      { VIGIL_MASTER_KEY: Buffer.alloc(32, 9).toString('base64') },
      'secrets',
      /key that the database was last used with/,
    ],
  ])('reports %s with advice', async (_what, environment, check, advice) => {
    const all = await findings(environment)
    const faults = all.filter(({ ok }) => !ok)
    expect(faults.map((finding) => finding.check)).toEqual([check])
    expect(faults[0]?.advice).toMatch(advice)
    expect(JSON.stringify(all)).not.toContain('hunter2')
  })

  it('changes nothing in an empty database, and advises to migrate it', async () => {
    const name = `doctor_${randomBytes(6).toString('hex')}`
    await sql`create database ${sql.id(name)}`.execute(shared)
    const data = mkdtempSync(join(folder, 'empty-'))
    const { host, port, user } = inject('postgres')
    const url = `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}&port=${port}`
    try {
      const environment = { DATABASE_URL: url, VIGIL_DATA_DIR: data, VIGIL_MASTER_KEY: '' }
      const faults = (await findings(environment)).filter(({ ok }) => !ok)
      expect(faults.map(({ check }) => check)).toEqual(['migrations'])
      expect(faults[0]?.advice).toContain('npx vigil migrate')
      expect(readdirSync(data)).toEqual([])
      const db = openDatabase({
        server: url,
        pool_size: 1,
        prepared_statements: false,
        log: createLog('silent'),
      })
      const tables = sql`select from pg_tables where schemaname = 'public'`
      const { rows } = await tables.execute(db)
      await db.destroy()
      expect(rows).toEqual([])
    } finally {
      await sql`drop database ${sql.id(name)} with (force)`.execute(shared)
    }
  })

  it.each([
    ['VIGIL_DNS_SERVERS', 'dns.example.com', 'VIGIL_DNS_SERVERS must be '],
    ['VIGIL_TRUSTED_PROXIES', '10.0.0.0/99', 'VIGIL_TRUSTED_PROXIES must be '],
    ['VIGIL_MASTER_KEY', 'aHVudGVyMg==', 'VIGIL_MASTER_KEY must be '],
    ['VIGIL_SIM_SWAP_PRIVATE_KEY', 'nonsense', 'VIGIL_SIM_SWAP_PRIVATE_KEY is not a private key'],
  ])('reports an invalid %s with the message that serve prints', async (name, value, message) => {
    const environment = {
      VIGIL_SIM_SWAP_URL: 'https://operator.example',
      VIGIL_SIM_SWAP_TOKEN_URL: 'https://operator.example/token',
      VIGIL_SIM_SWAP_CLIENT_ID: 'client',
      VIGIL_SIM_SWAP_AUTH: 'private_key_jwt',
      [name]: value,
    }
    const [only, ...others] = await findings(environment)
    expect(others).toEqual([])
    expect(only?.check).toBe('configuration')
    expect(only?.detail).toContain(message)
    const io = createIo(environment)
    const opened = withCore(io, async (core) => void (await createParts(core)))
    const status = await opened.catch((error: unknown) => reportFailure(error, io, false))
    expect({ status, ...io.printed() }).toEqual({
      status: 1,
      stdout: '',
      stderr: `${only?.detail}\n`,
    })
  })

  it('prints each finding on a line, and the advice below it', async () => {
    const { status, stdout } = await vigil(['doctor'], { REDIS_URL: 'redis://127.0.0.1:1' })
    expect(status).toBe(1)
    expect(stdout).toMatch(/^ok {4}configuration: all settings are valid$/m)
    expect(stdout).toMatch(/^FAULT Redis: .*\n {6}→ Check REDIS_URL\. /m)
  })

  it('reports missing reference data', () => {
    expect(referenceData(join(folder, 'no-data'))).toMatchObject({
      ok: false,
      advice: 'In a checkout, run `npm run build`; otherwise install Vigil again',
    })
  })
})
