/** Specification, "MDM" and "Authentication": who may do what, and who sees what (OP-38, OP-84, OP-85). */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '../../src/platform/log.ts'
import type { Harness } from '../harness.ts'
import { countRows } from '../support/books.ts'
import { operationsOf, readDocument } from '../support/document.ts'
import {
  type Ask,
  CALLBACK,
  createFleet,
  createReadyFleet,
  type Fleet,
} from '../support/mdm-fleet.ts'
import { useMdmWorld } from '../support/mdm-world.ts'

/** Everything that is logged, line by line. */
const lines: string[] = []
const log = createLog('trace', { write: (line) => void lines.push(line) })
const world = useMdmWorld({ log })

type Ready = Fleet & { policy_id: string; group_id: string; device_id: string }
async function createWhole(): Promise<Ready> {
  const fleet = await createReadyFleet(world())
  const { device } = await fleet.enrol(fleet.policy_id)
  const group = await fleet.createGroup()
  return { ...fleet, group_id: group.id, device_id: device.id }
}

let ours: Ready
let theirs: Ready
beforeAll(async () => {
  ours = await createWhole()
  theirs = await createWhole()
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
const DEEDS: [method: 'POST' | 'PATCH' | 'DELETE', path: string, body: (of: Ready) => unknown][] = [
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
const readings = (of: Ready): Ask[] => READINGS.map((path) => ({ path: at(path, of) }))
const deeds = (of: Ready): Ask[] =>
  DEEDS.map(([method, path, body]) => ({ method, path: at(path, of), body: body(of) }))
const nameOf = ({ method = 'GET', path }: Ask) => `${method} ${path}`

const call = async ({ method = 'GET', path, body }: Ask, org: string, token: string | undefined) =>
  await world().harness.call<Record<string, unknown> | undefined>({
    method,
    path: `/v1/mdm${path}?org_id=${encodeURIComponent(org)}`,
    ...(token !== undefined && { token }),
    ...(body !== undefined && { body }),
  })

describe('the operations of device management', () => {
  it('are the twenty-four of the specification, all walked here', () => {
    const { app } = world().harness
    const named = operationsOf(readDocument(app)).filter(({ tags }) => tags.includes('MDM'))
    const walked = [
      ...READINGS.map((path) => `GET /mdm${path}`),
      ...DEEDS.map(([method, path]) => `${method} /mdm${path}`),
    ]
    expect(walked.toSorted()).toEqual(named.map(({ name }) => name).toSorted())
    expect(walked).toHaveLength(24)
  })
})

describe('OP-84: a member', () => {
  it('reads everything', async () => {
    for (const asked of readings(ours)) {
      for (const as of ['member', 'admin', 'owner'] as const) {
        expect((await ours.ask({ ...asked, as })).status, nameOf(asked)).toBe(200)
      }
    }
  })

  it('does nothing: 403, and nothing is stored', async () => {
    const { db } = world().harness.stores
    const before = await countRows(db, ours.org_id)
    for (const asked of deeds(ours)) {
      const { status, body } = await ours.ask({ ...asked, as: 'member' })
      expect({ status, message: body.message }, nameOf(asked)).toEqual({
        status: 403,
        message: 'Owners and admins only',
      })
    }
    expect(await countRows(db, ours.org_id)).toEqual(before)
  })
})

describe('OP-84: an admin', () => {
  it('does everything that the owner does', async () => {
    const whole = await createWhole()
    for (const asked of deeds(whole)) {
      const { status, body } = await whole.ask({ ...asked, as: 'admin' })
      // There is an enterprise already.
      const isAllowed = asked.path.startsWith('/enterprise')
        ? status === 400 && ['org_id'].includes(body.content.field)
        : status === 200
      expect(isAllowed, `${nameOf(asked)}: ${status} ${body.message}`).toBe(true)
    }
    const entries = await whole.audit('device.deletion_requested')
    expect(entries).toMatchObject([{ actor_id: whole.user_ids.admin }])
  })
})

describe('everybody else', () => {
  it('is refused with 403, whether or not there is such an organisation', async () => {
    const before = await countRows(world().harness.stores.db, theirs.org_id)
    for (const asked of [...readings(theirs), ...deeds(theirs)]) {
      for (const org of [theirs.org_id, randomUUID(), 'no-organisation', '']) {
        const answer = await call(asked, org, ours.tokens.owner)
        expect({ status: answer.status, body: answer.body }, `${nameOf(asked)} ${org}`).toEqual({
          status: 403,
          body: { success: false, message: 'Members of the organization only' },
        })
      }
    }
    expect(await countRows(world().harness.stores.db, theirs.org_id)).toEqual(before)
  })

  it('is nobody without a token, and OP-85: keys of no kind open it', async () => {
    const { keys, org_id } = await world().harness.createTenant()
    for (const asked of [...readings(ours), ...deeds(ours)]) {
      expect((await call(asked, ours.org_id, undefined)).status, nameOf(asked)).toBe(401)
      for (const key of Object.values(keys)) {
        const { method = 'GET', path, body } = asked
        const sent = { method, path: `/v1/mdm${path}?org_id=${org_id}`, key }
        const answer = await world().harness.call({ ...sent, ...(body !== undefined && { body }) })
        expect(answer.status, nameOf(asked)).toBe(401)
      }
    }
  })
})

describe('two organisations', () => {
  it('have identifiers that are 404 to each other', async () => {
    const before = await countRows(world().harness.stores.db, theirs.org_id)
    const theirRecords = [...readings(theirs), ...deeds(theirs)].filter((_asked, index) =>
      [...READINGS, ...DEEDS.map(([, path]) => path)][index]?.includes('{'),
    )
    expect(theirRecords.length).toBeGreaterThan(8)
    for (const asked of theirRecords) {
      const { status, body } = await ours.ask(asked)
      expect({ status, body }, nameOf(asked)).toEqual({
        status: 404,
        body: { success: false, message: 'Not found' },
      })
    }
    expect(await countRows(world().harness.stores.db, theirs.org_id)).toEqual(before)
  })

  it('cannot use each other’s policies and devices', async () => {
    const { policy_id, device_id, group_id } = theirs
    const asked: [Ask, string][] = [
      [{ method: 'POST', path: '/enrollment-tokens', body: { policy_id } }, 'policy_id'],
      [{ method: 'POST', path: '/groups', body: { name: 'G', policy_id } }, 'policy_id'],
      [{ method: 'PATCH', path: `/groups/${ours.group_id}`, body: { policy_id } }, 'policy_id'],
      [
        {
          method: 'POST',
          path: `/groups/${ours.group_id}/devices`,
          body: { device_ids: [device_id] },
        },
        'device_ids.0',
      ],
    ]
    for (const [one, field] of asked) {
      const { status, body } = await ours.ask(one)
      expect({ status, field: body.content.field }, nameOf(one)).toEqual({ status: 400, field })
    }
    expect(await ours.devices({ group_id })).toEqual([])
  })

  it('never see each other’s rows in any reading', async () => {
    const { rows } = await sql<{ id: string }>`
      select id from mdm_devices where org_id = ${theirs.org_id}
      union select id from mdm_policies where org_id = ${theirs.org_id}
      union select id from mdm_groups where org_id = ${theirs.org_id}
      union select id from mdm_enrollment_tokens where org_id = ${theirs.org_id}
      union select id from mdm_audit_log where org_id = ${theirs.org_id}`.execute(
      world().harness.stores.db,
    )
    expect(rows.length).toBeGreaterThan(8)
    for (const asked of readings(ours)) {
      const { status, body } = await ours.ask<unknown>(asked)
      const text = JSON.stringify(body)
      expect(status).toBe(200)
      for (const { id } of rows) expect(text.includes(id), `${nameOf(asked)} ${id}`).toBe(false)
      expect(text, nameOf(asked)).not.toContain(theirs.org_id)
    }
  })
})

describe('a secret', () => {
  const PASSWORD = 'Geheim-4711-0815'

  it('is in the database sealed only, and in no line of the log', async () => {
    const fleet = await createReadyFleet(world())
    const token = await fleet.createToken(fleet.policy_id)
    const { device, phone } = await fleet.enrol(fleet.policy_id)
    world().emulator.control.changePhone(phone.id, { is_automatic: false })
    world().emulator.control.setFaults({ away: true })
    await fleet.command(device.id, { type: 'RESET_PASSWORD', new_password: PASSWORD })
    const { policy_id } = fleet
    const failing = { method: 'POST', path: '/enrollment-tokens', body: { policy_id } } as const
    expect((await fleet.ask(failing)).status).toBe(500)
    const account = world().emulator.control.serviceAccount()
    const keyLine = account.private_key.split('\n')[1] ?? ''
    const secrets = { value: token.token_value, qr: 'EXTRA_ENROLLMENT_TOKEN', PASSWORD, keyLine }
    const waiting = await dumpOf(world().harness)
    world().emulator.control.setFaults({})
    const { db } = world().harness.stores
    await db
      .updateTable('mdm_dispatches')
      .set({ due_at: new Date(0) })
      .execute()
    await world().settle()
    const sent = await dumpOf(world().harness)
    expect(world().emulator.control.getPhone(phone.id).pending_commands).toHaveLength(1)
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

  /** One that cannot be opened any more, which is logged. @returns id of the command */
  async function failWithPassword(fleet: Fleet, deviceId: string): Promise<string> {
    world().emulator.control.setFaults({ away: true })
    const body = { type: 'RESET_PASSWORD', new_password: PASSWORD }
    const { id } = await fleet.command(deviceId, body)
    await world().settle()
    const { db } = world().harness.stores
    const broken = db.updateTable('mdm_commands').set({ new_password: 'broken' })
    await broken.where('id', '=', id).execute()
    world().emulator.control.setFaults({})
    await db
      .updateTable('mdm_dispatches')
      .set({ due_at: new Date(0) })
      .execute()
    await world().settle()
    return id
  }

  it('is not shown again: neither a password nor the token of an enterprise', async () => {
    const fleet = await createReadyFleet(world())
    const { device } = await fleet.enrol(fleet.policy_id)
    const body = { type: 'RESET_PASSWORD', new_password: PASSWORD }
    const made = await fleet.command(device.id, body)
    await world().settle()
    const shown = JSON.stringify([
      made,
      await fleet.device(device.id),
      await fleet.audit(),
      await fleet.events(),
    ])
    expect(shown).not.toContain(PASSWORD)
    expect(shown).not.toContain('new_password')
    expect(shown).not.toMatch(/"EE[a-z0-9]{40}"/)
  })
})

/** Every row of every table, as text. */
async function dumpOf({ stores: { db } }: Harness): Promise<string> {
  const { rows: tables } = await sql<{ table_name: string }>`
    select table_name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE'`.execute(db)
  const texts = []
  for (const { table_name } of tables) {
    const { rows } = await sql<{ text: string | null }>`
      select string_agg(t::text, E'\n') as text from ${sql.table(table_name)} t`.execute(db)
    texts.push(rows[0]?.text ?? '')
  }
  return texts.join('\n')
}

describe('without an enterprise', () => {
  it('everything can be read, and is empty', async () => {
    const fleet = await createFleet(world())
    expect(await fleet.content({ path: '/enterprise' })).toBeNull()
    for (const path of ['/policies', '/enrollment-tokens', '/groups']) {
      expect(await fleet.content({ path }), path).toEqual([])
    }
    expect(await fleet.devices()).toEqual([])
    expect(await fleet.audit()).toEqual([])
  })
})
