import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import { addDevices } from '../../../../test/support/mdm.ts'
import {
  actionsOf,
  addCommand,
  addDevice,
  addDispatch,
  addEnterprise,
  addPolicy,
  commandOf,
  dispatchesOf,
  eventsOf,
  fakeProvider,
  fault,
  newDevice,
  ok,
} from '../../../../test/support/mdm-dispatch.ts'
import { createGoogle } from '../../../../test/support/mdm-google.ts'
import { createProcess, endDelays, endLeases } from '../../../../test/support/mdm-process.ts'
import type { Dispatcher } from '../../../platform/dispatch/index.ts'
import { createIds } from '../../../platform/ids.ts'
import { createLog } from '../../../platform/log.ts'
import type { WriterInput } from '../devices/device-writer.ts'
import type { AndroidManagement } from '../providers/port.ts'
import { createMdmDispatcher, type MdmDispatchOptions } from './dispatcher.ts'
import { requestDispatches } from './store.ts'

const db = ownDatabase()
const running: Dispatcher[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((dispatcher) => dispatcher.stop(0)))
  await sql`truncate mdm_devices, mdm_commands, mdm_dispatches, mdm_policies, mdm_enterprises,
    events`.execute(db)
})

const plenty = { room: (_class: string, wanted: number) => Promise.resolve(wanted) }
const nothing = { changed: 0, foreign: 0, dispatches: 0 }

function start(provider: AndroidManagement, given: Partial<MdmDispatchOptions> = {}): Dispatcher {
  const dispatcher = createMdmDispatcher({
    db,
    provider,
    budget: plenty,
    sealer: { open: (text) => Promise.resolve(Buffer.from(text)) },
    clock: { now: () => new Date() },
    newId: createIds(),
    log: createLog('silent'),
    writer: { apply: () => Promise.resolve(nothing) },
    mdm_command_check_minutes: 60,
    deadline_ms: 15_000,
    in_flight_max: 32,
    poll_ms: 10,
    ...given,
  })
  running.push(dispatcher)
  dispatcher.start()
  return dispatcher
}

const until = async (check: () => unknown) => await vi.waitFor(check, { timeout: 20_000 })
const policyOf = (id: string) =>
  db.selectFrom('mdm_policies').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const deviceOf = (id: string) =>
  db.selectFrom('mdm_devices').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

async function addWaitingPolicy(org: string) {
  const policy = await addPolicy(db, org)
  await addDispatch(db, org, 'publish_policy', policy.id)
  return policy
}

describe('a policy', () => {
  it('is published whole under its own name, and recorded once', async () => {
    const requests: unknown[] = []
    const patchPolicy: AndroidManagement['patchPolicy'] = (name, policy) => {
      requests.push({ name, policy })
      return Promise.resolve(ok({ version: 7 }))
    }
    const org = await addEnterprise(db)
    const { id, policy_json } = await addWaitingPolicy(org)
    start(fakeProvider({ patchPolicy }))
    await until(async () => expect(await dispatchesOf(db, org)).toEqual([]))
    expect(requests).toEqual([{ name: `enterprises/LC${org}/policies/${id}`, policy: policy_json }])
    const published = { published_version: 1, provider_version: 7, publish_error: null }
    expect(await policyOf(id)).toMatchObject(published)
    expect(await actionsOf(db, org)).toEqual(['policy.published'])
  })

  it('that is rejected stores the reason and is not sent again unchanged', async () => {
    const patchPolicy = () =>
      Promise.resolve(fault({ kind: 'rejected', message: 'installType is odd.' }))
    const org = await addEnterprise(db)
    const { id } = await addWaitingPolicy(org)
    await createProcess(db, { provider: fakeProvider({ patchPolicy }) }).run()
    expect(await policyOf(id)).toMatchObject({ publish_error: 'installType is odd.' })
    expect(await dispatchesOf(db, org)).toEqual([])
    expect(await actionsOf(db, org)).toEqual(['policy.rejected'])
  })

  it('that changes while it is sent is sent again in its new version', async () => {
    const org = await addEnterprise(db)
    const { id } = await addWaitingPolicy(org)
    const sent: unknown[] = []
    const change = async () => {
      await sql`update mdm_policies set version = 2, policy_json = '{"second": true}'
        where id = ${id}`.execute(db)
      await requestDispatches(db, 'publish_policy', [{ org_id: org, subject_id: id }])
    }
    const patchPolicy: AndroidManagement['patchPolicy'] = async (_name, policy) => {
      sent.push(policy)
      if (sent.length === 1) await change()
      return ok({ version: sent.length })
    }
    const process = createProcess(db, { provider: fakeProvider({ patchPolicy }) })
    await process.run()
    expect(await policyOf(id)).toMatchObject({ version: 2, published_version: 1 })
    await process.run()
    expect(sent).toEqual([{ cameraDisabled: true }, { second: true }])
    expect(await policyOf(id)).toMatchObject({ published_version: 2, provider_version: 2 })
    expect(await dispatchesOf(db, org)).toEqual([])
  })

  it('that replaces a rejected version is not marked as rejected', async () => {
    const org = await addEnterprise(db)
    const { id } = await addWaitingPolicy(org)
    const patchPolicy = async () => {
      await sql`update mdm_policies set version = 2 where id = ${id}`.execute(db)
      await requestDispatches(db, 'publish_policy', [{ org_id: org, subject_id: id }])
      return fault({ kind: 'rejected' })
    }
    await createProcess(db, { provider: fakeProvider({ patchPolicy }) }).run()
    expect((await policyOf(id)).publish_error).toBeNull()
    expect(await dispatchesOf(db, org)).toMatchObject([{ lease_id: null, attempts: 0 }])
  })

  it('that is published again unchanged gets no second audit entry', async () => {
    const org = await addEnterprise(db)
    const { id } = await addWaitingPolicy(org)
    const patchPolicy = () => Promise.resolve(ok({ version: 4 }))
    const process = createProcess(db, { provider: fakeProvider({ patchPolicy }) })
    await process.run()
    await requestDispatches(db, 'publish_policy', [{ org_id: org, subject_id: id }])
    await process.run()
    expect(await dispatchesOf(db, org)).toEqual([])
    expect(await actionsOf(db, org)).toEqual(['policy.published'])
  })

  it('of an organization without an enterprise is not sent', async () => {
    const org = randomUUID()
    await addWaitingPolicy(org)
    await createProcess(db, { provider: fakeProvider({}) }).run()
    expect(await dispatchesOf(db, org)).toEqual([])
  })

  it.each(['refused', 'unavailable'] as const)(
    'is retried without end when it is %s',
    async (kind) => {
      const org = await addEnterprise(db)
      await addWaitingPolicy(org)
      const patchPolicy = () => Promise.resolve(fault({ kind, message: 'Not now.' }))
      for (let time = 1; time <= 8; time += 1) {
        await createProcess(db, { provider: fakeProvider({ patchPolicy }) }).run()
        expect(await dispatchesOf(db, org)).toMatchObject([{ attempts: time, error: 'Not now.' }])
        await endDelays(db)
      }
      expect(await actionsOf(db, org)).toEqual([])
    },
  )
})

describe('the policy of a device', () => {
  async function addAssigned(published: number | null) {
    const org = await addEnterprise(db)
    const policy = await addPolicy(db, org, { published_version: published })
    const device = await addDevice(db, org, { policy_id: policy.id })
    await addDispatch(db, org, 'assign_policy', device.id)
    return { org, policy, device }
  }

  it('is assigned by its name at the provider', async () => {
    const requests: unknown[] = []
    const assignPolicy: AndroidManagement['assignPolicy'] = (...args) => {
      requests.push(args)
      return Promise.resolve(ok({}))
    }
    const { org, policy, device } = await addAssigned(1)
    await sql`update mdm_devices set policy_error = 'Old error.' where id = ${device.id}`.execute(
      db,
    )
    await createProcess(db, { provider: fakeProvider({ assignPolicy }) }).run()
    expect(requests).toEqual([[device.provider_name, `enterprises/LC${org}/policies/${policy.id}`]])
    expect((await deviceOf(device.id)).policy_error).toBeNull()
    expect(await dispatchesOf(db, org)).toEqual([])
  })

  it('is assigned as soon as the provider has the policy, and not before', async () => {
    const order: string[] = []
    const provider = fakeProvider({
      patchPolicy: () => {
        order.push('published')
        return Promise.resolve(ok({ version: 1 }))
      },
      assignPolicy: () => {
        order.push('assigned')
        return Promise.resolve(ok({}))
      },
    })
    const { org, policy } = await addAssigned(null)
    await createProcess(db, { provider }).run()
    expect(order).toEqual([])
    await addDispatch(db, org, 'publish_policy', policy.id)
    start(provider)
    await until(async () => expect(await dispatchesOf(db, org)).toEqual([]))
    expect(order).toEqual(['published', 'assigned'])
  })

  it('is claimed rarely while the provider does not have it', async () => {
    const { org } = await addAssigned(null)
    await createProcess(db, { provider: fakeProvider({}) }).run()
    const { rows } = await sql<{ is_later: boolean }>`
      select due_at > now() + interval '10 minutes' as is_later from mdm_dispatches
      where org_id = ${org}`.execute(db)
    expect(rows).toEqual([{ is_later: true }])
  })

  it('that is rejected sets the error of the device, unless it has another policy by now', async () => {
    const rejecting = (before: () => Promise<unknown>) =>
      fakeProvider({
        assignPolicy: async () => {
          await before()
          return fault({ kind: 'rejected', message: 'Wrong mode.' })
        },
      })
    const { org, device } = await addAssigned(1)
    await createProcess(db, { provider: rejecting(() => Promise.resolve()) }).run()
    expect((await deviceOf(device.id)).policy_error).toBe('Wrong mode.')
    expect(await actionsOf(db, org)).toEqual(['device.policy_rejected'])
    const other = await addAssigned(1)
    const replace = () =>
      sql`update mdm_devices set policy_id = ${randomUUID()} where id = ${other.device.id}`.execute(
        db,
      )
    await createProcess(db, { provider: rejecting(replace) }).run()
    expect((await deviceOf(other.device.id)).policy_error).toBeNull()
  })

  it('is not assigned to devices that are about to be deleted', async () => {
    const { org, device } = await addAssigned(1)
    await sql`update mdm_devices set deletion_requested_at = now() where id = ${device.id}`.execute(
      db,
    )
    await createProcess(db, { provider: fakeProvider({}) }).run()
    expect(await dispatchesOf(db, org)).toEqual([])
  })
})

describe('a deletion', () => {
  async function addDeletion() {
    const org = await addEnterprise(db)
    const device = await addDevice(db, org, { deletion_requested_at: new Date() })
    await addDispatch(db, org, 'delete_device', device.id)
    return { org, device }
  }
  const writing = () => {
    const written: WriterInput[] = []
    const writer = {
      apply: (_tx: unknown, _now: Date, inputs: readonly WriterInput[]) => {
        written.push(...inputs)
        return Promise.resolve(nothing)
      },
    }
    return { writer, written }
  }

  it.each([
    ['that succeeds', ok({})],
    ['of a device that the provider no longer has', fault({ kind: 'not_found' })],
  ])('%s is confirmed', async (_name, answer) => {
    const { writer, written } = writing()
    const { org, device } = await addDeletion()
    const provider = fakeProvider({ deleteDevice: () => Promise.resolve(answer) })
    await createProcess(db, { provider, writer }).run()
    expect(written).toEqual([
      {
        kind: 'deletion_confirmed',
        org_id: org,
        device_id: device.id,
        provider_name: device.provider_name,
      },
    ])
    expect(await dispatchesOf(db, org)).toEqual([])
  })

  it('that was left over does not affect a phone that was enrolled again since', async () => {
    const { org, device } = await addDeletion()
    await sql`update mdm_devices set deletion_requested_at = null where id = ${device.id}`.execute(
      db,
    )
    await createProcess(db, { provider: fakeProvider({}) }).run()
    expect(await dispatchesOf(db, org)).toEqual([])
  })

  it('is never given up', async () => {
    const { org } = await addDeletion()
    const deleteDevice = () => Promise.resolve(fault({ kind: 'rejected' }))
    await createProcess(db, { provider: fakeProvider({ deleteDevice }) }).run()
    expect(await dispatchesOf(db, org)).toMatchObject([{ kind: 'delete_device', attempts: 1 }])
  })
})

describe('a command that cannot be sent', () => {
  const failing = fakeProvider({
    issueCommand: () => Promise.resolve(fault({ kind: 'refused', message: 'No access.' })),
    listOperations: () => Promise.resolve(fault({ kind: 'unavailable' })),
  })
  const past = () => new Date(Date.now() - 1000)

  it('expires on time, with the reason and one event', async () => {
    const command = await addCommand(db, await addDevice(db, randomUUID()))
    await createProcess(db, { provider: failing }).run()
    expect((await commandOf(db, command)).status).toBe('queued')
    await sql`update mdm_commands set expires_at = ${past()}`.execute(db)
    await endDelays(db)
    await createProcess(db, { provider: failing }).run()
    expect(await commandOf(db, command)).toMatchObject({
      status: 'expired',
      error: 'The command could not be sent in time: No access.',
    })
    expect(await eventsOf(db, command.org_id)).toHaveLength(1)
    expect(await dispatchesOf(db, command.org_id)).toEqual([])
  })

  it('is retried for the last time when it expires', async () => {
    const expires_at = new Date(Date.now() + 3000)
    const command = await addCommand(db, await addDevice(db, randomUUID()), { expires_at })
    await createProcess(db, { provider: failing }).run()
    const [dispatch] = await dispatchesOf(db, command.org_id)
    expect(dispatch?.due_at.getTime()).toBeLessThanOrEqual(expires_at.getTime() + 1000)
  })

  it('that may have arrived is looked up even after it expired', async () => {
    const google = createGoogle(() => 'take_silently')
    const command = await addCommand(db, await addDevice(db, randomUUID()))
    await createProcess(db, google).run()
    await sql`update mdm_commands set expires_at = ${past()}`.execute(db)
    await endDelays(db)
    await createProcess(db, { provider: failing }).run()
    expect((await commandOf(db, command)).status).toBe('queued')
    await endDelays(db)
    await createProcess(db, google).run()
    expect((await commandOf(db, command)).status).toBe('sent')
  })

  it('that may have arrived expires an hour late when its outcome remains unknown', async () => {
    const command = await addCommand(db, await addDevice(db, randomUUID()), {
      unsure_since: new Date(Date.now() - 9_000_000),
      expires_at: new Date(Date.now() - 3_700_000),
    })
    await createProcess(db, { provider: failing }).run()
    expect((await commandOf(db, command)).status).toBe('expired')
  })

  it('fails with the message of the provider when it is rejected', async () => {
    const issueCommand = () =>
      Promise.resolve(fault({ kind: 'rejected', message: 'No such type.' }))
    const command = await addCommand(db, await addDevice(db, randomUUID()))
    await createProcess(db, { provider: fakeProvider({ issueCommand }) }).run()
    const failed = { status: 'failed', error: 'No such type.' }
    expect(await commandOf(db, command)).toMatchObject(failed)
    expect(await dispatchesOf(db, command.org_id)).toEqual([])
  })
})

describe('organizations', () => {
  it('get their turn whatever the backlog of another is', async () => {
    const big = randomUUID()
    const devices = Array.from({ length: 300 }, () => newDevice(big))
    await addDevices(db, devices)
    for (const device of devices) await addCommand(db, device)
    const small = await addCommand(db, await addDevice(db, randomUUID()))
    const google = createGoogle()
    // With room for two requests, each organization gets one.
    const jobs = await createProcess(db, google).claim(2)
    expect(jobs.map(({ claim }) => claim.org_id).toSorted()).toEqual([big, small.org_id].toSorted())
  })

  it('with requests in flight come after those without', async () => {
    const busy = await addCommand(db, await addDevice(db, randomUUID()))
    const idle = await addCommand(db, await addDevice(db, randomUUID()))
    const jobs = await createProcess(db, createGoogle()).claim(1, new Map([[busy.org_id, 3]]))
    expect(jobs.map(({ claim }) => claim.subject_id)).toEqual([idle.id])
  })
})

describe('the quota', () => {
  it('limits the claim, and commands come before everything else', async () => {
    const org = await addEnterprise(db)
    await addWaitingPolicy(org)
    await addCommand(db, await addDevice(db, org))
    const google = createGoogle()
    const jobs = await createProcess(db, google).claim(1)
    expect(jobs.map(({ kind }) => kind)).toEqual(['issue_command'])
  })

  it('leaves everything unclaimed when it is used up', async () => {
    const org = randomUUID()
    await addCommand(db, await addDevice(db, org))
    const requested: string[] = []
    const empty = {
      room: (requestClass: string) => {
        requested.push(requestClass)
        return Promise.resolve(0)
      },
    }
    start(fakeProvider({}), { budget: empty })
    await until(() => expect(requested.length).toBeGreaterThan(3))
    expect(new Set(requested)).toEqual(new Set(['command']))
    expect(await dispatchesOf(db, org)).toMatchObject([{ attempts: 0, lease_id: null }])
  })

  it('leaves a place for commands while a slow provider holds everything else', async () => {
    const org = await addEnterprise(db)
    for (let each = 0; each < 6; each += 1) await addWaitingPolicy(org)
    const google = createGoogle()
    const hanging = { ...google.provider, patchPolicy: () => new Promise<never>(() => undefined) }
    const dispatcher = start(
      fakeProvider({ ...hanging, issueCommand: google.provider.issueCommand }),
      {
        in_flight_max: 4,
      },
    )
    await until(async () => {
      const leased = (await dispatchesOf(db, org)).filter(({ lease_id }) => lease_id !== null)
      expect(leased).toHaveLength(3)
    })
    const command = await addCommand(db, await addDevice(db, org))
    dispatcher.hint()
    await until(async () => expect((await commandOf(db, command)).status).toBe('sent'))
  })
})

describe('a storm of refusals', () => {
  it('delays everything for as long as the provider requires, and loses or repeats nothing', async () => {
    const org = randomUUID()
    const devices = Array.from({ length: 60 }, () => newDevice(org))
    await addDevices(db, devices)
    const commands = []
    for (const device of devices) commands.push(await addCommand(db, device))
    let refusals = 0
    const google = createGoogle(() => {
      refusals += 1
      return refusals <= 100 ? { kind: 'rate_limited', retry_after_s: 120 } : 'take'
    })
    const process = createProcess(db, google)
    await process.run()
    const waiting = await dispatchesOf(db, org)
    const soonest = Math.min(...waiting.map(({ due_at }) => due_at.getTime()))
    expect(soonest).toBeGreaterThan(Date.now() + 100_000)
    expect(await process.claim()).toEqual([])
    for (let round = 0; round < 4; round += 1) {
      await endDelays(db)
      await process.run()
    }
    expect(google.taken).toHaveLength(60)
    expect(new Set(google.taken.map(({ device }) => device)).size).toBe(60)
    expect(await dispatchesOf(db, org)).toEqual([])
    expect(google.listings()).toBe(0)
  })
})

describe('a provider that is down', () => {
  it('receives only a few requests, and the rest as soon as it is up again', async () => {
    const org = randomUUID()
    const devices = Array.from({ length: 200 }, () => newDevice(org))
    await addDevices(db, devices)
    for (const device of devices) await addCommand(db, device)
    let isDown = true
    let failed = 0
    const google = createGoogle(() => {
      if (!isDown) return 'take'
      failed += 1
      return 'lose'
    })
    start(google.provider)
    await until(() => expect(failed).toBeGreaterThan(2))
    await pause(300)
    expect(failed).toBeLessThan(64 + 10)
    isDown = false
    await until(() => expect(google.taken.length).toBeGreaterThan(200 - 64 - 10))
    await until(async () => {
      expect(await dispatchesOf(db, org)).toHaveLength(200 - google.taken.length)
    })
  })

  it('gets what failed in the meantime as soon as it is up again, however long the delay', async () => {
    const org = await addEnterprise(db)
    const [first] = [
      await addWaitingPolicy(org),
      await addWaitingPolicy(org),
      await addWaitingPolicy(org),
    ]
    let isDown = true
    start(
      fakeProvider({
        patchPolicy: () =>
          Promise.resolve(isDown ? fault({ kind: 'unavailable' }) : ok({ version: 1 })),
      }),
    )
    await until(async () => {
      const rows = await dispatchesOf(db, org)
      expect(rows.every(({ attempts, lease_id }) => attempts > 0 && lease_id === null)).toBe(true)
    })
    await sql`update mdm_dispatches set due_at = now() + interval '30 minutes'`.execute(db)
    isDown = false
    await sql`update mdm_dispatches set due_at = now() where subject_id = ${first.id}`.execute(db)
    await until(async () => expect(await dispatchesOf(db, org)).toEqual([]))
  })
})

describe('several processes', () => {
  it('send 400 commands of 4 organizations once each', async () => {
    const orgs = Array.from({ length: 4 }, () => randomUUID())
    const devices = orgs.flatMap((org) => Array.from({ length: 50 }, () => newDevice(org)))
    await addDevices(db, devices)
    for (const device of [...devices, ...devices]) await addCommand(db, device)
    const google = createGoogle()
    for (let each = 0; each < 3; each += 1) start(google.provider)
    await until(() => expect(google.taken).toHaveLength(400))
    await until(async () => {
      const { rows } = await sql<{ sent: number }>`
        select count(*) as sent from mdm_commands where status = 'sent'`.execute(db)
      expect(rows[0]?.sent).toBe(400)
    })
    const names = google.taken.map(({ device }) => device)
    for (const { provider_name } of devices) {
      expect(names.filter((name) => name === provider_name)).toHaveLength(2)
    }
    expect(google.taken).toHaveLength(400)
  })

  it('take over the leases of a killed process when they expire, and not before', async () => {
    const org = await addEnterprise(db)
    const { id } = await addWaitingPolicy(org)
    const provider = fakeProvider({ patchPolicy: () => Promise.resolve(ok({ version: 3 })) })
    await createProcess(db, { provider }).claim()
    await createProcess(db, { provider }).run()
    expect((await policyOf(id)).published_version).toBeNull()
    await endLeases(db)
    await createProcess(db, { provider }).run()
    expect((await policyOf(id)).published_version).toBe(1)
  })

  it('do not overwrite changes made after their lease was lost', async () => {
    const org = await addEnterprise(db)
    const { id } = await addWaitingPolicy(org)
    const answering = (version: number) =>
      fakeProvider({ patchPolicy: () => Promise.resolve(ok({ version })) })
    const late = createProcess(db, { provider: answering(1) })
    const attempts = await Promise.all((await late.claim()).map(late.attempt))
    await endLeases(db)
    await createProcess(db, { provider: answering(2) }).run()
    await late.settle(attempts)
    expect((await policyOf(id)).provider_version).toBe(2)
    expect(await actionsOf(db, org)).toEqual(['policy.published'])
  })
})
