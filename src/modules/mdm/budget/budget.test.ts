import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import type { AndroidManagement, ProviderFault } from '../providers/port.ts'
import { type Budget, createBudget, type RequestLimits } from './budget.ts'
import { withBudget } from './with-budget.ts'

const db = ownDatabase()

const LIMITS: RequestLimits = {
  enterprise: 60,
  policy: 60,
  device: 60,
  command: 300,
  reading: 60,
  total: 600,
}
const make = (limits: Partial<RequestLimits> = {}): Budget =>
  createBudget({ db, limits: { ...LIMITS, ...limits }, backoff_seconds: 60 })

/** Waits so that no window of ten seconds ends in the middle of a test. */
async function untilWindowIsYoung(): Promise<void> {
  await sql`select pg_sleep(case when s > 6 then 10 - s + 0.05 else 0 end)
    from (select extract(epoch from clock_timestamp())::numeric % 10 as s) now`.execute(db)
}

const granted = (taken: { granted: boolean }[]): number =>
  taken.filter((each) => each.granted).length

beforeEach(async () => {
  await sql`truncate mdm_request_counts, mdm_request_pauses`.execute(db)
  await untilWindowIsYoung()
}, 15_000)

describe('a budget', () => {
  it('grants all processes together a sixth of the limit per minute in ten seconds', async () => {
    const processes = [make(), make(), make()]
    const taken = await Promise.all(
      Array.from({ length: 30 }, (_, index) => (processes[index % 3] ?? make()).take('policy')),
    )
    expect(granted(taken)).toBe(10)
    const refused = taken.flatMap((each) => (each.granted ? [] : [each.retry_after_s]))
    expect(refused.every((seconds) => seconds >= 1 && seconds <= 10)).toBe(true)
  })

  it('grants more when the next window has begun', async () => {
    const budget = make({ policy: 6 })
    expect((await budget.take('policy')).granted).toBe(true)
    expect((await budget.take('policy')).granted).toBe(false)
    await sql`update mdm_request_counts
      set started_at = started_at - interval '10 seconds'`.execute(db)
    expect((await budget.take('policy')).granted).toBe(true)
  })

  it('counts a limit that is too small to be divided per minute', async () => {
    const budget = make({ enterprise: 2 })
    const taken = []
    for (let i = 0; i < 4; i += 1) taken.push(await budget.take('enterprise'))
    expect(granted(taken)).toBe(2)
    const { rows } = await sql<{ is_minute: boolean }>`
      select extract(second from started_at) = 0 as is_minute from mdm_request_counts
      where class = 'enterprise'`.execute(db)
    expect(rows).toEqual([{ is_minute: true }])
  })

  it('holds all classes together to the total limit', async () => {
    const budget = make({ total: 60 })
    const taken = await Promise.all([
      ...Array.from({ length: 8 }, () => budget.take('enterprise')),
      ...Array.from({ length: 8 }, () => budget.take('reading')),
    ])
    expect(granted(taken)).toBe(10)
    expect((await budget.take('device')).granted).toBe(false)
  })

  it('leaves room for enrollment and listings while a fleet is updated', async () => {
    const budget = make({ total: 120 })
    const fleet = await Promise.all([
      ...Array.from({ length: 20 }, () => budget.take('device')),
      ...Array.from({ length: 20 }, () => budget.take('command')),
    ])
    expect(granted(fleet)).toBe(15)
    expect(await budget.room('command', 10)).toBe(0)
    const others = [await budget.take('enterprise'), await budget.take('reading')]
    expect(granted(others)).toBe(2)
  })

  it('grants nothing to a paused class, and other classes as usual', async () => {
    const budget = make()
    const seconds = await budget.pause('command', 0)
    expect(seconds).toBeGreaterThanOrEqual(48)
    expect(seconds).toBeLessThanOrEqual(72)
    const taken = await make().take('command')
    expect(taken.granted || taken.retry_after_s).toBeGreaterThan(40)
    expect((await budget.take('device')).granted).toBe(true)
    await sql`update mdm_request_pauses set paused_until = now() - interval '1 second'`.execute(db)
    expect((await budget.take('command')).granted).toBe(true)
  })

  it('pauses for as long as the provider requires, and never shortens a pause', async () => {
    const budget = make()
    expect(await budget.pause('device', 500)).toBe(500)
    await budget.pause('device', 0)
    const taken = await budget.take('device')
    expect(taken.granted || taken.retry_after_s).toBeGreaterThan(400)
  })

  it('reports the room that is left without using it', async () => {
    const budget = make()
    expect(await budget.room('command', 20)).toBe(20)
    expect(await budget.room('command', 80)).toBe(50)
    await Promise.all(Array.from({ length: 45 }, () => budget.take('command')))
    expect(await budget.room('command', 80)).toBe(5)
    await budget.pause('command', 0)
    expect(await budget.room('command', 80)).toBe(0)
  })

  it('deletes windows that ended long ago', async () => {
    await sql`insert into mdm_request_counts (class, started_at, requests)
      select 'policy', now() - interval '1 hour' + n * interval '1 second', 1
      from generate_series(1, 50) n`.execute(db)
    await make().take('policy')
    const { rows } = await sql<{ rows: number }>`
      select count(*) as rows from mdm_request_counts`.execute(db)
    expect(rows).toEqual([{ rows: 2 }])
  })
})

describe('a provider with a budget', () => {
  const LIMITED: ProviderFault = {
    kind: 'rate_limited',
    message: 'Google received too many requests.',
    retry_after_s: 90,
    is_ambiguous: false,
  }
  const fake = (calls: string[], fault?: ProviderFault): AndroidManagement =>
    new Proxy({} as AndroidManagement, {
      get:
        (_, name) =>
        (...args: unknown[]) => {
          calls.push(`${String(name)}(${args.length})`)
          return Promise.resolve(fault ? { ok: false, fault } : { ok: true, value: {} })
        },
    })

  it('is not called without room, and the answer says when to try again', async () => {
    const calls: string[] = []
    const provider = withBudget(fake(calls), make({ policy: 6 }))
    expect((await provider.patchPolicy('enterprises/1/policies/1', {})).ok).toBe(true)
    const refused = await provider.patchPolicy('enterprises/1/policies/1', {})
    expect(refused).toMatchObject({
      ok: false,
      fault: { kind: 'rate_limited', is_ambiguous: false },
    })
    expect(calls).toEqual(['patchPolicy(2)'])
  })

  it('is not called again in a class in which it was rate limited', async () => {
    const calls: string[] = []
    const provider = withBudget(fake(calls, LIMITED), make())
    const first = await provider.issueCommand('enterprises/1/devices/1', { type: 'LOCK' })
    expect(first).toMatchObject({ fault: { kind: 'rate_limited', retry_after_s: 90 } })
    const second = await provider.issueCommand('enterprises/1/devices/1', { type: 'LOCK' })
    expect(second).toMatchObject({ fault: { kind: 'rate_limited' } })
    await provider.deleteDevice('enterprises/1/devices/1')
    expect(calls).toEqual(['issueCommand(2)', 'deleteDevice(1)'])
  })

  it('is pulled for notifications without using the budget', async () => {
    const calls: string[] = []
    const provider = withBudget(fake(calls), make())
    await provider.pull(10, new AbortController().signal)
    await provider.acknowledge(['1'])
    const { rows } = await sql`select from mdm_request_counts`.execute(db)
    expect([calls, rows]).toEqual([['pull(2)', 'acknowledge(1)'], []])
  })

  it('answers with a fault when requests cannot be counted', async () => {
    const broken: Budget = { ...make(), take: async () => await Promise.reject(new Error('down')) }
    const calls: string[] = []
    const answer = await withBudget(fake(calls), broken).getDevice('enterprises/1/devices/1')
    expect(answer).toMatchObject({ ok: false, fault: { kind: 'unavailable', is_ambiguous: false } })
    expect(calls).toEqual([])
  })
})
