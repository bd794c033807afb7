/** `vigil cell`, and commands for an organization that is in another cell: a schema of the same database. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ownDatabase, postgresAddress } from '../../test/database.ts'
import { TEST_MASTER_KEY, testEngineSettings } from '../../test/harness.ts'
import { runProgram } from './program.ts'

const own = ownDatabase('whole')
const folder = mkdtempSync(join(tmpdir(), 'vigil-cells-'))
let url = ''

beforeAll(async () => {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(own)
  const { host, port, user } = postgresAddress()
  url = `postgres://${user}@localhost/${rows[0]?.name}?host=${encodeURIComponent(host)}&port=${port}`
})
afterAll(() => rmSync(folder, { recursive: true }))

async function vigil<T = Record<string, unknown>>(...args: string[]) {
  const printed = { stdout: '', stderr: '' }
  const status = await runProgram([...args, '--json'], {
    working_folder: folder,
    environment: {
      DATABASE_URL: url,
      ...testEngineSettings(),
      VIGIL_MASTER_KEY: TEST_MASTER_KEY,
      VIGIL_DATA_DIR: folder,
      VIGIL_BACKUP_TO: join(folder, 'backups'),
    },
    stdout: (text) => void (printed.stdout += `${text}\n`),
    stderr: (text) => void (printed.stderr += `${text}\n`),
  })
  return { status, ...printed, json: JSON.parse(printed.stdout) as T & { error?: string } }
}

it('adds a schema as a cell, closed, and refuses names and databases that exist', async () => {
  const added = await vigil<{ is_open: boolean; applied: string[] }>(
    'cell',
    'add',
    'east',
    '--schema',
    'east',
  )
  expect(added.json).toMatchObject({ name: 'east', schema: 'east', is_open: false })
  expect(added.json.applied).toContain('0035_cells.sql')
  const again = await vigil('cell', 'add', 'east', '--schema', 'other')
  expect(again.json.error).toBe('Cell east exists')
  const file = join(folder, 'url')
  writeFileSync(file, url)
  for (const schema of ['public', 'east']) {
    const same = await vigil('cell', 'add', 'west', '--url-file', file, '--schema', schema)
    expect(same.json.error).toBe('This database and schema are already a cell')
  }
})

it('shows the migrations of each cell', async () => {
  const { json } = await vigil<{ pending: number; migrations: { name: string; cell?: string }[] }>(
    'migrate',
    '--status',
  )
  const cellsOf = (wanted: string) =>
    json.migrations.filter(({ name }) => name === wanted).map(({ cell }) => cell ?? 'main')
  expect([json.pending, cellsOf('0035_cells.sql')]).toEqual([0, ['main', 'east']])
})

it('places organizations in open cells, and never closes the last one', async () => {
  const only = await vigil('cell', 'drain', 'main')
  expect(only.json.error).toMatch(/^Another cell must be open/)
  expect((await vigil('cell', 'drain', 'east', '--undo')).json).toEqual({
    name: 'east',
    is_open: true,
  })
  expect((await vigil('cell', 'drain', 'main')).json).toEqual({ name: 'main', is_open: false })
  // Commands do not migrate, so a cell must be usable before an organization is placed in it.
  const { json } = await vigil<{ org_id: string }>('org', 'create', '--name', 'Shop')
  const listed = await vigil<{ cells: object[] }>('cell', 'list')
  expect(listed.json.cells).toMatchObject([
    { name: 'east', organizations: 1, is_open: true },
    { name: 'main', organizations: 0, is_open: false },
  ])

  const granted = await vigil(
    'credits',
    'grant',
    '--org',
    json.org_id,
    '--amount',
    '5',
    '--reason',
    'test',
  )
  expect(granted.json).toMatchObject({ granted: true })
  const { rows } = await sql`select
    (select count(*) from east.ledger_transfers) as east,
    (select count(*) from public.ledger_transfers) as main`.execute(own)
  expect(rows).toEqual([{ east: 1, main: 0 }])
  const to = join(folder, 'export')
  const exported = await vigil<{ tables: Record<string, number> }>(
    'org',
    'export',
    '--org',
    json.org_id,
    '--to',
    to,
  )
  expect(exported.json.tables).toMatchObject({ ledger_transfers: 1, organizations: 1 })
  expect(readdirSync(to)).toContain('ledger_transfers.ndjson')
  expect(readFileSync(join(to, 'organizations.ndjson'), 'utf8')).toContain('"cell":"east"')
})

it('moves an organization between cells, and says where it is', async () => {
  const { json } = await vigil<{ cells: { name: string; organizations: number }[] }>('cell', 'list')
  expect(json.cells).toMatchObject([{ organizations: 1 }, { organizations: 0 }])
  const { rows } = await sql<{ id: string }>`select id from public.organizations`.execute(own)
  const org = rows[0]?.id ?? ''
  const closed = await vigil('org', 'move', org, '--to', 'main')
  expect(closed.json.error).toMatch(/^Restart all nodes/)
  await vigil('cell', 'drain', 'main', '--undo')
  expect((await vigil('org', 'move', org, '--to', 'north')).json.error).toBe(
    'Cell north does not exist',
  )
  expect((await vigil('org', 'move', org, '--status')).json).toEqual({
    org_id: org,
    cell: 'east',
    move: null,
  })
  const moved = await vigil('org', 'move', org, '--to', 'main', '--settle', '1')
  expect(moved.json).toMatchObject({ cell: 'main', moved: true, from: 'east' })
  expect(moved.stderr).toMatch(/Copied ledger_transfers \(1 rows\)[^]*Verified all \d+ rows/)
  const places = await sql`select
    (select count(*) from east.ledger_transfers) as east,
    (select count(*) from public.ledger_transfers) as main,
    (select count(*) from east.organizations) as copies`.execute(own)
  expect(places.rows).toEqual([{ east: 0, main: 1, copies: 0 }])
  expect((await vigil('org', 'move', org, '--to', 'main')).json).toMatchObject({ moved: false })
  expect((await vigil('org', 'move', org, '--cancel')).json.error).toBe(
    'The organization does not move',
  )
})

it('checks each cell, and says what is wrong with one', async () => {
  const ready = await vigil('cell', 'check')
  expect([ready.status, ready.json]).toEqual([
    0,
    {
      ok: true,
      cells: [
        { name: 'main', status: 'ready' },
        { name: 'east', status: 'ready' },
      ],
    },
  ])
  await sql`delete from east.schema_migrations where name = '0035_cells.sql'`.execute(own)
  const older = await vigil<{ cells: { status: string }[] }>('cell', 'check')
  expect(older.status).toBe(1)
  expect(older.json.cells[1]?.status).toContain('1 migrations are pending')
})
