import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import { createIds } from '../../../platform/ids.ts'
import { createLog } from '../../../platform/log.ts'
import { sweepFirings } from './firings.store.ts'
import type { CountPerMinute } from './minute-counts.store.ts'
import type { Condition } from './schema.ts'
import { createAlerts } from './service.ts'
import { minuteOf } from './state.ts'

const db = ownDatabase()
const newId = createIds()
const TEN = new Date('2026-03-01T10:00:00.000Z')
const at = (minutes: number) => new Date(TEN.getTime() + minutes * 60_000)
const iso = (minutes: number) => at(minutes).toISOString()
const running = new AbortController().signal
const by = (org_id: string) => ({ org_id, user_id: null })

afterEach(async () => {
  await db.deleteFrom('edge_alerts').execute()
  await db.deleteFrom('analytics_spool').execute()
})

/** Returns these counts for every rule. @param logs number of logs by the minute after ten */
const answering =
  (logs: Record<number, number>): CountPerMinute =>
  async (_rule, { from, until }) => {
    const counts = Object.entries(logs).map(([minute, count]): [number, number] => [
      minuteOf(at(Number(minute))),
      count,
    ])
    return await Promise.resolve(
      new Map(counts.filter(([minute]) => minute >= minuteOf(from) && minute < minuteOf(until))),
    )
  }

function createNode(
  options: { count?: CountPerMinute; timeout_ms?: number; max?: number; now?: Date } = {},
) {
  return createAlerts({
    db,
    log: createLog('silent'),
    clock: { now: () => options.now ?? TEN },
    newId: createIds(),
    // Organizations of these tests are not in the directory.
    audit: async () => await Promise.resolve(),
    countPerMinute: options.count ?? answering({}),
    edge_alert_lateness_minutes: 2,
    edge_alerts_max: options.max ?? 100,
    ...(options.timeout_ms !== undefined && { count_timeout_ms: options.timeout_ms }),
  })
}

const RULE = { name: 'Errors', condition: { level: 'error' }, threshold: 3, window_minutes: 5 }
const addRule = async (fields: Partial<typeof RULE> & { org_id?: string } = {}) =>
  await createNode().create(by(fields.org_id ?? randomUUID()), { ...RULE, ...fields })

const statesById = async () =>
  await db.selectFrom('edge_alerts').select(['id', 'status', 'evaluated_until']).execute()
const statuses = async () =>
  (await db.selectFrom('edge_alerts').select('status').orderBy('id').execute()).map(
    ({ status }) => status,
  )

describe('alert rules', () => {
  it('are listed as created, newest first, until they are deleted', async () => {
    const org_id = randomUUID()
    const node = createNode()
    const condition: Condition = {
      level: 'error,fatal',
      category: 'payment',
      environment: 'production',
      device_id: 'pos-1',
      error_fingerprint: 'f'.repeat(32),
      q: 'card "not read"',
    }
    const first = await node.create(by(org_id), { ...RULE, condition })
    expect(first).toEqual({
      id: first.id,
      ...RULE,
      condition,
      kind: 'count',
      ratio_percent: null,
      muted_until: null,
      status: 'ok',
      last_fired_at: null,
      last_resolved_at: null,
    })
    const later = createNode({ now: at(0.5) })
    const second = await later.create(by(org_id), { ...RULE, condition: {} })
    expect(await node.list(org_id)).toEqual([second, first])
    expect(await node.remove(by(randomUUID()), first.id)).toBe(false)
    expect(await node.remove(by(org_id), 'first')).toBe(false)
    expect(await node.remove(by(org_id), first.id)).toBe(true)
    expect(await node.remove(by(org_id), first.id)).toBe(false)
    expect(await node.list(org_id)).toEqual([second])
  })

  it('store no members of a condition that the contract does not list', async () => {
    const condition = { level: 'error', planet: 'Earth' } as Condition
    expect(await addRule({ condition: condition as { level: string } })).toMatchObject({
      condition: { level: 'error' },
    })
  })

  it('are refused beyond the maximum of the organization', async () => {
    const org_id = randomUUID()
    const node = createNode({ max: 2 })
    for (let created = 0; created < 2; created += 1) await node.create(by(org_id), RULE)
    const refused = { status: 400, body: { content: { field: 'org_id' } } }
    await expect(node.create(by(org_id), RULE)).rejects.toMatchObject(refused)
    await node.create(by(randomUUID()), RULE)
  })

  it.each(['-', ' . ', '""', '...', 'card time:today', 'a OR -time:5m'])(
    'refuse a search without words or with a time: %j',
    async (q) => {
      const refused = { status: 400, body: { content: { field: 'condition.q' } } }
      const condition: Condition = { q }
      await expect(
        createNode().create(by(randomUUID()), { ...RULE, condition }),
      ).rejects.toMatchObject(refused)
    },
  )
})

describe('a changed rule', () => {
  const count = answering({ 0: 3 })

  it('keeps its state, and an evaluation of the previous rule is not written', async () => {
    const org_id = randomUUID()
    const { id } = await addRule({ org_id })
    const node = createNode({ count })
    const changed = { ...RULE, name: 'More errors', threshold: 4 }
    const evaluating = createNode({
      count: async (...given) => {
        await node.change(by(org_id), id, changed)
        return await count(...given)
      },
    })
    expect(await evaluating.evaluate(at(1), running)).toMatchObject({ fired: 0, judged: 0 })
    expect(await node.list(org_id)).toMatchObject([{ ...changed, status: 'ok' }])
    expect(await node.change(by(randomUUID()), id, changed)).toBeUndefined()
    expect(await node.change(by(org_id), 'x', changed)).toBeUndefined()
  })

  it('has a history with the rule as it was when it fired, which is deleted with it', async () => {
    const org_id = randomUUID()
    const { id } = await addRule({ org_id })
    const node = createNode({ count: answering({ 0: 3, 15: 3 }) })
    await node.evaluate(at(1), running)
    await node.change(by(org_id), id, { ...RULE, threshold: 2 })
    await node.evaluate(at(17), running)
    const { name: _, ...rule } = { ...RULE, kind: 'count', ratio_percent: null }
    expect(await node.firings(org_id, id)).toEqual({
      firings: [
        { fired_at: iso(16), resolved_at: null, rule: { ...rule, threshold: 2 } },
        { fired_at: iso(1), resolved_at: iso(8), rule },
      ],
      is_complete: true,
    })
    expect(await node.firings(randomUUID(), id)).toBeUndefined()
    expect(await sweepFirings(db, at(60))).toBe(1)
    await node.remove(by(org_id), id)
    expect(await node.firings(org_id, id)).toBeUndefined()
    const left = db.selectFrom('edge_alert_firings').where('org_id', '=', org_id).selectAll()
    expect(await left.execute()).toEqual([])
  })

  it('that is muted fires, and its notification is muted with it', async () => {
    const org_id = randomUUID()
    const { id } = await addRule({ org_id })
    const node = createNode({ count })
    const muted_until = iso(60)
    expect(await node.mute(by(org_id), id, 60)).toMatchObject({ muted_until })
    await node.evaluate(at(1), running)
    const muted = async () =>
      (await db.selectFrom('notifications').selectAll().where('org_id', '=', org_id).execute()).map(
        ({ muted_until: until }) => until,
      )
    expect(await muted()).toEqual([at(60)])
    expect(await node.mute(by(org_id), id, 0)).toMatchObject({ muted_until: null })
    expect(await muted()).toEqual([null])
    expect(await node.mute(by(randomUUID()), id, 5)).toBeUndefined()
  })
})

describe('a ratio', () => {
  it('is that of the logs of the same category, environment and device', async () => {
    const org_id = randomUUID()
    const condition = { level: 'error', category: 'payment', q: 'card' }
    const rule = { ...RULE, condition, kind: 'ratio', ratio_percent: 50 } as const
    const counted: unknown[] = []
    const node = createNode({
      count: async (counts, ...given) => {
        counted.push(counts.condition)
        return await answering({ 0: counts.condition.level === undefined ? 6 : 3 })(
          counts,
          ...given,
        )
      },
    })
    await node.create(by(org_id), rule)
    expect(await node.evaluate(at(1), running)).toMatchObject({ fired: 1 })
    expect(counted).toEqual([condition, { category: 'payment' }])
  })
})

describe('the evaluation', () => {
  it('fires and resolves by event time and shows the status', async () => {
    const org_id = randomUUID()
    await addRule({ org_id })
    const node = createNode({ count: answering({ 0: 3 }) })
    const listed = async () => (await node.list(org_id))[0]
    expect(await node.evaluate(at(1.5), running)).toEqual({
      judged: 1,
      failed: 0,
      fired: 1,
      resolved: 0,
    })
    expect(await listed()).toMatchObject({ status: 'firing', last_fired_at: iso(1) })
    expect(await node.evaluate(at(7.9), running)).toMatchObject({ fired: 0, resolved: 0 })
    expect(await listed()).toMatchObject({ status: 'firing', last_resolved_at: null })
    expect(await node.evaluate(at(8), running)).toMatchObject({ fired: 0, resolved: 1 })
    expect(await listed()).toMatchObject({
      status: 'ok',
      last_fired_at: iso(1),
      last_resolved_at: iso(8),
    })
  })

  it('reports with its state that it fires and ends, each time once, and when the rule is deleted', async () => {
    const [org_id, other] = [randomUUID(), randomUUID()]
    const { id } = await addRule({ org_id, threshold: 1 })
    const deleted = await addRule({ org_id: other, name: 'Fatal' })
    const node = createNode({ count: answering({ 0: 3, 15: 3 }) })
    await node.evaluate(at(17), running)
    await node.evaluate(at(18), running)
    const reported = async (org: string) =>
      await db
        .selectFrom('notifications')
        .select(['key', 'title', 'detail', 'started_at', 'resolved_at'])
        .where('org_id', '=', org)
        .orderBy('started_at')
        .execute()
    const fires = {
      key: id,
      title: 'Log alert "Errors" fires',
      detail: '1 log or more in 5 minutes',
    }
    expect(await reported(org_id)).toEqual([
      { ...fires, started_at: at(1), resolved_at: at(8) },
      { ...fires, started_at: at(16), resolved_at: null },
    ])
    expect(await reported(other)).toMatchObject([{ resolved_at: at(8) }, { resolved_at: null }])
    await node.remove(by(other), deleted.id)
    expect(await reported(other)).toMatchObject([{}, { resolved_at: at(16) }])
  })

  it('counts only logs of the rule and only in the period it needs', async () => {
    const counted: unknown[] = []
    await addRule()
    const node = createNode({
      count: async ({ condition }, { from, until }) => {
        counted.push([condition, from, until])
        return await Promise.resolve(new Map())
      },
    })
    await node.evaluate(at(1), running)
    await node.evaluate(at(1.9), running)
    await node.evaluate(at(600), running)
    expect(counted).toEqual([
      [RULE.condition, at(1 - 2 - 5), at(1)],
      [RULE.condition, at(600 - 59 - 2 - 5), at(600)],
    ])
  })

  it('on several nodes at the same time evaluates each rule once and reports each firing once', async () => {
    for (let created = 0; created < 50; created += 1) await addRule()
    let counts = 0
    const count: CountPerMinute = async (...given) => {
      counts += 1
      return await answering({ 0: 3 })(...given)
    }
    const nodes = [createNode({ count }), createNode({ count }), createNode({ count })]
    const sums = await Promise.all(nodes.map((node) => node.evaluate(at(1), running)))
    expect(counts).toBe(50)
    expect(sums.reduce((sum, { fired }) => sum + fired, 0)).toBe(50)
    const again = await Promise.all(nodes.map((node) => node.evaluate(at(1.5), running)))
    expect(again.map(({ judged }) => judged)).toEqual([0, 0, 0])
  })

  it('changes nothing if its result comes after the lease has expired', async () => {
    const org_id = randomUUID()
    await addRule({ org_id })
    const slow = createNode({
      count: async (...given) => {
        // In the meantime the lease expires, and another node evaluates the rule.
        await db.updateTable('edge_alerts').set({ leased_until: TEN }).execute()
        await createNode({ count: answering({ 0: 3 }) }).evaluate(at(2), running)
        return await answering({ 0: 3 })(...given)
      },
    })
    expect(await slow.evaluate(at(1), running)).toMatchObject({ judged: 0, fired: 0 })
    expect(await slow.list(org_id)).toMatchObject([{ status: 'firing', last_fired_at: iso(1) }])
  })

  it('leaves rules unchanged while the engine is unavailable and catches up later', async () => {
    await addRule()
    await createNode({ count: answering({ 0: 3 }) }).evaluate(at(1), running)
    const unavailable = createNode({ count: () => Promise.reject(new Error('unavailable')) })
    for (const minute of [2, 15, 30]) {
      const found = await unavailable.evaluate(at(minute), running)
      expect(found).toEqual({ judged: 0, failed: 1, fired: 0, resolved: 0 })
    }
    expect(await statuses()).toEqual(['firing'])
    const recovered = createNode({ count: answering({ 0: 3, 20: 3 }) })
    expect(await recovered.evaluate(at(31), running)).toMatchObject({ fired: 1, resolved: 2 })
  })

  it('stops after one batch of rules while the engine is unavailable', async () => {
    for (let created = 0; created < 60; created += 1) await addRule()
    let counts = 0
    const count: CountPerMinute = async () => {
      counts += 1
      return await Promise.reject(new Error('unavailable'))
    }
    await createNode({ count }).evaluate(at(1), running)
    expect(counts).toBe(16)
    expect(await statuses()).toEqual(Array.from({ length: 60 }, () => 'ok'))
  })

  it('of a rule that fails or hangs does not delay other rules', async () => {
    const bad = [randomUUID(), randomUUID()]
    for (const org_id of bad) await addRule({ org_id })
    for (let created = 0; created < 40; created += 1) await addRule()
    const count: CountPerMinute = async (rule, ...given) => {
      if (rule.org_id === bad[0]) throw new Error('Code: 241. Memory limit exceeded')
      if (rule.org_id === bad[1]) await new Promise(() => undefined)
      return await answering({ 0: 3 })(rule, ...given)
    }
    const node = createNode({ count, timeout_ms: 50 })
    const found = await node.evaluate(at(1), running)
    expect(found).toEqual({ judged: 40, failed: 2, fired: 40, resolved: 0 })
    // The failed rules come last from now on and are evaluated as soon as they can be.
    const healthy = createNode({ count: answering({ 0: 3 }) })
    expect(await healthy.evaluate(at(2), running)).toMatchObject({ judged: 42, fired: 2 })
  })

  it('runs at most four counts at a time', async () => {
    for (let created = 0; created < 20; created += 1) await addRule()
    let under = 0
    let most = 0
    const count: CountPerMinute = async () => {
      under += 1
      most = Math.max(most, under)
      await new Promise((resolve) => setTimeout(resolve, 1))
      under -= 1
      return new Map()
    }
    expect(await createNode({ count }).evaluate(at(1), running)).toMatchObject({ judged: 20 })
    expect(most).toBe(4)
  })

  it('ends when the process stops and leaves no rule leased', async () => {
    await addRule()
    const stopping = new AbortController()
    const count: CountPerMinute = async () => {
      setImmediate(() => stopping.abort())
      return await new Promise(() => undefined)
    }
    expect(await createNode({ count }).evaluate(at(1), stopping.signal)).toMatchObject({
      failed: 1,
    })
    const next = createNode({ count: answering({ 0: 3 }) })
    expect(await next.evaluate(at(1), running)).toMatchObject({ fired: 1 })
  })

  it('ignores a rule that is deleted during the evaluation', async () => {
    const org_id = randomUUID()
    const { id } = await addRule({ org_id })
    const node = createNode({
      count: async (...given) => {
        await node.remove(by(org_id), id)
        return await answering({ 0: 3 })(...given)
      },
    })
    expect(await node.evaluate(at(1), running)).toMatchObject({ judged: 0, fired: 0 })
  })

  it('does not evaluate a minute whose logs are still waiting in the spool', async () => {
    const org_id = randomUUID()
    await addRule({ org_id })
    await createNode({ count: answering({ 0: 3 }) }).evaluate(at(1), running)
    const id = newId(at(4.5))
    const row = { org_id, id, mode: 'live', target: 'edge_logs', entries: 1, bytes: 3 } as const
    const waiting = { ...row, payload: Buffer.from('{}\n') }
    await db.insertInto('analytics_spool').values(waiting).execute()
    // The engine has no newer logs, which must not be mistaken for silence.
    const node = createNode({ count: answering({ 0: 3 }) })
    expect(await node.evaluate(at(30), running)).toMatchObject({ judged: 1, resolved: 0 })
    expect(await statuses()).toEqual(['firing'])
    const flush = { flush_id: randomUUID(), leased_until: at(31) }
    await db.updateTable('analytics_spool').set(flush).where('id', '=', id).execute()
    expect(await node.evaluate(at(31), running)).toMatchObject({ judged: 0 })
    await db
      .updateTable('analytics_spool')
      .set({ flushed_at: at(32) })
      .execute()
    expect(await node.evaluate(at(32), running)).toMatchObject({ judged: 1, resolved: 1 })
  })

  it('does not wait for RUM events, for batches the engine refuses, or longer than it catches up', async () => {
    const org_id = randomUUID()
    await addRule({ org_id })
    const payload = Buffer.from('{}\n')
    const old = { org_id, mode: 'live', entries: 1, bytes: 3, payload } as const
    await db
      .insertInto('analytics_spool')
      .values([
        { ...old, id: newId(at(0)), target: 'rum_events' },
        { ...old, id: newId(at(0)), target: 'edge_logs', flush_id: randomUUID(), refusal: 'no' },
      ])
      .execute()
    const node = createNode({ count: answering({ 8: 3 }) })
    expect(await node.evaluate(at(10), running)).toMatchObject({ fired: 1 })
    await db
      .insertInto('analytics_spool')
      .values({ ...old, id: newId(at(10.5)), target: 'edge_logs' })
      .execute()
    expect(await node.evaluate(at(70), running)).toMatchObject({ judged: 0 })
    expect(await node.evaluate(at(95), running)).toMatchObject({ judged: 1, resolved: 1 })
  })

  it('waits for errors that are not grouped yet, but not for those of another organization', async () => {
    const [flooding, other] = [randomUUID(), randomUUID()]
    const rules = [await addRule({ org_id: flooding }), await addRule({ org_id: other })]
    const node = createNode({ count: answering({ 0: 3 }) })
    const payload = Buffer.from('{}\n')
    const row = { org_id: flooding, mode: 'live', entries: 1, bytes: 3, payload } as const
    const ids = [newId(at(0.5)), newId(at(7))]
    await db
      .insertInto('analytics_spool')
      .values(ids.map((id) => ({ ...row, id, target: 'edge_logs_ungrouped' })))
      .execute()
    const [first, second] = await Promise.all([
      node.evaluate(at(2), running),
      node.evaluate(at(2), running),
    ])
    expect(first.judged + second.judged).toBe(1)
    const stored = async () =>
      new Map((await statesById()).map(({ id, ...state }) => [id, state] as const))
    expect((await stored()).get(rules[0]?.id ?? '')).toMatchObject({ status: 'ok' })
    expect((await stored()).get(rules[1]?.id ?? '')).toMatchObject({ status: 'firing' })
    // Grouped, and not flushed.
    await db.updateTable('analytics_spool').set({ target: 'edge_logs' }).execute()
    expect(await node.evaluate(at(2), running)).toMatchObject({ judged: 0 })
    await db
      .deleteFrom('analytics_spool')
      .where('id', '=', ids[0] ?? '')
      .execute()
    expect(await node.evaluate(at(9), running)).toMatchObject({ judged: 2, fired: 1 })
    expect((await stored()).get(rules[0]?.id ?? '')).toEqual({
      status: 'firing',
      evaluated_until: at(7),
    })
  })
})
