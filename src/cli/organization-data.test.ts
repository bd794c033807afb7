import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ownDatabase } from '../../test/database.ts'
import {
  type Harness,
  openHarness,
  TEST_MASTER_KEY,
  type Tenant,
  testEngineSettings,
} from '../../test/harness.ts'
import { runProgram } from './program.ts'

const own = ownDatabase('whole')
const folder = mkdtempSync(join(tmpdir(), 'vigil-organization-'))
let harness: Harness
let tenant: Tenant
let other: Tenant
let url = ''

beforeAll(async () => {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(own)
  const { host, port, user } = inject('postgres') ?? { host: '', port: 0, user: '' }
  url = `postgres://${user}@localhost/${rows[0]?.name}?host=${encodeURIComponent(host)}&port=${port}`
  harness = await openHarness({ db: own })
  for (const _ of [0, 1]) {
    const created = await harness.createTenant('business')
    if (!tenant) tenant = created
    else other = created
    const token = await harness.signIn(created.org_id)
    const key = created.keys.live_secret
    for (const email of ['a@b.example', 'c"\\\n@d.example']) {
      await harness.post('/v1/check', { email, metadata: { note: 'x\\y' } }, { key })
    }
    const { org_id } = created
    const webhook = { org_id, url: 'https://8.8.8.8/hook', events: ['email.check.completed'] }
    expect((await harness.post('/v1/webhooks', webhook, { token })).body.message).toContain(
      'ebhook',
    )
  }
})
afterAll(async () => {
  await harness.close()
  rmSync(folder, { recursive: true })
})

async function vigil(args: string[], typed?: string) {
  const printed = { stdout: '', stderr: '' }
  const status = await runProgram(args, {
    working_folder: folder,
    environment: {
      DATABASE_URL: url,
      ...testEngineSettings(),
      VIGIL_MASTER_KEY: TEST_MASTER_KEY,
      VIGIL_DATA_DIR: folder,
    },
    stdout: (text) => void (printed.stdout += `${text}\n`),
    stderr: (text) => void (printed.stderr += `${text}\n`),
    ...(typed !== undefined && { ask: () => Promise.resolve(typed) }),
  })
  return { status, ...printed }
}

const rowsOf = async (orgId: string): Promise<Record<string, number>> => {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where a.attname = 'org_id' and c.relkind in ('r', 'p') and not c.relispartition
      and c.relnamespace = any(current_schemas(false)::regnamespace[])
      -- It is written in the background.
      and c.relname <> 'request_log' order by 1`.execute(own)
  const counts: Record<string, number> = {}
  for (const { name } of rows) {
    const found = await sql<{ rows: number }>`
      select count(*)::integer as rows from ${sql.table(name)} where org_id = ${orgId}`.execute(own)
    if (found.rows[0]?.rows) counts[name] = found.rows[0].rows
  }
  return counts
}

describe('vigil org export', () => {
  it('writes every row of the organization and of no other, without secrets', async () => {
    const to = join(folder, 'export')
    const args = ['org', 'export', '--org', tenant.org_id, '--to', to]
    const { status, stdout, stderr } = await vigil([...args, '--json'])
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
    const { tables } = JSON.parse(stdout) as { tables: Record<string, number> }
    expect(tables).toMatchObject(await rowsOf(tenant.org_id))
    expect(tables).toMatchObject({ organizations: 1, users: 1, checks: 2, webhook_endpoints: 1 })
    const files = readdirSync(to).filter((name) => name.endsWith('.ndjson'))
    expect(files.toSorted()).toEqual(
      Object.keys(tables)
        .map((name) => `${name}.ndjson`)
        .toSorted(),
    )
    const texts = files.map((name) => readFileSync(join(to, name), 'utf8'))
    const rows = texts
      .join('')
      .split('\n')
      .filter((line) => line !== '')
    const parsed = rows.map((row) => JSON.parse(row) as Record<string, unknown>)
    expect(parsed.length).toBe(Object.values(tables).reduce((sum, each) => sum + each, 0))
    expect(rows.filter((row) => row.includes(other.org_id))).toEqual([])
    const names = new Set(parsed.flatMap((row) => Object.keys(row)))
    const secrets = ['key_hash', 'password_hash', 'secret', 'sealed', 'token_hash']
    expect(secrets.filter((name) => names.has(name))).toEqual([])
    expect(texts.join('')).not.toContain(tenant.keys.live_secret)
    expect((await vigil(args)).stderr).toContain('is not empty')
    const again = ['export', '--org', tenant.org_id, '--to', join(folder, 'again'), '--json']
    const same = { org_id: tenant.org_id, tables: await rowsOf(tenant.org_id) }
    expect(JSON.parse((await vigil(again)).stdout)).toMatchObject(same)
  })
})

describe('vigil org delete', () => {
  it('does nothing without the name of the organization', async () => {
    const before = await rowsOf(tenant.org_id)
    const args = ['org', 'delete', '--org', tenant.org_id]
    expect((await vigil(args)).stderr).toContain('Repeat the name')
    expect((await vigil(args, 'another name')).stderr).toContain('Nothing was changed')
    expect((await vigil(['org', 'delete', '--org', randomUUID()])).stderr).toContain('not exist')
    expect(await rowsOf(tenant.org_id)).toEqual(before)
  })

  it('deletes all data but the books, again after an interruption, and nothing of others', async () => {
    const theirs = await rowsOf(other.org_id)
    // A portion of an earlier deletion that was killed.
    await sql`delete from checks where org_id = ${tenant.org_id}
      and id = (select min(id::text)::uuid from checks where org_id = ${tenant.org_id})`.execute(
      own,
    )
    const { rows } = await sql<{ name: string }>`
      select name from organizations where id = ${tenant.org_id}`.execute(own)
    const name = rows[0]?.name ?? ''
    const args = ['org', 'delete', '--org', tenant.org_id]
    for (const answer of [name, name]) expect((await vigil(args, answer)).status).toBe(0)
    const left = Object.keys(await rowsOf(tenant.org_id))
    const books = [
      'audit_log',
      'ledger_accounts',
      'ledger_transfers',
      'ledger_usage',
      'usage_events',
      'usage_months',
      'usage_slots',
    ]
    expect(left.filter((table) => !books.includes(table))).toEqual([])
    expect(left).toContain('usage_events')
    expect(await rowsOf(other.org_id)).toEqual(theirs)
    const users = await sql<{
      users: number
    }>`select count(*)::integer as users from users`.execute(own)
    expect(users.rows).toEqual([{ users: 1 }])
    const key = tenant.keys.live_secret
    expect((await harness.post('/v1/check', { email: 'a@b.example' }, { key })).status).toBe(401)
  })
})
