/** Needs a database of its own, because the worker runs the replays of all organizations. */

import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import { type Harness, openHarness } from '../../../../test/harness.ts'
import { installedStateId } from '../../../../test/support/fold.ts'
import { orderOf } from '../../../../test/support/order-mix.ts'
import { createLog } from '../../../platform/log.ts'
import type { Owner } from '../../../platform/owner.ts'
import type { StateId } from '../../../platform/states/index.ts'
import { ruledActions } from '../../cashier/index.ts'
import { ruledChecks } from '../../checks/index.ts'
import { sweepRulesReplays } from '../index.ts'
import { readOrderParameters } from '../scoring/parameters.ts'
import { createPace } from './pace.ts'
import { replayResult } from './replay-counts.ts'
import type { RulesReplay } from './schema.ts'
import { createRulesReplays, REPLAYS_WAITING_MAX, type RulesReplays } from './service.ts'
import { claimReplay } from './store.ts'

const db = ownDatabase()
let opened: { node: Harness; replays: RulesReplays; stateId: StateId } | undefined
beforeAll(async () => {
  const node = await openHarness({ db })
  const stateId = await installedStateId(node.stores)
  const log = createLog('silent')
  const { clock, newId } = node.stores
  const replays = createRulesReplays({
    directory: db,
    db,
    stateId,
    ruled: { check: ruledChecks, cashier_action: ruledActions },
    clock,
    newId,
    log,
    progress_ms: 0,
  })
  opened = { node, replays, stateId }
})
afterAll(async () => await opened?.node.close())
const world = () => {
  if (!opened) throw new Error('the service exists only during tests')
  return opened
}
beforeEach(async () => {
  await sql`delete from rules_replays`.execute(db)
})

const ALWAYS = { from: new Date('2020-01-01T00:00:00Z'), to: new Date('2100-01-01T00:00:00Z') }
const DRAFT = readOrderParameters({ weights: { location_anomaly: 0, velocity: 0.1, pattern: 0.2 } })
const WHO = '01a1f716-c360-7b08-aad8-533adec87a22'
const never = new AbortController().signal

async function openShop(orders = 150): Promise<Owner> {
  const { node } = world()
  const { org_id } = await node.createTenant()
  const owner: Owner = { org_id, mode: 'live' }
  const scored = await Promise.all(
    Array.from({ length: orders }, (_, index) =>
      node.services.orders.score(owner, orderOf('shop', index)),
    ),
  )
  const flagged = scored.filter(({ risk }) => risk.flagged_for_review)
  for (const [index, { order }] of flagged.slice(0, 6).entries()) {
    const decision = index % 2 === 0 ? ('confirmed_fraud' as const) : ('legitimate' as const)
    await node.services.reviews.decide(order.id, owner, { decision, by: 'reviewer' })
  }
  return owner
}

const start = async (owner: Owner, on = world().replays) => {
  const started = await on.start(owner, { parameters: DRAFT, ...ALWAYS, by: WHO })
  if (!started) throw new Error('not started')
  return started
}

describe('a queued replay', () => {
  it('gives the result of the command line with its own draft', async () => {
    const { node, replays } = world()
    const owner = await openShop()
    const { id, state, overrides } = await start(owner)
    expect({ state, overrides }).toEqual({
      state: 'queued',
      overrides: { weights: { location_anomaly: 0, velocity: 0.1, pattern: 0.2 } },
    })
    await replays.run(never)
    const done = await replays.find(owner.org_id, id)
    const said = await node.services.orders.replay({
      owners: [owner],
      parameters: DRAFT,
      ...ALWAYS,
    })
    expect(done).toMatchObject({
      state: 'done',
      progress: { orders: 150, of: 150 },
      result: JSON.parse(JSON.stringify(replayResult(said))) as object,
      fault: null,
    })
    expect(done?.result?.no_longer_flagged).toBeGreaterThan(0)
    expect(done?.result?.decisions.frauds_lost).toBeGreaterThan(0)
    expect(done?.result?.no_longer_flagged_examples).not.toEqual([])
  })

  it('belongs to its organization and mode', async () => {
    const { replays } = world()
    const [owner, other] = [await openShop(1), await openShop(1)]
    const { id } = await start(owner)
    expect(await replays.find(other.org_id, id)).toBeUndefined()
    expect(await replays.cancel(other.org_id, id)).toBeUndefined()
    expect(await replays.list(other, { limit: 5 })).toEqual([])
    expect(await replays.list({ ...owner, mode: 'test' }, { limit: 5 })).toEqual([])
    expect(await replays.list(owner, { limit: 5 })).toMatchObject([{ id, state: 'queued' }])
    expect(await replays.find(owner.org_id, 'x')).toBeUndefined()
  })

  it('can wait with only a few others of its organization', async () => {
    const { replays } = world()
    const owner = await openShop(1)
    for (let n = 0; n < REPLAYS_WAITING_MAX; n += 1) await start(owner)
    const draft = { parameters: DRAFT, ...ALWAYS, by: WHO }
    expect(await replays.start(owner, draft)).toBeUndefined()
    await replays.run(never)
    expect(await replays.start(owner, draft)).toMatchObject({ state: 'queued' })
  })

  it('can wait with only that many when several start concurrently', async () => {
    const { replays } = world()
    const owner = await openShop(1)
    const draft = { parameters: DRAFT, ...ALWAYS, by: WHO }
    const started = await Promise.all(Array.from({ length: 20 }, () => replays.start(owner, draft)))
    expect(started.filter((one) => one !== undefined)).toHaveLength(REPLAYS_WAITING_MAX)
  })

  it('does not wait behind a long replay of another organization', async () => {
    const { replays } = world()
    const [large, small] = [await openShop(600), await openShop(1)]
    const long = await start(large)
    const second = await start(large)
    const short = await start(small)
    const running = replays.run(never)
    await vi.waitUntil(async () => (await replays.find(small.org_id, short.id))?.state === 'done', {
      interval: 5,
    })
    expect(await replays.find(large.org_id, long.id)).toMatchObject({ state: 'running' })
    // Only one replay per organization runs at a time, so the other slot stays free.
    expect(await replays.find(large.org_id, second.id)).toMatchObject({ state: 'queued' })
    await replays.cancel(large.org_id, second.id)
    await replays.cancel(large.org_id, long.id)
    await running
  })

  it('lets an organization go first whose last replay is longer ago', async () => {
    const { replays } = world()
    const [owner, other] = [await openShop(1), await openShop(1)]
    for (let n = 0; n < 3; n += 1) await start(owner)
    await start(other)
    const ended: string[] = []
    for (let n = 0; n < 2; n += 1) {
      const claimed = await claimReplay(db, WHO, 60)
      ended.push(claimed?.org_id ?? '')
      await replays.cancel(claimed?.org_id ?? '', claimed?.id ?? '')
    }
    expect(ended).toEqual([owner.org_id, other.org_id])
  })
})

/** Polls without a pause because the condition holds for a moment only. */
async function untilProgress({ org_id }: Owner, id: string): Promise<RulesReplay> {
  for (;;) {
    const now = await world().replays.find(org_id, id)
    if (now && now.progress.orders > 0) return now
  }
}

describe('a running replay', () => {
  it('shows its progress and stops when it is canceled', async () => {
    const { replays } = world()
    const owner = await openShop(600)
    const { id } = await start(owner)
    const running = replays.run(never)
    const { progress } = await untilProgress(owner, id)
    expect(progress).toMatchObject({ of: 600 })
    expect(progress.until).not.toBeNull()
    await replays.cancel(owner.org_id, id)
    await running
    const ended = await replays.find(owner.org_id, id)
    expect(ended).toMatchObject({ state: 'cancelled', result: null })
    expect(ended?.finished_at).not.toBeNull()
    expect(await replays.cancel(owner.org_id, id)).toEqual(ended)
  })

  it('is released when the process stops, and starts over', async () => {
    const { replays } = world()
    const owner = await openShop(600)
    const { id } = await start(owner)
    const stopping = new AbortController()
    const running = replays.run(stopping.signal)
    await untilProgress(owner, id)
    stopping.abort()
    await running
    expect(await replays.find(owner.org_id, id)).toMatchObject({
      state: 'queued',
      progress: { orders: 0 },
    })
    await replays.run(never)
    expect(await replays.find(owner.org_id, id)).toMatchObject({ state: 'done' })
  })

  it('of a killed process starts over in another one', async () => {
    const { replays } = world()
    const owner = await openShop()
    const { id } = await start(owner)
    expect(await claimReplay(db, WHO, 60)).toMatchObject({ id })
    await replays.run(never)
    expect(await replays.find(owner.org_id, id)).toMatchObject({ state: 'running' })
    await sql`update rules_replays set orders_read = 77, leased_until = now()`.execute(db)
    await replays.run(never)
    expect(await replays.find(owner.org_id, id)).toMatchObject({
      state: 'done',
      progress: { orders: 150, of: 150 },
    })
  })

  it('fails for good after repeated interruptions', async () => {
    const { replays } = world()
    const owner = await openShop(1)
    const { id } = await start(owner)
    await sql`update rules_replays set attempts = 3`.execute(db)
    await replays.run(never)
    const failed = await replays.find(owner.org_id, id)
    expect(failed).toMatchObject({ state: 'failed', result: null })
    expect(failed?.fault).toContain('Start it again')
  })

  it('renews its lease during long runs of decisions', async () => {
    const { node } = world()
    const owner = await openShop()
    const { rows } = await sql<{ id: string }>`
      select subject_id as id from reviews where org_id = ${owner.org_id} limit 1`.execute(db)
    const id = rows[0]?.id ?? ''
    for (let n = 0; n < 40; n += 1) {
      const decision = n % 2 === 0 ? ('confirmed_fraud' as const) : ('legitimate' as const)
      await node.services.reviews.decide(id, owner, { decision, by: 'reviewer' })
    }
    const reported: number[] = []
    await node.services.orders.replay({
      owners: [owner],
      ...ALWAYS,
      progress_every: 1,
      onProgress: ({ orders }) => void reported.push(orders),
    })
    expect(reported.length).toBeGreaterThanOrEqual(150 + 40)
    expect(reported).toEqual(reported.toSorted((a, b) => a - b))
  })

  it('fails with advice when its states exceed the memory limit', async () => {
    const { node, stateId } = world()
    const owner = await openShop(50)
    const { clock, newId } = node.stores
    const log = createLog('silent')
    const small = createRulesReplays({
      directory: db,
      db,
      stateId,
      ruled: { check: ruledChecks, cashier_action: ruledActions },
      clock,
      newId,
      log,
      states_max: 20,
    })
    const { id } = await start(owner)
    await small.run(never)
    const failed = await small.find(owner.org_id, id)
    expect(failed).toMatchObject({ state: 'failed', result: null })
    expect(failed?.fault).toContain('vigil replay')
  })

  it('shares its working time with other running replays', async () => {
    const pace = createPace({ work_ms: 0, rest_ms: 1 })
    const rest = pace()
    expect(rest).toBeInstanceOf(Promise)
    expect(pace()).toBe(rest)
    await rest
  })

  it('lets other work of the process run', async () => {
    const pace = createPace({ work_ms: 0, rest_ms: 1 })
    let turns = 0
    const counting = setInterval(() => (turns += 1), 0)
    for (let n = 0; n < 20; n += 1) await pace()
    clearInterval(counting)
    expect(turns).toBeGreaterThan(5)
    expect(createPace({ work_ms: 1e9, rest_ms: 1 })()).toBeUndefined()
  })
})

it('only old finished replays are deleted', async () => {
  const { replays } = world()
  const owner = await openShop(1)
  const [old, young, waiting] = [await start(owner), await start(owner), await start(owner)]
  await replays.cancel(owner.org_id, old.id)
  await replays.cancel(owner.org_id, young.id)
  const before = new Date('2026-01-01T00:00:00Z')
  await sql`update rules_replays set finished_at = '2025-12-31' where id = ${old.id}`.execute(db)
  await sql`update rules_replays set created_at = '2025-12-31'`.execute(db)
  expect(await sweepRulesReplays(db, before)).toBe(1)
  const left = await replays.list(owner, { limit: 5 })
  expect(left.map(({ id }) => id)).toEqual([waiting.id, young.id])
})
