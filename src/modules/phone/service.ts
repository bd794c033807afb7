/** Use cases of phone numbers: examine one before a deadline, and accept outcome reports. */

import type { Clock } from '../../platform/clock.ts'
import type { KeyedHash } from '../../platform/crypto/keyed-hash.ts'
import type { NewId } from '../../platform/ids.ts'
import { type Lookup, unknown } from '../../platform/lookup.ts'
import type {
  LookupCache,
  LookupDeadline,
  LookupSource,
} from '../../platform/lookup-cache/index.ts'
import type { Mode } from '../../platform/owner.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { Writer } from '../../platform/postgres/rows.ts'
import { HOUR_SECONDS } from '../../platform/time-units.ts'
import type { OpinionChange, ReputationStore } from '../reputation/index.ts'
import type { Evidence } from '../risk/index.ts'
import type { Carriers } from './carriers.ts'
import { mergePorting } from './merge-porting.ts'
import { describeNumber } from './number.ts'
import type {
  PortingFact,
  PortingProvider,
  SimSwapFact,
  SimSwapProvider,
} from './providers/provider.ts'
import { weightOf } from './report-weight.ts'
import { assessPhone, phoneSignalsOf } from './risk.ts'
import type { PhoneReport, PhoneSignals } from './schema.ts'
import { insertReport } from './store.ts'

export type PhoneQuery = {
  org_id: string
  mode: Mode
  phone: string
  event_type: string | undefined
}

export type PhoneFindings = { signals: PhoneSignals; evidence: Evidence[] }

export type Phone = {
  examine(query: PhoneQuery, deadline: LookupDeadline): Promise<PhoneFindings>
  /** @returns the accepted report, with its confidence (OP-4) */
  report(
    orgId: string,
    mode: Mode,
    report: PhoneReport,
  ): Promise<Required<Pick<PhoneReport, 'confidence'>> & PhoneReport>
}

export type PhoneDependencies = {
  db: Database
  clock: Clock
  newId: NewId
  hash: KeyedHash
  cache: LookupCache
  reputation: ReputationStore
  opinions: Writer<OpinionChange>
  carriers: Carriers
  sim_swap: SimSwapProvider | undefined
  porting: PortingProvider | undefined
}

const SIM_SWAP: LookupSource<SimSwapFact> = {
  kind: 'sim_swap',
  ttl_seconds: () => HOUR_SECONDS,
}
/** Stored answers of this kind are compared with later ones to find a change of carrier. */
export const PORTING_KIND = 'porting'

const PORTING: LookupSource<PortingFact> = {
  kind: PORTING_KIND,
  ttl_seconds: () => 24 * HOUR_SECONDS,
  // A number that was ported once remains ported.
  outlives_expiry: ({ ported }) => ported,
  merge: mergePorting,
}

export const phoneLookupKey = (hash: KeyedHash, orgId: string, phone: string): string =>
  hash('phone_lookup', orgId, phone)

export function createPhone(deps: PhoneDependencies): Phone {
  /** Keyed by organization, so that one never sees answers that another paid for. */
  const privateKey = ({ org_id, phone }: PhoneQuery) => phoneLookupKey(deps.hash, org_id, phone)
  const opinionQuery = (org_id: string, mode: Mode, phone: string) => ({
    org_id,
    mode,
    key_hash: deps.reputation.key({ org_id, mode, kind: 'phone', value: phone }),
  })

  const lookUpCarrier = async (
    query: PhoneQuery,
    deadline: LookupDeadline,
  ): Promise<{ sim_swap: Lookup<SimSwapFact>; porting: Lookup<PortingFact> }> => {
    const { sim_swap, porting } = deps
    // Carriers charge for each request, so test keys make none (OP-44).
    if (query.mode === 'test' || (!sim_swap && !porting)) {
      return { sim_swap: unknown('not_configured'), porting: unknown('not_configured') }
    }
    const key = privateKey(query)
    const stored = await deps.cache.read([SIM_SWAP, PORTING].map(({ kind }) => ({ kind, key })))
    const resolve = <T>(
      source: LookupSource<T>,
      lookup: ((phone: string, signal: AbortSignal) => Promise<Lookup<T>>) | undefined,
    ) =>
      lookup
        ? deps.cache.resolve(source, {
            key,
            fetch: (signal) => lookup(query.phone, signal),
            stored,
            deadline,
          })
        : Promise.resolve(unknown('not_configured'))
    const [swap, ported] = await Promise.all([
      resolve(SIM_SWAP, sim_swap),
      resolve(PORTING, porting),
    ])
    return { sim_swap: swap, porting: ported }
  }

  return {
    examine: async (query, deadline) => {
      const { org_id, mode, phone, event_type } = query
      const number = describeNumber(phone)
      const [carrier, standing] = await Promise.all([
        number.is_valid
          ? lookUpCarrier(query, deadline)
          : { sim_swap: unknown('not_applicable'), porting: unknown('not_applicable') },
        deps.reputation.standing(opinionQuery(org_id, mode, phone), deps.clock.now()),
      ])
      const now = deps.clock.now()
      const signals = phoneSignalsOf({
        number,
        allocated_carrier: number.is_valid ? deps.carriers.carrierOf(phone) : null,
        ...carrier,
      })
      const evidence = assessPhone(signals, number, standing, event_type, now)
      return { signals, evidence }
    },

    report: async (orgId, mode, report) => {
      const now = deps.clock.now()
      const accepted = { ...report, confidence: report.confidence ?? 100 }
      const query = opinionQuery(orgId, mode, report.phone)
      await deps.db.transaction().execute(async (tx) => {
        const isNew = await insertReport(tx, {
          id: deps.newId(now),
          org_id: orgId,
          mode,
          phone_hash: query.key_hash,
          check_id: report.check_id ?? null,
          report: withoutPhone(accepted),
          created_at: now,
        })
        if (!isNew) return
        const { bad, good } = weightOf(accepted.outcome, accepted.confidence)
        const change = { ...query, bad, good, shared_bad: bad, at: now }
        await deps.opinions.write([change]).execute(tx)
      })
      return accepted
    },
  }
}

function withoutPhone({ phone: _phone, ...report }: PhoneReport): Omit<PhoneReport, 'phone'> {
  return report
}
