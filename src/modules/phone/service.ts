/** Use cases of phone intelligence: learn what can be learnt in time, and take outcome reports. */
import type { Clock } from '../../platform/clock.ts'
import type { KeyedHash } from '../../platform/crypto/keyed-hash.ts'
import type { NewId } from '../../platform/ids.ts'
import { type Lookup, unknown } from '../../platform/lookup.ts'
import type {
  LookupCache,
  LookupDeadline,
  LookupSource,
} from '../../platform/lookup-cache/index.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import { changeOpinions, type ReputationStore } from '../reputation/index.ts'
import type { Evidence } from '../risk/index.ts'
import type { Carriers } from './carriers.ts'
import { describeNumber } from './number.ts'
import { mergePorting } from './porting-memory.ts'
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

export type PhoneQuestion = {
  org_id: string
  mode: Mode
  phone: string
  event_type: string | undefined
}

export type PhoneAnswer = { signals: PhoneSignals; evidence: Evidence[] }

export type Phone = {
  examine(question: PhoneQuestion, deadline: LookupDeadline): Promise<PhoneAnswer>
  /** @returns the report as accepted (OP-4) */
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
  carriers: Carriers
  sim_swap: SimSwapProvider | undefined
  porting: PortingProvider | undefined
}

const HOUR_SECONDS = 3600

const SIM_SWAP: LookupSource<SimSwapFact> = {
  kind: 'sim_swap',
  ttl_seconds: () => HOUR_SECONDS,
}
/** Its old answers are the memory that shows a change of carrier. */
export const PORTING_KIND = 'porting'

const PORTING: LookupSource<PortingFact> = {
  kind: PORTING_KIND,
  ttl_seconds: () => 24 * HOUR_SECONDS,
  // That a number was once taken along stays true.
  outlives_expiry: ({ ported }) => ported,
  merge: mergePorting,
}

export function createPhone(deps: PhoneDependencies): Phone {
  /** The same number has one key per organisation for what was paid for, and one for reputation. */
  const privateKey = ({ org_id, phone }: PhoneQuestion) => deps.hash('phone_lookup', org_id, phone)
  const opinionQuery = (org_id: string, mode: Mode, phone: string) => ({
    org_id,
    key_hash: deps.reputation.key({ org_id, mode, kind: 'phone', value: phone }),
  })

  const askCarrier = async (
    question: PhoneQuestion,
    deadline: LookupDeadline,
  ): Promise<{ sim_swap: Lookup<SimSwapFact>; porting: Lookup<PortingFact> }> => {
    const { sim_swap, porting } = deps
    // Carriers charge per question, so test keys do not ask.
    if (question.mode === 'test' || (!sim_swap && !porting)) {
      return { sim_swap: unknown('not_configured'), porting: unknown('not_configured') }
    }
    const key = privateKey(question)
    const stored = await deps.cache.read([SIM_SWAP, PORTING].map(({ kind }) => ({ kind, key })))
    const ask = <T>(
      source: LookupSource<T>,
      lookup: ((phone: string, signal: AbortSignal) => Promise<Lookup<T>>) | undefined,
    ) =>
      lookup
        ? deps.cache.resolve(
            source,
            key,
            (signal) => lookup(question.phone, signal),
            stored,
            deadline,
          )
        : Promise.resolve(unknown('not_configured'))
    const [swap, ported] = await Promise.all([ask(SIM_SWAP, sim_swap), ask(PORTING, porting)])
    return { sim_swap: swap, porting: ported }
  }

  return {
    examine: async (question, deadline) => {
      const number = describeNumber(question.phone)
      const { org_id, mode, phone } = question
      const [carrier, standing] = await Promise.all([
        number.is_valid
          ? askCarrier(question, deadline)
          : { sim_swap: unknown('not_applicable'), porting: unknown('not_applicable') },
        deps.reputation.standing(opinionQuery(org_id, mode, phone), deps.clock.now()),
      ])
      const now = deps.clock.now()
      const signals = phoneSignalsOf({
        number,
        allocated_carrier: number.is_valid ? deps.carriers.carrierOf(question.phone) : null,
        ...carrier,
      })
      const evidence = assessPhone(signals, standing, question.event_type, now)
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
        const weight = weightOf(accepted.outcome, accepted.confidence)
        if (isNew) await changeOpinions([{ ...query, ...weight, at: now }]).execute(tx)
      })
      return accepted
    },
  }
}

function withoutPhone({ phone: _phone, ...report }: PhoneReport): Omit<PhoneReport, 'phone'> {
  return report
}
