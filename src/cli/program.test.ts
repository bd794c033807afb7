import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ownDatabase, testDatabase } from '../../test/database.ts'
import { TEST_MASTER_KEY } from '../../test/harness.ts'
import { createLog } from '../platform/log.ts'
import { openDatabase } from '../platform/postgres/db.ts'
import type { Io } from './command.ts'
import { referenceData } from './doctor.ts'
import { reportFailure, runProgram } from './program.ts'

const shared = testDatabase()
/** What other tests leave waiting in the shared one would worry the doctor. */
const own = ownDatabase()
let database = ''

let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-cli-'))
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(own)
  database = rows[0]?.name ?? ''
})
afterAll(() => rmSync(folder, { recursive: true }))

/** As a connection string. */
function ownDatabaseUrl(): string {
  const { host, port, user } = inject('postgres')
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`
}

type Said = { status: number; stdout: string; stderr: string }

function createIo(
  environment: Record<string, string> = {},
): Io & { said: () => Omit<Said, 'status'> } {
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
    said: () => ({ stdout: out.join(''), stderr: err.join('') }),
  }
}

async function vigil(args: string[], environment?: Record<string, string>): Promise<Said> {
  const io = createIo(environment)
  const status = await runProgram(args, io)
  return { status, ...io.said() }
}

async function vigilJson<T>(...args: string[]): Promise<T> {
  const { status, stdout, stderr } = await vigil([...args, '--json'])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return JSON.parse(stdout) as T
}

describe('what a command makes', () => {
  it('is printed as the documented members, and as no others', async () => {
    const made = await vigilJson<{ org_id: string }>('org', 'create', '--name', 'CLI test')
    const { org_id } = made
    expect(Object.keys(made)).toEqual(['org_id'])
    const email = `${org_id}@made.example`
    const create = ['user', 'create', '--org', org_id, '--email', email, '--role', 'owner']
    const user = await vigilJson<{ user_id: string }>(...create)
    expect(Object.keys(user)).toEqual(['user_id', 'password'])
    const tokens = await vigilJson<{ expires_at: string }>('token', '--email', email)
    expect(Object.keys(tokens).toSorted()).toEqual(['access_token', 'expires_at', 'refresh_token'])
    expect(new Date(tokens.expires_at).toISOString()).toBe(tokens.expires_at)
    const ofOrg = ['--org', org_id]
    const key = await vigilJson<{ key_id: string }>(
      'key',
      'create',
      ...ofOrg,
      '--type',
      'live_public',
    )
    expect(Object.keys(key)).toEqual(['key_id', 'key'])
    const rolled = await vigilJson<{ key_id: string }>('key', 'roll', ...ofOrg, '--key', key.key_id)
    expect(Object.keys(rolled)).toEqual(['key_id', 'key'])
    expect(await vigilJson('key', 'revoke', ...ofOrg, '--key', rolled.key_id)).toEqual({
      key_id: rolled.key_id,
      revoked: true,
    })
    expect(await vigilJson('org', 'plan', ...ofOrg, '--plan', 'business')).toEqual({
      org_id,
      plan: 'business',
    })
  })
})

describe('vigil key list', () => {
  it('has a line per key: id, type, hint, day it was made, state', async () => {
    const { org_id } = await vigilJson<{ org_id: string }>('org', 'create', '--name', 'CLI test')
    const ofOrg = ['--org', org_id]
    const create = ['key', 'create', ...ofOrg, '--type', 'live_secret']
    type Made = { key_id: string; key: string }
    const first = await vigilJson<Made>(...create)
    const second = await vigilJson<Made>('key', 'roll', ...ofOrg, '--key', first.key_id)
    const third = await vigilJson<Made>(...create)
    await vigilJson('key', 'revoke', ...ofOrg, '--key', third.key_id)
    const { stdout } = await vigil(['key', 'list', ...ofOrg])
    const line = ({ key_id, key }: Made, state: string) =>
      `${key_id}  live_secret  sk_live_…${key.slice(-4)}  \\d{4}-\\d{2}-\\d{2}  ${state}\n`
    expect(stdout).toMatch(
      new RegExp(
        `^${line(third, 'revoked')}${line(second, 'active')}${line(first, `replaced by ${second.key_id}`)}$`,
      ),
    )
  })
})

const NO_ONE = '01a1f716-c360-7b08-aad8-533adec87a22'

describe('what does not exist or cannot be', () => {
  it.each([
    [['org', 'plan', '--org', NO_ONE, '--plan', 'free'], `There is no organisation ${NO_ONE}`],
    [['org', 'plan', '--org', 'x', '--plan', 'free'], 'There is no organisation x'],
    [['org', 'create', '--name', ' '], '--name must not be empty'],
    [
      ['user', 'create', '--org', 'x', '--email', 'a@b.example', '--role', 'owner'],
      'There is no organisation x',
    ],
    [['token', '--email', 'nobody@b.example'], 'There is no user with the e-mail nobody@b.example'],
    [
      ['key', 'create', '--org', NO_ONE, '--type', 'live_secret'],
      `There is no organisation ${NO_ONE}`,
    ],
    [['key', 'list', '--org', NO_ONE], `There is no organisation ${NO_ONE}`],
    [['key', 'roll', '--org', NO_ONE, '--key', 'x'], `Organisation ${NO_ONE} has no active key x`],
    [['key', 'revoke', '--org', 'x', '--key', NO_ONE], `Organisation x has no key ${NO_ONE}`],
    [['credits', 'grant', '--org', NO_ONE, '--amount', '1'], `There is no organisation ${NO_ONE}`],
    [['credits', 'balance', '--org', 'x'], 'There is no organisation x'],
    [['check', 'explain', 'x'], 'There is no check x'],
    [['check', 'explain', NO_ONE], `There is no check ${NO_ONE}`],
  ])('%j is refused with a sentence, with --json as one object', async (args, error) => {
    expect(await vigil(args)).toEqual({ status: 1, stdout: '', stderr: `${error}\n` })
    expect(await vigil([...args, '--json'])).toEqual({
      status: 1,
      stdout: `${JSON.stringify({ error })}\n`,
      stderr: `${error}\n`,
    })
  })

  it('an e-mail that is none or taken, and an idempotency key that was used otherwise', async () => {
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
    await vigilJson(...user(email))
    expect((await vigil(user(email.toUpperCase()))).stderr).toBe(
      'There is a user with this e-mail already\n',
    )
    expect((await vigil(user('no-at-sign'))).stderr).toBe('--email is not an e-mail address\n')

    const once = ['credits', 'grant', '--org', org_id, '--idempotency-key', 'k']
    const grant = (amount: string) => [...once, '--amount', amount]
    await vigilJson(...grant('1'))
    expect(await vigil(grant('2'))).toMatchObject({
      status: 1,
      stderr: 'This idempotency key was used for another grant\n',
    })
  })
})

describe('vigil migrate', () => {
  it('says in one sentence that ClickHouse refuses, and never its password', async () => {
    const url = new URL(inject('clickhouse').url)
    url.username = 'vigil'
    url.password = 'hunter2'
    const { status, stdout, stderr } = await vigil(['migrate'], { CLICKHOUSE_URL: url.href })
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(/^The ClickHouse of CLICKHOUSE_URL .*Authentication failed.*\n$/)
    expect(stderr).not.toContain('hunter2')
  })
})

describe('a wrong use', () => {
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
    [['emulate', 'dns', '--port', '65536'], /must be a port from 0 to 65535/],
    [['check', 'explain'], "missing required argument 'check_id'"],
    [['migrate', 'now'], /^too many arguments/],
    [['serve', '--role', 'boss'], /^option '--role <role>' argument 'boss' is invalid/],
    [['serve', '--port', '1'], /^unknown option '--port'/],
    [['key'], 'The command is incomplete'],
    [[], 'The command is incomplete'],
  ] as [string[], string | RegExp][])('%j is told with the usage', async (args, error) => {
    const forPeople = await vigil(args)
    expect(forPeople).toMatchObject({ status: 1, stdout: '' })
    expect(forPeople.stderr).toContain('Usage: vigil')

    const { status, stdout } = await vigil([...args, '--json'])
    expect(status).toBe(1)
    const told = JSON.parse(stdout) as { error: string }
    expect(Object.keys(told)).toEqual(['error'])
    if (typeof error === 'string') expect(told.error).toBe(error)
    else expect(told.error).toMatch(error)
  })

  it('is not what asking for help or the version is', async () => {
    expect(await vigil(['--version'])).toMatchObject({ status: 0, stderr: '' })
    const help = await vigil(['credits', 'grant', '--help'])
    expect(help).toMatchObject({ status: 0, stderr: '' })
    expect(help.stdout).toContain('--idempotency-key <key>')
  })
})

describe('a scenario that cannot be used', () => {
  it.each([
    ['missing.json', undefined, /cannot be used: ENOENT/],
    ['no-json.json', '{', /cannot be used: Expected property name/],
    ['misspelt.json', '{"name":{}}', /cannot be used: dns scenario: /],
  ])('(%s) is named', async (name, content, error) => {
    const file = join(folder, name)
    if (content !== undefined) writeFileSync(file, content)
    const { status, stderr } = await vigil(['emulate', 'dns', '--port', '0', '--scenario', file])
    expect(status).toBe(1)
    expect(stderr).toContain(file)
    expect(stderr).toMatch(error)
    expect(stderr).not.toMatch(/^ {4}at /m)
  })
})

describe('a fault that is ours', () => {
  it('shows its stack to people and one object to programs', () => {
    const io = createIo()
    expect(reportFailure(new TypeError('x is not a function'), io, true)).toBe(1)
    expect(io.said().stdout).toBe('{"error":"x is not a function"}\n')
    expect(io.said().stderr).toMatch(/^TypeError: x is not a function\n {4}at /)
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

  it('is content when all is well', async () => {
    const all = await findings({})
    expect(all.filter(({ ok }) => !ok)).toEqual([])
    expect(all.map(({ check }) => check)).toEqual([
      'configuration',
      'reference data',
      'disk',
      'PostgreSQL',
      'migrations',
      'clock',
      'master key',
      'secrets',
      'spool',
      'analytics engine',
    ])
  })

  it.each([
    ['a bad setting', { VIGIL_PORT: 'x' }, 'configuration', /\.env/],
    ['an unwritable data directory', { VIGIL_DATA_DIR: '/dev/null/x' }, 'disk', /VIGIL_DATA_DIR/],
    [
      'a PostgreSQL that is away',
      { DATABASE_URL: 'postgres://vigil:hunter2@127.0.0.1:1/x' },
      'PostgreSQL',
      /DATABASE_URL/,
    ],
    ['a Redis that is away', { REDIS_URL: 'redis://:hunter2@127.0.0.1:1' }, 'Redis', /REDIS_URL/],
    [
      'a ClickHouse that is away',
      { CLICKHOUSE_URL: 'http://vigil:hunter2@127.0.0.1:1' },
      'ClickHouse',
      /CLICKHOUSE_URL/,
    ],
    [
      'a master key that the database does not know',
      { VIGIL_MASTER_KEY: Buffer.alloc(32, 9).toString('base64') },
      'secrets',
      /key that the database was last used with/,
    ],
  ])('names %s, and what to do', async (_what, environment, check, advice) => {
    const all = await findings(environment)
    const faults = all.filter(({ ok }) => !ok)
    expect(faults.map((finding) => finding.check)).toEqual([check])
    expect(faults[0]?.advice).toMatch(advice)
    expect(JSON.stringify(all)).not.toContain('hunter2')
  })

  it('changes nothing in a database that is empty, and says how to fill it', async () => {
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
  ])('says of a bad %s what the start says', async (name, value, sentence) => {
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
    expect(only?.detail).toContain(sentence)
    const start = await vigil(['key', 'list', '--org', 'x'], environment)
    expect(start).toEqual({ status: 1, stdout: '', stderr: `${only?.detail}\n` })
  })

  it('tells people the same, one line and one piece of advice each', async () => {
    const { status, stdout } = await vigil(['doctor'], { REDIS_URL: 'redis://127.0.0.1:1' })
    expect(status).toBe(1)
    expect(stdout).toMatch(/^ok {4}configuration: all settings are understood$/m)
    expect(stdout).toMatch(/^FAULT Redis: .*\n {6}→ Check REDIS_URL; /m)
  })

  it('names reference data that is missing', () => {
    expect(referenceData(join(folder, 'no-data'))).toMatchObject({
      ok: false,
      advice: 'Run `npm run build`',
    })
  })
})
