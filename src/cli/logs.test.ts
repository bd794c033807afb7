import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testClickHouse, testDatabase } from '../../test/database.ts'
import { useCommands } from '../../test/support/commands.ts'
import { addEdgeLogs, type EdgeLog, edgeLog } from '../../test/support/edge-logs.ts'
import type { LogRecord } from '../modules/edge/index.ts'
import { createIds } from '../platform/ids.ts'
import { encodeRows, insertSpoolRows } from '../platform/spool/index.ts'

const db = testDatabase()
const clickhouse = testClickHouse()
const newId = createIds()
const { vigil, vigilJson } = useCommands()
const NO_ONE = '01a1f716-c360-7b08-aad8-533adec87a22'
const AT_MS = Date.parse('2026-03-01T12:00:00Z')
const PERIOD = ['--from', '2026-03-01', '--to', '2026-03-02']

async function createOrganization(): Promise<string> {
  const { org_id } = await vigilJson<{ org_id: string }>('org', 'create', '--name', 'Logs')
  return org_id
}

async function add(org_id: string, ...logs: Partial<EdgeLog>[]): Promise<void> {
  const entries = logs.map((log, index) =>
    edgeLog({ org_id, received_at_ms: AT_MS, timestamp_ms: AT_MS + index * 1000, ...log }),
  )
  await addEdgeLogs(clickhouse, entries)
}

type Found = { logs: LogRecord[]; pagination: { total: number }; query?: { read_as: string } }

describe('vigil logs query', () => {
  it('prints a line per log, newest first, and how many more there are', async () => {
    const org = await createOrganization()
    const data = '{"order":9007199254740993}'
    await add(
      org,
      { message: 'card reader silent', level: 'error', category: 'payment', data, tags: ['a'] },
      { message: 'card\nreader \u001b[31mred\u202e', level: 'warn' },
      { message: 'paper is low' },
    )
    const query = ['logs', 'query', 'card', '--org', org, ...PERIOD]
    const silent =
      '2026-03-01T12:00:00.000Z  error  till-1  card reader silent  category:payment  tag:a  data:{"order":9007199254740993}\n'
    const red = '2026-03-01T12:00:01.000Z  warn   till-1  card\\nreader \\u{001b}[31mred\\u{202e}\n'
    expect(await vigil(...query)).toEqual({ status: 0, stdout: red + silent, stderr: '' })
    const { stdout } = await vigil(...query, '--limit', '1')
    expect(stdout).toBe(`${red}1 more; use --limit, or a narrower query\n`)
  })

  it('prints the answer of the API with --json, with all digits of numbers', async () => {
    const org = await createOrganization()
    await add(org, { message: 'card' }, { message: 'paper', data: '{"n":9007199254740993}' })
    const query = ['logs', 'query', 'level:info -card time:2026-03-01', '--org', org]
    const { stdout } = await vigil(...query, '--json')
    expect(stdout).toContain('{"n":9007199254740993}')
    expect(JSON.parse(stdout)).toMatchObject({
      logs: [{ message: 'paper' }],
      pagination: { total: 1 },
      query: { read_as: 'level info AND NOT word “card” AND time = 2026-03-01 (UTC)' },
    })
    expect(await vigilJson<Found>('logs', 'query', '--org', org, ...PERIOD)).toMatchObject({
      pagination: { total: 2 },
    })
    const test = ['logs', 'query', '--org', org, ...PERIOD, '--mode', 'test']
    expect(await vigilJson<Found>(...test)).toMatchObject({ logs: [] })
  })

  it('says how the query was read when nothing matches, and what may have been meant', async () => {
    const org = await createOrganization()
    const { stdout } = await vigil('logs', 'query', 'colour:red', '--org', org)
    expect(stdout).toMatch(/^No logs match: words “colour”, “red”\nNote: colour is not a field/)
  })

  it.each([
    [['-'], /^The query must contain 1 to 32 words or conditions\n$/],
    [['a', '--from', '2026-03-02', '--to', '2026-03-01'], /^--from must not be after --to\n$/],
    [['a', '--org', NO_ONE], new RegExp(`^Organization ${NO_ONE} does not exist\n$`)],
  ])('refuses %j in one line', async (args, message) => {
    const { status, stderr } = await vigil('logs', 'query', '--org', NO_ONE, ...args)
    expect(status).toBe(1)
    expect(stderr).toMatch(message)
  })
})

describe('vigil logs tail', () => {
  it('prints matching logs as they are received, until the limit', async () => {
    const org = await createOrganization()
    const printing = vigil('logs', 'tail', 'card', '--org', org, '--limit', '2')
    const asJson = vigil('logs', 'tail', '--org', org, '--limit', '1', '--json', '--', '-card')
    await spool(org, ['card one', 'paper', 'card two'])
    expect((await printing).stdout).toBe(
      '2026-03-01T12:00:00.000Z  info   till-1  card one\n2026-03-01T12:00:00.000Z  info   till-1  card two\n',
    )
    expect(JSON.parse((await asJson).stdout)).toMatchObject({ message: 'paper', level: 'info' })
  })

  it('refuses a query without words', async () => {
    const { status, stderr } = await vigil('logs', 'tail', '""', '--org', NO_ONE)
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'The query must contain 1 to 32 words or conditions\n',
    })
  })
})

async function spool(org_id: string, messages: string[]): Promise<void> {
  const lines = messages.map((message) => {
    const entry = { org_id, mode: 'live', id: randomUUID(), level: 'info', device_id: 'till-1' }
    const times = { received_at: '2026-03-01 12:00:00.250', timestamp_ms: AT_MS }
    return `${JSON.stringify({ ...entry, ...times, message })}\n`
  })
  const row = {
    org_id,
    mode: 'live' as const,
    id: newId(new Date()),
    target: 'edge_logs' as const,
    entries: messages.length,
    payload: Buffer.from(lines.join('')),
  }
  await insertSpoolRows(await encodeRows([row])).execute(db)
}
