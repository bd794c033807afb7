import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type HttpReply, startHttp } from '../../../../emulators/http-server.ts'
import { ownDatabase } from '../../../../test/database.ts'
import { readMasterKeys } from '../../../platform/crypto/master-key.ts'
import { createSealer } from '../../../platform/crypto/sealed.ts'
import { createIds } from '../../../platform/ids.ts'
import { createLog } from '../../../platform/log.ts'
import { addressesOf, createConnection, jwksUrlOf } from './service.ts'
import { readFleetStatus } from './store.ts'

const db = ownDatabase()
const time = { now: new Date('2026-03-01T12:00:00Z') }
const clock = { now: () => time.now }
const masterKeys = readMasterKeys({
  configured: Buffer.alloc(32, 7).toString('base64'),
  data_dir: '',
})
const sealer = createSealer({ db, masterKeys, newId: createIds(), clock })
const log = createLog('silent')

const pem = () =>
  String(
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    }),
  )
const accountOf = (project_id: string) => ({
  project_id,
  client_email: `vigil@${project_id}.iam.gserviceaccount.com`,
  private_key_id: 'key-1',
  private_key: pem(),
})
const REAL = accountOf('real-project')
const EMULATED = { type: 'service_account', ...accountOf('vigil-emulator') }

const cleanups: (() => Promise<void>)[] = []
afterAll(async () => {
  await Promise.all(cleanups.map((cleanUp) => cleanUp()))
})

const emulator: { reply: HttpReply } = { reply: { status: 200, body: EMULATED } }
async function startEmulator(): Promise<string> {
  const http = await startHttp({ port: 0, host: '127.0.0.1', handle: () => emulator.reply })
  cleanups.push(http.close)
  return http.url
}

const connect = (more: Partial<Parameters<typeof createConnection>[0]> = {}) =>
  createConnection({ directory: db, db, sealer, clock, log, deadline_ms: 2000, ...more })

const waitAMoment = () => {
  time.now = new Date(time.now.getTime() + 5000)
}

beforeEach(async () => {
  emulator.reply = { status: 200, body: EMULATED }
  await sql`truncate mdm_connection, mdm_enterprises, mdm_devices, mdm_policies, mdm_groups,
    mdm_enrollment_tokens, mdm_commands, mdm_dispatches, mdm_signups, mdm_device_counts,
    mdm_notifications, mdm_request_pauses`.execute(db)
})

/** Short lines, such as the end of a key, could appear by chance. */
const linesOf = (text: string) => text.split('\n').filter(({ length }) => length >= 20)

describe('the connection', () => {
  it('is undefined at first', async () => {
    expect(await connect().resolve()).toBeUndefined()
    expect(await connect().stored()).toBeUndefined()
  })

  it('uses the stored account at Google, in other processes within seconds', async () => {
    const other = connect()
    await other.resolve()
    await connect().store(REAL)
    waitAMoment()
    expect(await other.resolve()).toEqual({
      account: REAL,
      api_url: 'https://androidmanagement.googleapis.com',
      token_url: 'https://oauth2.googleapis.com/token',
      pubsub_url: 'https://pubsub.googleapis.com',
    })
    expect(await other.remove()).toBe(true)
    expect(await other.resolve()).toBeUndefined()
    expect(await other.remove()).toBe(false)
  })

  it('is stored sealed, and shown without its key', async () => {
    const connection = connect()
    await connection.store(REAL)
    const { rows } = await sql<{ row: string }>`
      select mdm_connection::text as row from mdm_connection`.execute(db)
    expect(rows[0]?.row).toContain(REAL.client_email)
    expect(rows[0]?.row).not.toContain('PRIVATE KEY')
    for (const line of linesOf(REAL.private_key)) expect(rows[0]?.row).not.toContain(line)
    expect(await connection.stored()).toEqual({
      project_id: REAL.project_id,
      client_email: REAL.client_email,
      private_key_id: REAL.private_key_id,
      connected_at: time.now,
    })
  })

  it('goes to the emulator of the settings, with its account or the stored one', async () => {
    const url = await startEmulator()
    const at = { api_url: url, token_url: `${url}/token`, pubsub_url: url }
    const connection = connect({ android_management_url: `${url}/` })
    const { type: _, ...emulated } = EMULATED
    expect(await connection.resolve()).toEqual({ account: emulated, ...at })
    await connection.store(REAL)
    expect(await connection.resolve()).toEqual({ account: REAL, ...at })
  })

  it('goes to the emulator of the trial until an account is stored', async () => {
    const url = await startEmulator()
    const connection = connect({ trialUrl: () => Promise.resolve(url) })
    expect((await connection.resolve())?.api_url).toBe(url)
    await connect().store(REAL)
    waitAMoment()
    expect((await connection.resolve())?.account).toEqual(REAL)
  })

  it('never goes to an emulator while another project has enterprises', async () => {
    const url = await startEmulator()
    await tenant('real-project')
    expect(await connect({ trialUrl: () => Promise.resolve(url) }).resolve()).toBeUndefined()
    expect(await connect({ android_management_url: url }).resolve()).toBeUndefined()
  })

  it.each<[string, HttpReply]>([
    ['is unavailable', { status: 200, fault: 'reset' }],
    ['returns no account', { status: 404 }],
    ['returns an invalid account', { status: 200, body: { ...EMULATED, private_key: 'x' } }],
  ])('throws while the emulator %s', async (_, reply) => {
    const url = await startEmulator()
    emulator.reply = reply
    const connection = connect({ android_management_url: url })
    await expect(connection.resolve()).rejects.toThrow(/emulator/)
    emulator.reply = { status: 200, body: EMULATED }
    expect((await connection.resolve())?.account.project_id).toBe('vigil-emulator')
  })

  it('throws when its key was sealed in another context', async () => {
    await connect().store(REAL)
    const private_key = await sealer.seal(REAL.private_key, 'something_else')
    await db.updateTable('mdm_connection').set({ private_key }).execute()
    await expect(connect().resolve()).rejects.toThrow(/sealed value/)
  })

  it('verifies pushes with the keys of Google, or of the emulator', () => {
    expect(jwksUrlOf(undefined)).toBe('https://www.googleapis.com/oauth2/v3/certs')
    expect(jwksUrlOf('http://127.0.0.1:5490/')).toBe('http://127.0.0.1:5490/oauth2/v3/certs')
    expect(addressesOf('http://127.0.0.1:5490//').token_url).toBe('http://127.0.0.1:5490/token')
  })
})

/** Adds an organization with a record of each kind. */
async function tenant(project_id: string): Promise<string> {
  const org_id = randomUUID()
  const name = `enterprises/${org_id}`
  await sql`insert into mdm_enterprises (org_id, name, project_id, display_name, created_at,
      listing_due_at) values (${org_id}, ${name}, ${project_id}, 'Example', now(), now())`.execute(
    db,
  )
  await sql`insert into mdm_policies (org_id, id, name, description, management_mode, policy_json,
      version, published_version, provider_version, created_at, updated_at)
    values (${org_id}, ${randomUUID()}, 'P', '', 'fully_managed', '{}', 3, 3, 7, now(), now())`.execute(
    db,
  )
  await sql`insert into mdm_groups (org_id, id, name, created_at, updated_at)
    values (${org_id}, ${randomUUID()}, 'G', now(), now())`.execute(db)
  await sql`insert into mdm_devices (org_id, id, provider_name, state, management_mode, ownership,
      ownership_type, compliance_state, enrolled_at, created_at, updated_at)
    values (${org_id}, ${randomUUID()}, ${`${name}/devices/1`}, 'active', 'fully_managed',
      'company_owned', 'company_owned', 'unknown', now(), now(), now())`.execute(db)
  await sql`insert into mdm_dispatches (org_id, kind, subject_id, due_at, created_at)
    values (${org_id}, 'publish_policy', ${randomUUID()}, now(), now())`.execute(db)
  await sql`insert into mdm_audit_log (org_id, id, action, actor_type, target_type, created_at)
    values (${org_id}, ${randomUUID()}, 'enterprise.created', 'system', 'enterprise', now())`.execute(
    db,
  )
  return org_id
}

async function rowsOf(org_id: string): Promise<Record<string, number>> {
  const { rows } = await sql<Record<string, number>>`select
    (select count(*) from mdm_enterprises where org_id = ${org_id}) as enterprises,
    (select count(*) from mdm_devices where org_id = ${org_id}) as devices,
    (select count(*) from mdm_dispatches where org_id = ${org_id}) as dispatches,
    (select count(*) from mdm_policies where org_id = ${org_id}) as policies,
    (select count(*) from mdm_policies
      where org_id = ${org_id} and published_version is not null) as published,
    (select count(*) from mdm_groups where org_id = ${org_id}) as groups,
    (select count(*) from mdm_audit_log where org_id = ${org_id}) as entries`.execute(db)
  return rows[0] ?? {}
}

describe('another project', () => {
  it('deletes the enterprises of the previous one if allowed, and keeps policies, groups and its own', async () => {
    const [trial, real] = [await tenant('vigil-emulator'), await tenant('real-project')]
    const connection = connect()
    expect(await connection.foreignTo('real-project')).toEqual([
      { project_id: 'vigil-emulator', enterprises: 1 },
    ])
    expect(await connection.store(REAL)).toBe(false)
    expect(await rowsOf(trial)).toMatchObject({ enterprises: 1, devices: 1 })
    expect(await connection.stored()).toBeUndefined()
    expect(await connection.store(REAL, { deletes_foreign: true })).toBe(true)
    expect(await rowsOf(trial)).toEqual({
      enterprises: 0,
      devices: 0,
      dispatches: 0,
      policies: 1,
      published: 0,
      groups: 1,
      entries: 1,
    })
    expect(await rowsOf(real)).toEqual({
      enterprises: 1,
      devices: 1,
      dispatches: 1,
      policies: 1,
      published: 1,
      groups: 1,
      entries: 1,
    })
    expect(await connection.foreignTo('real-project')).toEqual([])
  })
})

describe('the status of the fleet', () => {
  it('has the numbers of enterprises and devices, the backlog and the pauses', async () => {
    await tenant('real-project')
    const org = await tenant('real-project')
    await sql`update mdm_dispatches set attempts = 3 where org_id = ${org}`.execute(db)
    await sql`update mdm_devices set state = 'deleted', deleted_at = now(), deleted_by = 'report'
      where org_id = ${org}`.execute(db)
    await sql`insert into mdm_notifications values ('1', '2026-03-01T11:00:00Z')`.execute(db)
    await sql`insert into mdm_request_pauses values ('command', now() + interval '1 minute'),
      ('device', now() - interval '1 minute')`.execute(db)
    expect(await readFleetStatus({ directory: db, db })).toEqual({
      enterprises: 2,
      devices: 1,
      last_notification_at: new Date('2026-03-01T11:00:00Z'),
      backlog: [
        { kind: 'publish_policy', waiting: 2, failing: 1, oldest_at: expect.any(Date) as Date },
      ],
      pauses: [{ class: 'command', paused_until: expect.any(Date) as Date }],
    })
  })
})
