import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../../test/database.ts'
import {
  actionsOf,
  addCommand,
  addDevice,
  commandOf,
  dispatchesOf,
  eventsOf,
  fakeProvider,
  fault,
  ok,
} from '../../../../../test/support/mdm-dispatch.ts'
import { type Behavior, createGoogle, seeded } from '../../../../../test/support/mdm-google.ts'
import { createProcess, endDelays, endLeases } from '../../../../../test/support/mdm-process.ts'
import type { CommandRow } from '../../commands/record.ts'
import type { Job } from '../job.ts'

const db = ownDatabase()
afterEach(async () => {
  await sql`truncate mdm_devices, mdm_commands, mdm_dispatches, events`.execute(db)
})

/** Behaves as listed, one request after another, and normally afterwards. */
const scripted = (...behaviors: Behavior[]) => {
  const left = [...behaviors]
  return createGoogle(() => left.shift() ?? 'take')
}

const addLock = async (given: Parameters<typeof addCommand>[2] = {}) =>
  await addCommand(db, await addDevice(db, randomUUID()), given)

const only = (jobs: readonly Job[]): Job => {
  expect(jobs).toHaveLength(1)
  return jobs[0] as Job
}

const isSentOnce = async (command: CommandRow, google: ReturnType<typeof createGoogle>) => {
  expect(google.taken).toHaveLength(1)
  const operation_name = google.taken[0]?.operation.name
  expect(await commandOf(db, command)).toMatchObject({ status: 'sent', operation_name })
  expect(await dispatchesOf(db, command.org_id)).toEqual([])
  expect(await actionsOf(db, command.org_id)).toEqual(['command.sent'])
}

describe('a command without errors', () => {
  it('is sent without a look-up at the provider', async () => {
    const google = scripted()
    const command = await addLock()
    await createProcess(db, google).run()
    await isSentOnce(command, google)
    expect(google.listings()).toBe(0)
    expect(google.taken[0]?.command).toMatchObject({ type: 'LOCK' })
    expect(Number.parseInt(String(google.taken[0]?.command.duration), 10)).toBeGreaterThan(604_000)
  })

  it('carries its password, which is deleted afterwards', async () => {
    const google = scripted()
    const command = await addLock({ type: 'RESET_PASSWORD', new_password: 'sealed' })
    const open = (text: string, context: string) =>
      Promise.resolve(Buffer.from(`${text}:${context}`))
    await createProcess(db, { ...google, sealer: { open } }).run()
    expect(google.taken[0]?.command.newPassword).toBe(`sealed:mdm_command:${command.id}`)
    expect(await commandOf(db, command)).toMatchObject({ status: 'sent', new_password: null })
  })

  it('that the provider ends immediately is sent and then completed', async () => {
    const operation = (device: string) => ({
      name: `${device}/operations/1`,
      done: true,
      metadata: { errorCode: 'MANAGEMENT_MODE' },
    })
    const issueCommand = (device: string) => Promise.resolve(ok(operation(device)))
    const command = await addLock()
    await createProcess(db, { provider: fakeProvider({ issueCommand }) }).run()
    expect((await commandOf(db, command)).status).toBe('failed')
    expect(await actionsOf(db, command.org_id)).toEqual(['command.sent', 'command.completed'])
    expect(await eventsOf(db, command.org_id)).toHaveLength(1)
  })
})

describe('a process that is killed', () => {
  it('before it sends loses nothing', async () => {
    const google = scripted()
    const command = await addLock()
    await createProcess(db, google).claim()
    expect(await createProcess(db, google).claim()).toEqual([])
    await endLeases(db)
    await createProcess(db, google).run()
    await isSentOnce(command, google)
    expect(google.listings()).toBe(1)
  })

  it('after it has sent but before it stored that does not cause a repetition', async () => {
    const google = scripted()
    const command = await addLock()
    const killed = createProcess(db, google)
    await killed.attempt(only(await killed.claim()))
    await endLeases(db)
    await createProcess(db, google).run()
    await isSentOnce(command, google)
  })

  it('several times does not cause a repetition either', async () => {
    const google = scripted()
    const command = await addLock()
    for (let time = 0; time < 4; time += 1) {
      const killed = createProcess(db, google)
      await killed.attempt(only(await killed.claim()))
      await endLeases(db)
    }
    await createProcess(db, google).run()
    await isSentOnce(command, google)
  })

  it('while it waits for the answer keeps its lease, after which the next one does a look-up', async () => {
    const google = scripted()
    const hanging = fakeProvider({
      issueCommand: async (device, command) => {
        await google.provider.issueCommand(device, command)
        return await new Promise(() => undefined)
      },
    })
    const command = await addLock()
    const ending = createProcess(db, { provider: hanging })
    const attempt = ending.attempt(only(await ending.claim()))
    await endDelays(db)
    ending.stop()
    const { outcome, job } = await attempt
    expect(outcome.kind).toBe('abandoned')
    await ending.settle([{ job, outcome }])
    expect(await createProcess(db, google).claim()).toEqual([])
    await endLeases(db)
    await createProcess(db, google).run()
    await isSentOnce(command, google)
  })

  it('before it begins returns the command untouched', async () => {
    const google = scripted()
    const command = await addLock()
    const ending = createProcess(db, google)
    const job = only(await ending.claim())
    ending.stop()
    await ending.settle([await ending.attempt(job)])
    expect((await commandOf(db, command)).unsure_since).toBeNull()
    await createProcess(db, google).run()
    await isSentOnce(command, google)
    expect(google.listings()).toBe(0)
  })
})

describe('a process that is late', () => {
  it('changes nothing when the next one found its command', async () => {
    const google = scripted()
    const command = await addLock()
    const late = createProcess(db, google)
    const attempt = await late.attempt(only(await late.claim()))
    await endLeases(db)
    await createProcess(db, google).run()
    await late.settle([attempt])
    await isSentOnce(command, google)
  })

  it('still stores that it sent, so that its command is not sent again', async () => {
    const google = scripted()
    const command = await addLock()
    const late = createProcess(db, google)
    const attempt = await late.attempt(only(await late.claim()))
    await endLeases(db)
    const next = createProcess(db, google)
    const job = only(await next.claim())
    await late.settle([attempt])
    await next.settle([await next.attempt(job)])
    await isSentOnce(command, google)
  })

  it('sends nothing when its lease is nearly over', async () => {
    const google = scripted()
    await addLock()
    const slow = createProcess(db, google)
    const job = only(await slow.claim())
    const late = { ...job, begin_until: performance.now() - 1 }
    expect((await slow.attempt(late)).outcome.kind).toBe('abandoned')
    expect(google.taken).toEqual([])
  })

  it('does not send a command that ended during the look-up', async () => {
    const google = scripted('lose')
    const command = await addLock()
    await createProcess(db, google).run()
    await endDelays(db)
    const process = createProcess(db, google)
    const job = only(await process.claim())
    await sql`update mdm_commands set status = 'cancelled', completed_at = now()
      where id = ${command.id}`.execute(db)
    expect((await process.attempt(job)).outcome.kind).toBe('abandoned')
    expect(google.taken).toEqual([])
  })
})

describe('after a lost answer', () => {
  it('a command that arrived is found and not sent again', async () => {
    const google = scripted('take_silently')
    const command = await addLock()
    await createProcess(db, google).run()
    expect((await commandOf(db, command)).unsure_since).not.toBeNull()
    await endDelays(db)
    await createProcess(db, google).run()
    await isSentOnce(command, google)
  })

  it('a command that did not arrive is sent again', async () => {
    const google = scripted('lose')
    const command = await addLock()
    await createProcess(db, google).run()
    await endDelays(db)
    await createProcess(db, google).run()
    await isSentOnce(command, google)
  })

  it('nothing is sent while the provider is down', async () => {
    const google = scripted('take_silently')
    const command = await addLock()
    await createProcess(db, google).run()
    const down = fakeProvider({
      listOperations: () => Promise.resolve(fault({ kind: 'unavailable' })),
    })
    await endDelays(db)
    await createProcess(db, { provider: down }).run()
    await endDelays(db)
    await createProcess(db, google).run()
    await isSentOnce(command, google)
  })

  it('a clear refusal of the next attempt does not hide the first', async () => {
    const google = scripted('lose', { kind: 'rate_limited', retry_after_s: 30 })
    const command = await addLock()
    await createProcess(db, google).run()
    await endDelays(db)
    await createProcess(db, google).run()
    expect((await commandOf(db, command)).unsure_since).not.toBeNull()
    await endDelays(db)
    await createProcess(db, google).run()
    await isSentOnce(command, google)
    expect(google.listings()).toBe(2)
  })

  it('a clear refusal of the first attempt spares the next one the look-up', async () => {
    const google = scripted({ kind: 'rate_limited', retry_after_s: 30 })
    const command = await addLock()
    await createProcess(db, google).run()
    expect((await commandOf(db, command)).unsure_since).toBeNull()
    expect(await dispatchesOf(db, command.org_id)).toMatchObject([{ attempts: 0 }])
    await endDelays(db)
    await createProcess(db, google).run()
    await isSentOnce(command, google)
    expect(google.listings()).toBe(0)
  })

  it('a device that no longer exists fails the command', async () => {
    const google = scripted('take_silently')
    const command = await addLock({ type: 'WIPE' })
    await createProcess(db, google).run()
    const gone = fakeProvider({
      listOperations: () => Promise.resolve(fault({ kind: 'not_found' })),
    })
    await endDelays(db)
    await createProcess(db, { provider: gone }).run()
    expect((await commandOf(db, command)).status).toBe('failed')
  })
})

describe('commands of one device', () => {
  it('are sent one after another in the order of their creation', async () => {
    const google = scripted()
    const device = await addDevice(db, randomUUID())
    const lock = await addCommand(db, device, { created_at: new Date(Date.now() - 1000) })
    const wipe = await addCommand(db, device, { type: 'WIPE' })
    await createProcess(db, google).run()
    expect(google.taken.map(({ command }) => command.type)).toEqual(['LOCK'])
    expect((await commandOf(db, wipe)).unsure_since).toBeNull()
    // The second is due as soon as the first is sent.
    await createProcess(db, google).run()
    expect(google.taken.map(({ command }) => command.type)).toEqual(['LOCK', 'WIPE'])
    expect((await commandOf(db, lock)).status).toBe('sent')
  })

  it('never share an operation, and each reaches the provider once', async () => {
    const google = scripted('take_silently', 'take_silently')
    const device = await addDevice(db, randomUUID())
    const both = [await addCommand(db, device), await addCommand(db, device)]
    for (let round = 0; round < 6; round += 1) {
      await createProcess(db, google).run()
      await endDelays(db)
    }
    const rows = await Promise.all(both.map((each) => commandOf(db, each)))
    expect(new Set(rows.map(({ operation_name }) => operation_name)).size).toBe(2)
    expect(google.taken).toHaveLength(2)
  })
})

describe('with lost answers, refusals and killed processes', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'every command reaches the provider exactly once (run %i)',
    async (seed) => {
      const random = seeded(seed)
      const google = createGoogle(() => {
        const draw = random()
        if (draw < 0.2) return 'take_silently'
        if (draw < 0.4) return 'lose'
        if (draw < 0.5) return { kind: 'rate_limited', retry_after_s: 10 }
        return draw < 0.6 ? { kind: 'unavailable' } : 'take'
      })
      const org = randomUUID()
      const commands: CommandRow[] = []
      for (let index = 0; index < 12; index += 1) {
        const device = await addDevice(db, org)
        for (let each = 0; each < 1 + (index % 3); each += 1) {
          commands.push(await addCommand(db, device))
        }
      }
      for (let round = 0; round < 60; round += 1) {
        const processes = [createProcess(db, google), createProcess(db, google)]
        await Promise.all(
          processes.map(async (process) => {
            const jobs = await process.claim(8)
            if (random() < 0.2) return
            const attempts = await Promise.all(jobs.map(process.attempt))
            if (random() < 0.2) return
            await process.settle(attempts)
          }),
        )
        await endLeases(db)
        await endDelays(db)
      }
      const rows = await Promise.all(commands.map((each) => commandOf(db, each)))
      expect(rows.map(({ status }) => status)).toEqual(commands.map(() => 'sent'))
      const names = rows.map(({ operation_name }) => operation_name)
      expect(new Set(names).size).toBe(names.length)
      expect(new Set(names)).toEqual(new Set(google.taken.map(({ operation }) => operation.name)))
      expect(google.taken).toHaveLength(commands.length)
    },
  )
})
