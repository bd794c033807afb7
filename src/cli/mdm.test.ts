import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import {
  type AndroidEmulator,
  startAndroidManagement,
} from '../../emulators/android-management/index.ts'
import { type HttpReply, startHttp } from '../../emulators/http-server.ts'
import { ownDatabase } from '../../test/database.ts'
import { TEST_MASTER_KEY } from '../../test/harness.ts'
import { runProgram } from './program.ts'

const db = ownDatabase()
let folder = ''
let database = ''
let emulator: AndroidEmulator

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-mdm-'))
  emulator = await startAndroidManagement({ port: 0 })
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  database = rows[0]?.name ?? ''
})
afterAll(async () => {
  await emulator.close()
  rmSync(folder, { recursive: true })
})
beforeEach(async () => {
  await sql`truncate mdm_connection, mdm_enterprises, mdm_dispatches`.execute(db)
})

async function vigil(args: string[], settings: Record<string, string> = {}) {
  const { host, port, user } = inject('postgres')
  const printed = { stdout: '', stderr: '' }
  const status = await runProgram(['mdm', ...args], {
    working_folder: folder,
    environment: {
      DATABASE_URL: `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`,
      VIGIL_MASTER_KEY: TEST_MASTER_KEY,
      VIGIL_DATA_DIR: folder,
      VIGIL_ANDROID_MANAGEMENT_URL: emulator.url,
      ...settings,
    },
    stdout: (text) => {
      printed.stdout += `${text}\n`
    },
    stderr: (text) => {
      printed.stderr += `${text}\n`
    },
  })
  return { status, ...printed }
}

function keyFile(change: object = {}): string {
  const file = join(folder, 'key.json')
  writeFileSync(file, JSON.stringify({ ...emulator.control.serviceAccount(), ...change }))
  return file
}

describe('vigil mdm connect', () => {
  it('verifies the key, sets up Pub/Sub, and is shown by status', async () => {
    const connected = await vigil(['connect', '--key', keyFile()])
    expect(connected).toMatchObject({ status: 0, stderr: '' })
    const { client_email, project_id } = emulator.control.serviceAccount()
    expect(connected.stdout.split('\n')).toEqual([
      `Connected to project ${project_id} as ${client_email}`,
      `Topic projects/${project_id}/topics/vigil-android created`,
      `Subscription projects/${project_id}/subscriptions/vigil-android created`,
      'Permission to publish to it created',
      '',
    ])
    const again = await vigil(['connect', '--key', 'key.json', '--json'])
    expect(JSON.parse(again.stdout)).toMatchObject({
      project_id,
      forgotten_enterprises: 0,
      steps: { topic: 'there', subscription: 'there', publisher: 'there' },
      faults: [],
    })
    const status = await vigil(['status', '--json'])
    expect(JSON.parse(status.stdout)).toMatchObject({
      connection: { project_id, client_email },
      enterprises: 0,
      devices: 0,
      last_notification_at: null,
      backlog: [],
    })
    expect(status.stdout + again.stdout + connected.stdout).not.toContain('PRIVATE KEY')
  })

  it.each<[string, object, RegExp]>([
    ['has another type', { type: 'authorized_user' }, /^Cannot use the key .*: Its `type`/],
    [
      'the account does not have',
      { private_key_id: 'other' },
      /Google rejected this key: invalid_/,
    ],
  ])('refuses a key that %s, and stores nothing', async (_, change, about) => {
    const { status, stderr } = await vigil(['connect', '--key', keyFile(change)])
    expect(status).toBe(1)
    expect(stderr).toMatch(about)
    expect((await vigil(['status'])).stdout).toContain(`Emulator at ${emulator.url}`)
    expect((await sql`select from mdm_connection`.execute(db)).rows).toEqual([])
  })

  it('refuses while another project has enterprises, unless they are to be deleted', async () => {
    await sql`insert into mdm_enterprises (org_id, name, project_id, display_name, created_at,
        listing_due_at)
      values (gen_random_uuid(), 'enterprises/1', 'other-project', '', now(), now())`.execute(db)
    const refused = await vigil(['connect', '--key', keyFile()])
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain('1 of project other-project. Use --forget-trial')
    const forgotten = await vigil(['connect', '--key', keyFile(), '--forget-trial', '--json'])
    expect(JSON.parse(forgotten.stdout)).toMatchObject({ forgotten_enterprises: 1 })
  })

  it('prints the commands that are left to run when the account lacks permissions', async () => {
    const handle = ({ path }: { path: string }): HttpReply =>
      path === '/token'
        ? { status: 200, body: { access_token: 'ya29', expires_in: 3599 } }
        : { status: 403, body: { error: { message: 'Permission denied' } } }
    const forbidding = await startHttp({ port: 0, host: '127.0.0.1', handle })
    const { status, stdout } = await vigil(['connect', '--key', keyFile()], {
      VIGIL_ANDROID_MANAGEMENT_URL: forbidding.url,
    })
    await forbidding.close()
    expect(status).toBe(0)
    expect(stdout).toMatch(/lacks permission for some steps:\n.*Permission denied\./)
    expect(stdout).toMatch(/Run these commands.*\n {2}gcloud pubsub topics create projects\//)
    expect(stdout).toContain('--role=roles/pubsub.publisher')
  })

  it('creates no subscription when notifications are pushed', async () => {
    const { stdout } = await vigil(['connect', '--key', keyFile()], {
      VIGIL_ANDROID_PUSH_AUDIENCE: 'https://vigil.example/hooks/android-management',
      VIGIL_ANDROID_TOPIC: 'projects/vigil-emulator/topics/pushed',
    })
    expect(stdout).toContain('Topic projects/vigil-emulator/topics/pushed created')
    expect(stdout).toContain('create a push subscription to /hooks/android-management')
  })
})

describe('vigil mdm status', () => {
  it('prints pending requests and pauses', async () => {
    await sql`insert into mdm_dispatches (org_id, kind, subject_id, attempts, due_at, created_at)
      values (gen_random_uuid(), 'issue_command', gen_random_uuid(), 2, now(), now())`.execute(db)
    await sql`insert into mdm_request_pauses values ('command', now() + interval '1 hour')`.execute(
      db,
    )
    const { stdout } = await vigil(['status'])
    expect(stdout).toMatch(/^Pending issue_command: 1, of which 1 are retries; oldest from 20/m)
    expect(stdout).toMatch(/^Rate limited by Google: command requests are paused until 20/m)
  })
})

describe('vigil mdm disconnect', () => {
  it('deletes the key, once', async () => {
    await vigil(['connect', '--key', keyFile()])
    expect(JSON.parse((await vigil(['disconnect', '--json'])).stdout)).toEqual({
      disconnected: true,
    })
    expect((await vigil(['disconnect'])).stdout).toContain('is not connected')
  })
})
