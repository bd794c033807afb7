/** Compares the stored scores and states of an organization with a replay of its orders. */
import { readHistory } from '../../src/modules/orders/history.ts'
import { createMemoryScoring, type MemoryScoring } from '../../src/modules/orders/memory-scoring.ts'
import { rulesOfOrders } from '../../src/modules/orders/rules/parameters-of-order.ts'
import type { WholeOrder } from '../../src/modules/orders/store.ts'
import type { ProfileState } from '../../src/modules/profiles/index.ts'
import { installationSecret } from '../../src/platform/crypto/installation-secrets.ts'
import { createKeyedHash } from '../../src/platform/crypto/keyed-hash.ts'
import type { Sealer } from '../../src/platform/crypto/sealed.ts'
import type { Owner } from '../../src/platform/owner.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import { createStateId, type StateId } from '../../src/platform/states/index.ts'

export type Comparison = {
  orders: number
  decisions: number
  /** Sequence numbers of orders that do not follow their predecessor. */
  wrong_seqs: number[]
  /** `external_order_id` of orders with a different score or explanation in the replay. */
  wrong_scores: string[]
  /** Stored and replayed JSON of differing states; empty for a missing one. */
  wrong_states: { kind: string; stored: string; folded: string }[]
  /** Expected `profile.risk.changed` events as `<profile> <before> <after>`, sorted. */
  risk_changes: string[]
}

export type Installation = { db: Db; sealer: Sealer }

/** Creates the state ids of the installation. */
export async function installedStateId({ db, sealer }: Installation): Promise<StateId> {
  return createStateId(createKeyedHash(await installationSecret(db, sealer, 'identity_hash', 32)))
}

/** @param visit called with every stored order in the order of scoring */
export async function compareWithFold(
  from: Installation,
  orgId: string,
  visit: (order: WholeOrder) => void = () => undefined,
): Promise<Comparison> {
  const stateId = await installedStateId(from)
  const rules = {
    live: await rulesOfOrders(from.db, { org_id: orgId, mode: 'live' }),
    test: await rulesOfOrders(from.db, { org_id: orgId, mode: 'test' }),
  }
  const rulesOf = (order: WholeOrder) => rules[order.mode](order)
  const scoring = createMemoryScoring({ stateId, rulesOf })
  const comparison: Comparison = {
    orders: 0,
    decisions: 0,
    wrong_seqs: [],
    wrong_scores: [],
    wrong_states: [],
    risk_changes: [],
  }
  for (const mode of ['live', 'test'] as const) {
    await replayMode(from.db, { org_id: orgId, mode }, scoring, { comparison, visit })
  }
  comparison.risk_changes.sort()
  comparison.wrong_states = await differingStates(from.db, orgId, scoring)
  return comparison
}

async function replayMode(
  db: Db,
  owner: Owner,
  scoring: MemoryScoring,
  { comparison, visit }: { comparison: Comparison; visit: (order: WholeOrder) => void },
): Promise<void> {
  let seq = 0
  for await (const entry of readHistory(db, owner)) {
    const { order } = entry
    const level = levelOf(scoring, order.profile_id)
    const scored = scoring.apply(entry)
    const next = levelOf(scoring, order.profile_id)
    if (next !== level && (level ?? 'low') !== next) {
      comparison.risk_changes.push(`${order.profile_id} ${level ?? 'low'} ${next}`)
    }
    if (scored === undefined) {
      comparison.decisions += 1
      continue
    }
    visit(order)
    seq += 1
    comparison.orders += 1
    if (order.seq !== seq) comparison.wrong_seqs.push(order.seq)
    const { risk, measurements } = scored
    const isSame = isEqual(risk, order.risk) && isEqual(measurements, order.measurements)
    if (!isSame) comparison.wrong_scores.push(order.request.external_order_id)
  }
}

const levelOf = ({ states }: MemoryScoring, profileId: string | null) =>
  (states.get(profileId ?? '')?.value as ProfileState | undefined)?.risk.level

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

async function differingStates(
  db: Db,
  orgId: string,
  { states }: MemoryScoring,
): Promise<Comparison['wrong_states']> {
  const rows = await db
    .selectFrom('states')
    .select(['id', 'kind', 'state_text'])
    .where('org_id', '=', orgId)
    .execute()
  const stored = new Map(rows.map(({ id, kind, state_text }) => [id, { kind, text: state_text }]))
  const ids = [...new Set([...stored.keys(), ...states.keys()])]
  return ids
    .map((id) => ({
      kind: (stored.get(id) ?? states.get(id))?.kind ?? '',
      stored: stored.get(id)?.text ?? '',
      folded: JSON.stringify(states.get(id)?.value) ?? '',
    }))
    .filter((state) => state.stored !== state.folded)
}
