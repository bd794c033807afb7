/** Specification, "MDM" and "Authentication": permissions and isolation (OP-38, OP-84, OP-85). */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '../../src/platform/log.ts'
import type { Harness } from '../harness.ts'
import { NOT_FOUND } from '../support/answers.ts'
import { countRows } from '../support/books.ts'
import { operationsOf, readDocument } from '../support/document.ts'
import {
  CALLBACK,
  createFleet,
  createReadyFleet,
  type Fleet,
  type FleetRequest,
  patch,
  post,
} from '../support/mdm-fleet.ts'
import { useMdmWorld } from '../support/mdm-world.ts'

/** All lines of the log. */
const lines: string[] = []
const log = createLog('trace', { write: (line) => void lines.push(line) })
const world = useMdmWorld({ log })

type Ready = Fleet & { policy_id: string; group_id: string; device_id: string }
async function createFullFleet(): Promise<Ready> {
  const fleet = await createReadyFleet(world())
  const { device } = await fleet.enroll(fleet.policy_id)
  const group = await fleet.createGroup()
  return { ...fleet, group_id: group.id, device_id: device.id }
}

let ours: Ready
let theirs: Ready
beforeAll(async () => {
  ours = await createFullFleet()
  theirs = await createFullFleet()
})

const READINGS: string[] = [
  '/enterprise',
  '/overview',
  '/policies',
  '/enrollment-tokens',
  '/devices',
  '/devices/{device_id}',
  '/groups',
  '/audit-log',
  '/audit-log/export.csv',
  '/reports/fleet-inventory.csv',
  '/reports/compliance-summary.csv',
]
const signup = { signup_url_name: 'signupUrls/C1', enterprise_token: 'EE' }
const CHANGES: [method: 'POST' | 'PATCH' | 'DELETE', path: string, body: (of: Ready) => unknown][] =
  [
    ['POST', '/enterprise/signup-url', () => ({ callback_url: CALLBACK })],
    ['POST', '/enterprise', () => signup],
    ['POST', '/policies', () => ({ name: 'P', management_mode: 'work_profile' })],
    ['PATCH', '/policies/{policy_id}', () => ({ name: 'Changed' })],
    ['POST', '/enrollment-tokens', ({ policy_id }) => ({ policy_id })],
    ['PATCH', '/devices/{device_id}', () => ({ name: 'Changed' })],
    ['POST', '/devices/{device_id}/commands', () => ({ type: 'LOCK' })],
    ['POST', '/groups', () => ({ name: 'Group' })],
    ['PATCH', '/groups/{group_id}', () => ({ name: 'Changed' })],
    ['POST', '/groups/{group_id}/devices', ({ device_id }) => ({ device_ids: [device_id] })],
    ['POST', '/groups/{group_id}/commands', () => ({ type: 'LOCK' })],
    ['DELETE', '/groups/{group_id}', () => undefined],
    ['DELETE', '/devices/{device_id}', () => undefined],
  ]
const at = (path: string, { policy_id, group_id, device_id }: Ready): string =>
  path
    .replace('{policy_id}', policy_id)
    .replace('{group_id}', group_id)
    .replace('{device_id}', device_id)
const readings = (of: Ready): FleetRequest[] => READINGS.map((path) => ({ path: at(path, of) }))
const changes = (of: Ready): FleetRequest[] =>
  CHANGES.map(([method, path, body]) => ({ method, path: at(path, of), body: body(of) }))
const nameOf = ({ method = 'GET', path }: FleetRequest) => `${method} ${path}`

const call = async (
  { method = 'GET', path, body }: FleetRequest,
  org: string,
  token: string | undefined,
) =>
  await world().harness.call<Record<string, unknown> | undefined>({
    method,
    path: `/v1/mdm${path}?org_id=${encodeURIComponent(org)}`,
    ...(token !== undefined && { token }),
    ...(body !== undefined && { body }),
  })

describe('the operations of device management', () => {
  it('are the twenty-four of the specification, all covered here', () => {
    const { app } = world().harness
    const named = operationsOf(readDocument(app)).filter(({ tags }) => tags.includes('MDM'))
    const covered = [
      ...READINGS.map((path) => `GET /mdm${path}`),
      ...CHANGES.map(([method, path]) => `${method} /mdm${path}`),
    ]
    expect(covered.toSorted()).toEqual(named.map(({ name }) => name).toSorted())
    expect(covered).toHaveLength(24)
  })
})

describe('OP-84: a member', () => {
  it('reads everything', async () => {
    for (const request of readings(ours)) {
      for (const as of ['member', 'admin', 'owner'] as const) {
        expect((await ours.send({ ...request, as })).status, nameOf(request)).toBe(200)
      }
    }
  })

  it('gets a 403 for every change, and nothing is stored', async () => {
    const { db } = world().harness.stores
    const before = await countRows(db, ours.org_id)
    for (const request of changes(ours)) {
      const { status, body } = await ours.send({ ...request, as: 'member' })
      expect({ status, message: body.message }, nameOf(request)).toEqual({
        status: 403,
        message: 'Owners and admins only',
      })
    }
    expect(await countRows(db, ours.org_id)).toEqual(before)
  })
})

describe('OP-84: an admin', () => {
  it('can make all changes that the owner can make', async () => {
    const fleet = await createFullFleet()
    for (const request of changes(fleet)) {
      const { status, body } = await fleet.send({ ...request, as: 'admin' })
      // The enterprise already exists.
      const isAllowed = request.path.startsWith('/enterprise')
        ? status === 400 && ['org_id'].includes(body.content.field)
        : status === 200
      expect(isAllowed, `${nameOf(request)}: ${status} ${body.message}`).toBe(true)
    }
    const entries = await fleet.audit('device.deletion_requested')
    expect(entries).toMatchObject([{ actor_id: fleet.user_ids.admin }])
  })
})

describe('everyone else', () => {
  it('gets a 403, whether or not the organization exists', async () => {
    const before = await countRows(world().harness.stores.db, theirs.org_id)
    for (const request of [...readings(theirs), ...changes(theirs)]) {
      for (const org of [theirs.org_id, randomUUID(), 'no-organization', '']) {
        const answer = await call(request, org, ours.tokens.owner)
        expect({ status: answer.status, body: answer.body }, `${nameOf(request)} ${org}`).toEqual({
          status: 403,
          body: { success: false, message: 'Members of the organization only' },
        })
      }
    }
    expect(await countRows(world().harness.stores.db, theirs.org_id)).toEqual(before)
  })

  it('gets a 401 without a token, and OP-85: with an API key of any type', async () => {
    const { keys, org_id } = await world().harness.createTenant()
    for (const request of [...readings(ours), ...changes(ours)]) {
      expect((await call(request, ours.org_id, undefined)).status, nameOf(request)).toBe(401)
      for (const key of Object.values(keys)) {
        const { method = 'GET', path, body } = request
        const sent = { method, path: `/v1/mdm${path}?org_id=${org_id}`, key }
        const answer = await world().harness.call({ ...sent, ...(body !== undefined && { body }) })
        expect(answer.status, nameOf(request)).toBe(401)
      }
    }
  })
})

describe('two organizations', () => {
  it('get a 404 for each other’s ids', async () => {
    const before = await countRows(world().harness.stores.db, theirs.org_id)
    const theirRecords = [...readings(theirs), ...changes(theirs)].filter((_request, index) =>
      [...READINGS, ...CHANGES.map(([, path]) => path)][index]?.includes('{'),
    )
    expect(theirRecords.length).toBeGreaterThan(8)
    for (const request of theirRecords) {
      const { status, body } = await ours.send(request)
      expect({ status, body }, nameOf(request)).toEqual(NOT_FOUND)
    }
    expect(await countRows(world().harness.stores.db, theirs.org_id)).toEqual(before)
  })

  it('cannot use each other’s policies and devices', async () => {
    const { policy_id, device_id, group_id } = theirs
    const attempts: [FleetRequest, string][] = [
      [post('/enrollment-tokens', { policy_id }), 'policy_id'],
      [post('/groups', { name: 'G', policy_id }), 'policy_id'],
      [patch(`/groups/${ours.group_id}`, { policy_id }), 'policy_id'],
      [post(`/groups/${ours.group_id}/devices`, { device_ids: [device_id] }), 'device_ids.0'],
    ]
    for (const [one, field] of attempts) {
      const { status, body } = await ours.send(one)
      expect({ status, field: body.content.field }, nameOf(one)).toEqual({ status: 400, field })
    }
    expect(await ours.devices({ group_id })).toEqual([])
  })

  it('never read each other’s rows', async () => {
    const { rows } = await sql<{ id: string }>`
      select id from mdm_devices where org_id = ${theirs.org_id}
      union select id from mdm_policies where org_id = ${theirs.org_id}
      union select id from mdm_groups where org_id = ${theirs.org_id}
      union select id from mdm_enrollment_tokens where org_id = ${theirs.org_id}
      union select id from mdm_audit_log where org_id = ${theirs.org_id}`.execute(
      world().harness.stores.db,
    )
    expect(rows.length).toBeGreaterThan(8)
    for (const request of readings(ours)) {
      const { status, body } = await ours.send<unknown>(request)
      const text = JSON.stringify(body)
      expect(status).toBe(200)
      for (const { id } of rows) expect(text.includes(id), `${nameOf(request)} ${id}`).toBe(false)
      expect(text, nameOf(request)).not.toContain(theirs.org_id)
    }
  })
})

describe('a secret', () => {
  const PASSWORD = 'Geheim-4711-0815'

  it('is stored only sealed, and never logged', async () => {
    const fleet = await createReadyFleet(world())
    const token = await fleet.createToken(fleet.policy_id)
    const { device, phone } = await fleet.enroll(fleet.policy_id)
    world().control.changePhone(phone.id, { is_automatic: false })
    world().control.setFaults({ unreachable: true })
    await fleet.command(device.id, { type: 'RESET_PASSWORD', new_password: PASSWORD })
    const { policy_id } = fleet
    const failing = post('/enrollment-tokens', { policy_id })
    expect((await fleet.send(failing)).status).toBe(500)
    const account = world().control.serviceAccount()
    const keyLine = account.private_key.split('\n')[1] ?? ''
    const secrets = { value: token.token_value, qr: 'EXTRA_ENROLLMENT_TOKEN', PASSWORD, keyLine }
    const waiting = await dumpOf(world().harness)
    world().control.setFaults({})
    const { db } = world().harness.stores
    await world().settleRetries()
    const sent = await dumpOf(world().harness)
    expect(world().control.getPhone(phone.id).pending_commands).toHaveLength(1)
    const unreadable = await failWithPassword(fleet, device.id)
    const logged = lines.join('')
    expect(logged).toContain(unreadable)
    for (const dump of [waiting, sent, logged]) {
      for (const [name, secret] of Object.entries(secrets)) {
        expect(dump.includes(secret), name).toBe(false)
      }
    }
    expect(waiting).toContain(device.id)
    const [row] = await db
      .selectFrom('mdm_commands')
      .select('new_password')
      .where('device_id', '=', device.id)
      .execute()
    expect(row).toEqual({ new_password: null })
  })

  /** Sends a password that cannot be decrypted, which is logged. @returns id of the command */
  async function failWithPassword(fleet: Fleet, deviceId: string): Promise<string> {
    world().control.setFaults({ unreachable: true })
    const body = { type: 'RESET_PASSWORD', new_password: PASSWORD }
    const { id } = await fleet.command(deviceId, body)
    await world().settle()
    const { db } = world().harness.stores
    const broken = db.updateTable('mdm_commands').set({ new_password: 'broken' })
    await broken.where('id', '=', id).execute()
    world().control.setFaults({})
    await world().settleRetries()
    return id
  }

  it('is never returned, neither a password nor the token of an enterprise', async () => {
    const fleet = await createReadyFleet(world())
    const { device } = await fleet.enroll(fleet.policy_id)
    const body = { type: 'RESET_PASSWORD', new_password: PASSWORD }
    const command = await fleet.command(device.id, body)
    await world().settle()
    const shown = JSON.stringify([
      command,
      await fleet.device(device.id),
      await fleet.audit(),
      await fleet.events(),
    ])
    expect(shown).not.toContain(PASSWORD)
    expect(shown).not.toContain('new_password')
    expect(shown).not.toMatch(/"EE[a-z0-9]{40}"/)
  })
})

/** Returns all rows of all tables as text. */
async function dumpOf({ stores: { db } }: Harness): Promise<string> {
  const { rows: tables } = await sql<{ table_name: string }>`
    select table_name from information_schema.tables
    where table_schema = any(current_schemas(false)) and table_type = 'BASE TABLE'`.execute(db)
  const texts = []
  for (const { table_name } of tables) {
    const { rows } = await sql<{ text: string | null }>`
      select string_agg(t::text, E'\n') as text from ${sql.table(table_name)} t`.execute(db)
    texts.push(rows[0]?.text ?? '')
  }
  return texts.join('\n')
}

describe('without an enterprise', () => {
  it('everything can be read and is empty', async () => {
    const fleet = await createFleet(world())
    expect(await fleet.content({ path: '/enterprise' })).toBeNull()
    for (const path of ['/policies', '/enrollment-tokens', '/groups']) {
      expect(await fleet.content({ path }), path).toEqual([])
    }
    expect(await fleet.devices()).toEqual([])
    expect(await fleet.audit()).toEqual([])
  })
})
