/** Compares what two nodes scored concurrently with a replay of what they stored. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, openHarness } from '../../../test/harness.ts'
import { compareWithFold, installedStateId } from '../../../test/support/fold.ts'
import { orderOf } from '../../../test/support/order-mix.ts'
import type { Owner } from '../../platform/owner.ts'
import type { ProfileState } from '../profiles/index.ts'
import { type HistoryEntry, readHistory } from './history.ts'
import { createMemoryScoring, type MemoryScoring } from './memory-scoring.ts'
import { DEFAULT_RULES } from './rules/active-rules.ts'
import type { ScoredOrder } from './schema.ts'
import { DEFAULT_ORDER_PARAMETERS } from './scoring/parameters.ts'
import { ORDER_SIGNALS } from './scoring/signals.ts'

let nodes: Harness[] = []
beforeAll(async () => {
  nodes = [await openHarness(), await openHarness()]
})
afterAll(async () => {
  for (const node of nodes) await node.close()
})

const node = (index: number): Harness => {
  const found = nodes[index % nodes.length]
  if (!found) throw new Error('the nodes exist only during tests')
  return found
}

/** @param count orders, sent in concurrent waves of 20 to both nodes in turn */
async function sendOrders(owner: Owner, name: string, count: number): Promise<ScoredOrder[]> {
  const scored: ScoredOrder[] = []
  for (let sent = 0; sent < count; sent += 20) {
    const wave = Array.from({ length: 20 }, (_, index) =>
      node(index).services.orders.score(owner, orderOf(name, sent + index)),
    )
    scored.push(...(await Promise.all(wave)))
  }
  return scored
}

async function readAll(owner: Owner) {
  const entries = []
  for await (const entry of readHistory(node(0).stores.db, owner)) entries.push(entry)
  return entries
}

const NOTHING_WRONG = { wrong_seqs: [], wrong_scores: [], wrong_states: [] }

describe('a replay of the stored orders', () => {
  it('reproduces the states and scores of two concurrent nodes bit for bit', async () => {
    const { org_id } = await node(0).createTenant()
    const live: Owner = { org_id, mode: 'live' }
    const scored = await sendOrders(live, 'first', 300)
    await sendOrders({ org_id, mode: 'test' }, 'tried', 60)
    const flagged = scored.filter(({ risk }) => risk.flagged_for_review).slice(0, 60)
    expect(flagged).toHaveLength(60)
    const decide = async (index: number, decision: 'confirmed_fraud' | 'legitimate') => {
      const { reviews } = node(index).services
      await reviews.decide(flagged[index]?.order.id ?? '', live, { decision, by: 'reviewer' })
    }
    await Promise.all([
      sendOrders(live, 'second', 200),
      ...flagged.map((_, index) =>
        decide(index, index % 3 === 0 ? 'legitimate' : 'confirmed_fraud'),
      ),
    ])
    await decide(0, 'confirmed_fraud')

    const comparison = await compareWithFold(node(0).stores, org_id)
    expect(comparison).toMatchObject({ ...NOTHING_WRONG, orders: 560, decisions: 61 })
  })

  it('follows the order of scoring, with gaps for deleted orders', async () => {
    const { org_id } = await node(0).createTenant()
    const live: Owner = { org_id, mode: 'live' }
    await sendOrders(live, 'some', 100)
    const { db } = node(0).stores
    await db.deleteFrom('orders').where('org_id', '=', org_id).where('seq', '<', 30).execute()
    await db.deleteFrom('orders').where('org_id', '=', org_id).where('seq', '=', 60).execute()
    const seqs = (await readAll(live)).map(({ order }) => order.seq)
    const kept = Array.from({ length: 100 }, (_, index) => index + 1)
    expect(seqs).toEqual(kept.filter((seq) => seq >= 30 && seq !== 60))
  })

  it('applies a decision to the score that the order received in the replay', async () => {
    const { org_id } = await node(0).createTenant()
    const live: Owner = { org_id, mode: 'live' }
    const scored = await sendOrders(live, 'draft', 200)
    const suspects = scored.filter(({ risk }) => risk.risk_level === 'critical')
    expect(suspects.length).toBeGreaterThan(2)
    for (const { order } of suspects) {
      const decision = { decision: 'legitimate', by: 'reviewer' } as const
      await node(1).services.reviews.decide(order.id, live, decision)
    }
    const entries = await readAll(live)
    // Without any weights no order is held back, so a decision releases none.
    const undecided = await foldWithoutWeights(entries.filter(({ label }) => label === undefined))
    const decided = await foldWithoutWeights(entries)
    for (const { profile_id } of entries.map(({ order }) => order)) {
      if (profile_id !== null)
        expect(habits(decided, profile_id)).toEqual(habits(undecided, profile_id))
    }
  })
})

async function foldWithoutWeights(entries: HistoryEntry[]): Promise<MemoryScoring> {
  const stateId = await installedStateId(node(0).stores)
  const { weights } = DEFAULT_ORDER_PARAMETERS
  const none = { ...weights }
  for (const signal of ORDER_SIGNALS) none[signal] = 0
  const scratch = createMemoryScoring({
    stateId,
    rulesOf: () => ({
      ...DEFAULT_RULES,
      parameters: { ...DEFAULT_ORDER_PARAMETERS, weights: none },
    }),
  })
  for (const entry of entries) scratch.apply(entry)
  return scratch
}

function habits({ states }: MemoryScoring, profileId: string) {
  const profile = states.get(profileId)?.value as ProfileState | undefined
  // An amount can wait for a decision at any score.
  return [profile?.hours, profile?.places, profile?.payments]
}
