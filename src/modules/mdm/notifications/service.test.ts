import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import {
  at,
  createManaged,
  insertGroup,
  type Managed,
} from '../../../../test/support/managed-devices.ts'
import { createIds } from '../../../platform/ids.ts'
import { createLog, type Log } from '../../../platform/log.ts'
import { applyOperations, endCommandsOfDevices } from '../commands/completion.ts'
import { createDeviceWriter, type DeviceWriter } from '../devices/device-writer.ts'
import type { WireMessage } from '../providers/port.ts'
import { createNotifications } from './service.ts'

const db = ownDatabase()
const newId = createIds()
const writer = createDeviceWriter({
  newId,
  settings: { mdm_grace_hours: 0, mdm_installation_grace_hours: 24 },
  endCommandsOfDevices,
})
const NOW = new Date('2026-03-01T13:00:00Z')

type Options = { writer?: DeviceWriter; hint?: () => void; log?: Log; lock_timeout_ms?: number }
const notificationsWith = (options: Options = {}) =>
  createNotifications({
    db,
    clock: { now: () => NOW },
    newId,
    log: createLog('silent'),
    writer,
    applyOperations,
    ...options,
  })
const { take } = notificationsWith()

let sent = 0
const message = (notification_type: string | undefined, data: unknown): WireMessage => {
  sent += 1
  return { message_id: `m${sent}`, notification_type, data }
}
const isDone = async (...messages: WireMessage[]) =>
  (await take(messages)).map(({ is_done }) => is_done)

const eventsOf = async ({ org_id }: Managed, type: string): Promise<number> => {
  const { rows } = await sql<{ n: number }>`
    select count(*)::integer as n from events where org_id = ${org_id} and type = ${type}`.execute(
    db,
  )
  return rows[0]?.n ?? 0
}
const devicesOf = ({ org_id }: Managed) =>
  db.selectFrom('mdm_devices').selectAll().where('org_id', '=', org_id).orderBy('id').execute()

async function insertCommand(managed: Managed, device_id: string, operation: string | null) {
  await db
    .insertInto('mdm_commands')
    .values({
      org_id: managed.org_id,
      id: randomUUID(),
      device_id,
      group_command_id: null,
      type: 'LOCK',
      parameters: {},
      new_password: null,
      status: operation === null ? 'queued' : 'sent',
      error: null,
      operation_name: operation,
      unsure_since: null,
      expires_at: NOW,
      check_due_at: null,
      created_by: null,
      created_at: NOW,
      sent_at: operation === null ? null : NOW,
      completed_at: null,
    })
    .execute()
}

describe('a notification', () => {
  it('is applied once, no matter how often it arrives', async () => {
    const managed = await createManaged(db)
    const enrolled = message('ENROLLMENT', managed.report('d1'))
    expect(await isDone(enrolled, enrolled)).toEqual([true, true])
    const later = { ...enrolled, data: managed.report('d2') }
    expect(await isDone(later)).toEqual([true])
    expect(await devicesOf(managed)).toHaveLength(1)
    expect(await eventsOf(managed, 'mdm.device.enrolled')).toBe(1)
  })

  it('that is not handled is done, and does not affect the others', async () => {
    const managed = await createManaged(db)
    const done = await isDone(
      message('USAGE_LOGS', { device: 'x' }),
      message('test', undefined),
      message(undefined, { name: 'x' }),
      message('STATUS_REPORT', 'text'),
      message('STATUS_REPORT', { name: 'enterprises/LCnobody/devices/d1' }),
      message('COMMAND', { name: 'enterprises/LCnobody/devices/d1/operations/1' }),
      message('COMMAND', { name: 7 }),
      { ...message('STATUS_REPORT', managed.report('d1')), message_id: '' },
      message('STATUS_REPORT', managed.report('d1')),
    )
    expect(done).toEqual(Array.from({ length: 9 }, () => true))
    expect(await devicesOf(managed)).toHaveLength(1)
  })

  it('about an unknown command is sent again, unless it is old', async () => {
    const managed = await createManaged(db)
    await take([message('ENROLLMENT', managed.report('d1'))])
    const [device] = await devicesOf(managed)
    const name = `${managed.deviceName('d1')}/operations/1`
    const ended = (createTime: string) =>
      message('COMMAND', { name, done: true, metadata: { type: 'LOCK', createTime } })
    const early = ended('2026-03-01T12:59:00Z')
    expect(await isDone(early)).toEqual([false])
    expect(await isDone(ended('2026-03-01T12:49:00Z'))).toEqual([true])
    expect(await isDone(message('COMMAND', { name, done: true }))).toEqual([true])
    await insertCommand(managed, device?.id ?? '', name)
    expect(await isDone(early, early)).toEqual([true, true])
    expect(await eventsOf(managed, 'mdm.command.completed')).toBe(1)
  })

  it('is applied in order together with others about the same device', async () => {
    const managed = await createManaged(db)
    const violation = { policyCompliant: false, nonComplianceDetails: [{ settingName: 'a' }] }
    await take([
      message('ENROLLMENT', managed.report('d1')),
      message(
        'STATUS_REPORT',
        managed.report('d1', { ...violation, lastStatusReportTime: at(20) }),
      ),
      message('STATUS_REPORT', managed.report('d1', { lastStatusReportTime: at(30) })),
      message(
        'STATUS_REPORT',
        managed.report('d1', { ...violation, lastStatusReportTime: at(25) }),
      ),
    ])
    expect(await devicesOf(managed)).toMatchObject([{ compliance_state: 'compliant' }])
    expect(await eventsOf(managed, 'mdm.device.compliance_changed')).toBe(3)
  })

  it('that cannot be applied is sent again, and the others are applied', async () => {
    const managed = await createManaged(db)
    const failing: DeviceWriter = {
      apply: async (tx, now, inputs) => {
        const isFailing = inputs.some(
          (input) => input.kind === 'report' && input.device.name === managed.deviceName('bad'),
        )
        if (isFailing) await sql`select 1 / 0`.execute(tx)
        return await writer.apply(tx, now, inputs)
      },
    }
    const taken = await notificationsWith({ writer: failing }).take([
      message('ENROLLMENT', managed.report('d1')),
      message('ENROLLMENT', managed.report('bad')),
      message('ENROLLMENT', managed.report('d2')),
    ])
    expect(taken.map(({ is_done }) => is_done)).toEqual([true, false, true])
    expect(await devicesOf(managed)).toHaveLength(2)
  })

  it('that causes an exception does not hold up the others', async () => {
    const managed = await createManaged(db)
    const operation = { name: `${managed.deviceName('d1')}/operations/1`, done: true }
    const throwing = createNotifications({
      db,
      clock: { now: () => NOW },
      newId,
      log: createLog('silent'),
      writer,
      applyOperations: (_tx, _context, operations) =>
        operations.length > 0 ? Promise.reject(new TypeError('no function')) : Promise.resolve([]),
    })
    await take([message('ENROLLMENT', managed.report('d1'))])
    const taken = await throwing.take([
      message('ENROLLMENT', managed.report('d2')),
      message('COMMAND', operation),
      message('ENROLLMENT', managed.report('d3')),
    ])
    expect(taken.map(({ is_done }) => is_done)).toEqual([true, false, true])
    expect(await devicesOf(managed)).toHaveLength(3)
  })

  it('is done even if it has values that the database cannot store', async () => {
    const managed = await createManaged(db)
    await take([message('ENROLLMENT', managed.report('d1'))])
    const device = managed.deviceName('d1')
    const operations = [`${device}/operations/\0`, `${device}\0/operations/1`]
    const previousDeviceNames = [managed.deviceName('\0'), managed.deviceName('\ud800')]
    const lastStatusReportTime = '9999-12-31T23:59:59-01:00'
    expect(
      await isDone(
        ...operations.map((name) => message('COMMAND', { name, done: true })),
        message('STATUS_REPORT', managed.report('d1', { previousDeviceNames, state: 'LOST' })),
        message('ENROLLMENT', managed.report('d2', { previousDeviceNames, lastStatusReportTime })),
      ),
    ).toEqual([true, true, true, true])
  })

  it('notifies the dispatcher only when a policy has to be assigned', async () => {
    const managed = await createManaged(db)
    let hints = 0
    const hinted = notificationsWith({ hint: () => (hints += 1) })
    await hinted.take([message('ENROLLMENT', managed.report('d1'))])
    expect(hints).toBe(0)
    const policyName = managed.policyName('default')
    await hinted.take([
      message('STATUS_REPORT', managed.report('d1', { policyName, lastStatusReportTime: at(20) })),
    ])
    expect(hints).toBe(1)
  })
})

/** Returns the same sequence in every run. */
function createDice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}
function shuffled<T>(values: readonly T[], dice: (sides: number) => number): T[] {
  const result = [...values]
  for (let i = result.length - 1; i > 0; i -= 1) {
    const j = dice(i + 1)
    const [a, b] = [result[i], result[j]] as [T, T]
    result[i] = b
    result[j] = a
  }
  return result
}

describe('concurrent notifications', () => {
  it('have the same result as sequential ones: no duplicate, no loss, no deadlock', async () => {
    const fleets = [await createManaged(db), await createManaged(db)]
    const logged: string[] = []
    const log = createLog('warn', { write: (line: string) => void logged.push(line) })
    // Two processes, which compete for the same rows.
    const processes = [notificationsWith({ log }), notificationsWith({ log })]
    const dice = createDice(7)
    const DEVICES = 60
    const REPORTS = 6
    const messages = fleets.flatMap((managed) =>
      Array.from({ length: DEVICES }, (_, device) => [
        message('ENROLLMENT', managed.report(`d${device}`, { lastStatusReportTime: at(1) })),
        ...Array.from({ length: REPORTS }, (_each, i) =>
          message(
            'STATUS_REPORT',
            managed.report(`d${device}`, {
              lastStatusReportTime: at(10 + i),
              policyCompliant: (device + i) % 2 === 0,
              nonComplianceDetails: [{ settingName: i % 2 === 0 ? 'a' : 'passwordPolicies' }],
              ...(device % 10 === 9 && i === REPORTS - 1 && { state: 'DELETED' }),
            }),
          ),
        ),
      ]).flat(),
    )
    // Every message twice, in any order, in five loops, while groups are assigned concurrently.
    const all = shuffled([...messages, ...messages], dice)
    const batches = Array.from({ length: 24 }, (_, i) => all.filter((_m, j) => j % 24 === i))
    const groups = await Promise.all(fleets.map(({ org_id }) => insertGroup(db, org_id, null)))
    const waiting = batches.values()
    const failures: unknown[] = []
    const work = async (process: number) => {
      for (const batch of waiting) {
        const taken = (await processes[process % 2]?.take(batch)) ?? []
        failures.push(...taken.filter(({ is_done }) => !is_done))
      }
    }
    const assign = async () => {
      for (let i = 0; i < 20; i += 1) {
        for (const [index, { org_id }] of fleets.entries()) {
          await sql`
            update mdm_devices d set group_id = ${i % 2 === 0 ? groups[index] : null}::uuid
            from (select org_id, id from mdm_devices where org_id = ${org_id}
              order by org_id, id for no key update) g
            where d.org_id = g.org_id and d.id = g.id`.execute(db)
        }
      }
    }
    await Promise.all([work(0), work(1), work(2), work(3), work(4), assign()])

    expect(failures).toEqual([])
    expect(logged).toEqual([])
    for (const managed of fleets) {
      const devices = await devicesOf(managed)
      // A phone whose first report says that it is deleted is never stored.
      const isEnding = (name: string) => name.endsWith('9')
      const lasting = devices.filter(({ provider_name }) => !isEnding(provider_name))
      expect(lasting).toHaveLength(DEVICES * 0.9)
      for (const device of devices) {
        const number = Number(device.provider_name.split('/d').at(-1))
        const isGone = isEnding(device.provider_name)
        expect(device.state).toBe(isGone ? 'deleted' : 'active')
        if (isGone) continue
        expect(device.last_report_at?.toISOString()).toBe(at(10 + REPORTS - 1))
        const isCompliant = (number + REPORTS - 1) % 2 === 0
        expect(device.compliance_state).toBe(isCompliant ? 'compliant' : 'non_compliant')
      }
      expect(await eventsOf(managed, 'mdm.device.enrolled')).toBe(devices.length)
      // Each transition begins with the state that another one ended with, from unknown to the current one.
      const { rows: steps } = await sql<{ wrong: number }>`
        select count(*)::integer as wrong from (
          select device_id, state from (
            select device_id, before ->> 'compliance_state' as state, -1 as n from mdm_audit_log
            where org_id = ${managed.org_id} and action = 'device.compliance_changed'
            union all
            select device_id, after ->> 'compliance_state', 1 from mdm_audit_log
            where org_id = ${managed.org_id} and action = 'device.compliance_changed'
            union all
            select id, 'unknown', 1 from mdm_devices where org_id = ${managed.org_id}
            union all
            select id, compliance_state, -1 from mdm_devices where org_id = ${managed.org_id}
          ) steps group by 1, 2 having sum(n) <> 0
        ) unfinished`.execute(db)
      expect(steps[0]?.wrong).toBe(0)
      const { rows: totals } = await sql<{ same: boolean }>`
        select (select count(*) from events where org_id = ${managed.org_id}
            and type = 'mdm.device.compliance_changed')
          = (select count(*) from mdm_audit_log where org_id = ${managed.org_id}
            and action = 'device.compliance_changed') as same`.execute(db)
      expect(totals[0]?.same).toBe(true)
      const { rows: counts } = await sql<{ wrong: number }>`
        select count(*)::integer as wrong from (
          select state, management_mode, compliance_state, coalesce(group_id,
            '00000000-0000-0000-0000-000000000000') as g, count(*) as n
          from mdm_devices where org_id = ${managed.org_id} group by 1, 2, 3, 4
        ) d full join (
          select * from mdm_device_counts where org_id = ${managed.org_id} and devices <> 0
        ) c on c.state = d.state and c.management_mode = d.management_mode
          and c.compliance_state = d.compliance_state and c.group_id = d.g
        where c.devices is distinct from d.n`.execute(db)
      expect(counts[0]?.wrong).toBe(0)
    }
  })
})

describe('devices that stay locked', () => {
  it('do not hold up others: only their own reports are put off, with a warning', async () => {
    const [held, free] = [await createManaged(db), await createManaged(db)]
    const batch = [
      message('ENROLLMENT', held.report('one')),
      message('ENROLLMENT', free.report('one')),
      message('ENROLLMENT', 'nonsense'),
    ]
    const logged: string[] = []
    const log = createLog('warn', { write: (line: string) => void logged.push(line) })
    const { take: takeQuickly, status } = notificationsWith({ lock_timeout_ms: 50, log })
    const taken = await db.transaction().execute(async (tx) => {
      await sql`select 1 from mdm_enterprises where org_id = ${held.org_id} for update`.execute(tx)
      const results = await takeQuickly(batch)
      expect(results.map(({ is_done }) => is_done)).toEqual([false, true, true])
      const again = await takeQuickly([message('ENROLLMENT', held.report('two'))])
      expect(status()).toMatchObject({ put_off: 2, oldest_ms: expect.any(Number) as number })
      expect([await devicesOf(held), await devicesOf(free)].map((some) => some.length)).toEqual([
        0, 1,
      ])
      return [...results, ...again]
    })
    const later = await Promise.all(taken.flatMap((each) => each.later ?? []))
    expect(later.map(({ is_done }) => is_done)).toEqual([true, true])
    expect(status()).toEqual({ put_off: 0, oldest_ms: 0 })
    expect(await devicesOf(held)).toHaveLength(2)
    expect(await eventsOf(free, 'mdm.device.enrolled')).toBe(1)
    expect(logged).toHaveLength(1)
    expect(logged[0]).toContain(held.enterprise)
  })
})
