import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { engineFingerprint } from './engines/engines.ts'
import { createRunDatabases } from './engines/run-databases.ts'
import {
  findSharedEngines,
  readAddressFile,
  type SharedEngines,
  writeAddressFile,
} from './engines/shared-engines.ts'
import { keepEngines } from './keep-engines.ts'

let folder = ''
let file = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-keep-'))
  file = join(folder, 'engines.json')
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Above every process id of Linux and macOS. */
const NO_PROCESS = 2 ** 30

/** The engines of this run, described as shared engines. */
function engines(changed: Partial<SharedEngines> = {}): SharedEngines {
  const { url, username, password } = inject('clickhouse')
  return {
    pid: process.pid,
    folder,
    fingerprint: engineFingerprint(),
    postgres: { ...inject('postgres'), database: inject('template') },
    clickhouse: { url, username, password },
    ...changed,
  }
}

async function find(changed: Partial<SharedEngines>) {
  const reports: string[] = []
  writeAddressFile(engines(changed), file)
  const found = await findSharedEngines((reason) => reports.push(reason), file)
  return { found: found !== undefined, reports }
}

describe('shared engines', () => {
  it('are available from start to stop, only to their user, and leave no files', async () => {
    const lines: string[] = []
    let stop: () => void = () => undefined
    const until = new Promise<void>((resolve) => {
      stop = resolve
    })
    const print = (line: string) => void lines.push(line)
    const address = join(folder, 'own.json')
    const running = keepEngines({ print, until, file: address })
    await expect.poll(() => lines.length, { timeout: 60_000 }).toBe(3)
    expect(statSync(address).mode & 0o777).toBe(0o600)
    const found = await findSharedEngines((reason) => expect.fail(reason), address)
    expect(found).toMatchObject({ pid: process.pid })
    expect(await keepEngines({ print, until, file: address })).toBe(1)
    expect(lines.at(-1)).toContain('already running')
    stop()
    expect(await running).toBe(0)
    expect(existsSync(address)).toBe(false)
    expect(existsSync(found?.folder ?? '')).toBe(false)
  }, 120_000)

  it('are used when they respond and have the same migrations', async () => {
    expect(await find({})).toEqual({ found: true, reports: [] })
  })

  it.each([
    ['when their process has ended', { pid: NO_PROCESS }, /^$/],
    [
      'with other migrations',
      { fingerprint: 'other' },
      /^they were started with other migrations; restart/,
    ],
    [
      'without PostgreSQL',
      { postgres: { host: '/nowhere', port: 5432, user: 'vigil', database: 'vigil' } },
      /^they do not respond; restart/,
    ],
    [
      'without ClickHouse',
      { clickhouse: { url: 'http://127.0.0.1:1', username: 'vigil', password: '' } },
      /^they do not respond; restart/,
    ],
  ])('are not used %s', async (_, changed, report) => {
    const { found, reports } = await find(changed)
    expect(found).toBe(false)
    expect(reports.join('\n')).toMatch(report)
  })

  it.each([
    ['is missing', () => undefined],
    ['is truncated', () => writeFileSync(file, '{"pid": 1', { mode: 0o600 })],
    [
      'others can read',
      () => {
        writeAddressFile(engines(), file)
        chmodSync(file, 0o644)
      },
    ],
    [
      'is a link',
      () => {
        writeAddressFile(engines(), join(folder, 'target.json'))
        symlinkSync(join(folder, 'target.json'), file)
      },
    ],
  ])('are not found through a file that %s', (_, prepare) => {
    rmSync(file, { force: true })
    prepare()
    expect(readAddressFile(file)).toBeUndefined()
  })
})

describe('the databases of a run', () => {
  const names = async (): Promise<string[]> => {
    const client = new Client(inject('postgres'))
    await client.connect()
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database')
    await client.end()
    return rows.map(({ datname }) => datname)
  }
  const execute = async (statement: string): Promise<void> => {
    const client = new Client(inject('postgres'))
    await client.connect()
    await client.query(statement)
    await client.end()
  }

  it('are dropped together with the databases derived from them', async () => {
    const { postgres, clickhouse, drop } = await createRunDatabases(engines())
    const derived = `${postgres.database}_own`
    await execute(`create database ${derived}`)
    expect(postgres.database).not.toBe(inject('postgres').database)
    expect(clickhouse.database).toBe(postgres.database)
    expect(await names()).toEqual(expect.arrayContaining([postgres.database, derived]))
    await drop()
    const left = await names()
    expect(left.filter((name) => name.startsWith(postgres.database))).toEqual([])
    expect(left).toContain(inject('postgres').database)
  })

  it('of a killed run are dropped by the next run', async () => {
    const abandoned = `test_run_${NO_PROCESS}_${randomBytes(4).toString('hex')}`
    await execute(`create database ${abandoned}`)
    const { drop } = await createRunDatabases(engines())
    const left = await names()
    await drop()
    expect(left).not.toContain(abandoned)
    expect(left).toContain(inject('postgres').database)
  })
})
