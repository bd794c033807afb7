/**
 * Learns weights of the signals from the decisions of an organization, once a day. What is learned
 * becomes a version of the rules when a person applies it, or the job where the organization wants
 * that.
 */
import type { Clock } from '../../../platform/clock.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/log.ts'
import type { Owner } from '../../../platform/owner.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import type { insertAudit } from '../../audit/index.ts'
import type { ApplyResult, OrderRules } from '../rules/service.ts'
import {
  DEFAULT_ORDER_PARAMETERS,
  type OrderParameters,
  storedOrderParameters,
} from '../scoring/parameters.ts'
import { ORDER_SIGNALS } from '../scoring/signals.ts'
import { stepOf } from './calibration.ts'
import { learn } from './learn.ts'
import { readOutcomes } from './sample.store.ts'
import type { CalibrationStep, Learned, RulesLearning, Weights } from './schema.ts'
import {
  claimLearning,
  findLearning,
  listDueOwners,
  writeAutomatic,
  writeLearned,
} from './store.ts'

export type RulesLearner = {
  /** Returns what was learned last, next to the weights in effect. */
  show(owner: Owner): Promise<RulesLearning>
  /** Learns now. */
  learn(owner: Owner): Promise<RulesLearning>
  /** @returns undefined when no weights were learned */
  apply(owner: Owner, by: LearnedApplying): Promise<ApplyResult | undefined>
  setAutomatic(owner: Owner, automatic: boolean, by: string): Promise<void>
  /** Returns how often orders with a score were fraud; undefined while that is unknown. */
  calibration(owner: Owner, score: number): Promise<CalibrationStep | undefined>
  /** Learns for organizations that are due, until none is left or the signal aborts. */
  run(signal: AbortSignal): Promise<void>
}

export type LearnedApplying = { base_version: number; note: string | null; by: string }

export type RulesLearnerDependencies = {
  db: Database
  clock: Clock
  newId: NewId
  log: Log
  rules: OrderRules
  audit: typeof insertAudit
  /** Number of confirmed frauds from which weights are learned; 0 learns nothing. */
  rules_learn_frauds: number
}

/** Older frauds were of other kinds. */
const HISTORY_DAYS = 180
/** Frauds become known about a week later; until then an order is not taken to be legitimate. */
const DELAY_DAYS = 7
const OWNERS_PER_READ = 20
/** Name of the job in the list of versions. */
const BY_JOB = 'learning'

export function createRulesLearner(deps: RulesLearnerDependencies): RulesLearner {
  const { db, clock, newId, log, rules, audit, rules_learn_frauds: frauds_min } = deps
  const activeOf = async (owner: Owner) => {
    const { version, overrides } = await rules.show(owner)
    return { version, parameters: storedOrderParameters(overrides) }
  }

  const show = async (owner: Owner): Promise<RulesLearning> => {
    const [stored, active] = await Promise.all([findLearning(db, owner), activeOf(owner)])
    const { result = null, automatic = false, learned_at = null } = stored ?? {}
    const { weights } = active.parameters
    return {
      ...(result ?? NOTHING_LEARNED),
      outcome: frauds_min === 0 ? 'off' : (result?.outcome ?? 'none'),
      frauds_min,
      learned_at: learned_at?.toISOString() ?? null,
      automatic,
      weights: comparedWeights(weights, result?.weights ?? null),
      version: active.version,
      is_active: result?.weights ? isSame(weights, result.weights) : false,
    }
  }

  const refit = async (owner: Owner): Promise<Learned> => {
    const { weights, history } = (await activeOf(owner)).parameters
    const now = clock.now().getTime()
    const from = new Date(now - HISTORY_DAYS * DAY_MS)
    const to = new Date(now - DELAY_DAYS * DAY_MS)
    const { known_orders } = history
    const outcomes = await readOutcomes(db, owner, { from, to, known_orders })
    const result = learn(outcomes, weights, frauds_min)
    await writeLearned(db, owner, result)
    return result
  }

  const apply: RulesLearner['apply'] = async (owner, by) => {
    const stored = await findLearning(db, owner)
    const { result } = stored ?? { result: null }
    if (!result?.weights) return undefined
    const { parameters } = await activeOf(owner)
    const note = by.note ?? `Learned from ${result.frauds} confirmed frauds`
    const next: OrderParameters = { ...parameters, weights: result.weights }
    return await rules.apply(owner, next, { ...by, note })
  }

  const applyIfBetter = async (owner: Owner, { outcome }: Learned): Promise<void> => {
    if (outcome !== 'better') return
    const stored = await findLearning(db, owner)
    if (!stored?.automatic) return
    const { version } = await activeOf(owner)
    await apply(owner, { base_version: version, note: null, by: BY_JOB })
  }

  return {
    show,
    learn: async (owner) => {
      if (frauds_min > 0) await refit(owner)
      return await show(owner)
    },
    apply,
    setAutomatic: async (owner, automatic, by) => {
      await db.transaction().execute(async (tx) => {
        await writeAutomatic(tx, owner, automatic)
        const now = clock.now()
        await audit(tx, owner.org_id, {
          id: newId(now),
          at: now,
          actor_user_id: by === 'cli' ? null : by,
          action: 'rules.learning_changed',
          target: `order rules, ${owner.mode}`,
          details: { mode: owner.mode, automatic },
        })
      })
    },
    calibration: async (owner, score) => {
      const stored = await findLearning(db, owner)
      return stored?.result ? stepOf(stored.result.calibration, score) : undefined
    },
    run: async (signal) => {
      if (frauds_min === 0) return
      let due: readonly Owner[]
      do {
        due = await listDueOwners(db, OWNERS_PER_READ)
        for (const owner of due) {
          if (signal.aborted) return
          if (!(await claimLearning(db, owner))) continue
          try {
            await applyIfBetter(owner, await refit(owner))
          } catch (error) {
            // The next attempt is a day later; the last result stays.
            log.error({ err: error, ...owner }, 'learning from decisions failed')
          }
        }
      } while (due.length > 0)
    },
  }
}

const NOTHING_LEARNED = { frauds: 0, legitimate: 0, trial: null, calibration: [] }

function comparedWeights(active: Weights, learned: Weights | null): RulesLearning['weights'] {
  if (learned === null) return []
  const shipped = DEFAULT_ORDER_PARAMETERS.weights
  return ORDER_SIGNALS.map((signal) => ({
    signal,
    shipped: shipped[signal],
    active: active[signal],
    learned: learned[signal],
  }))
}

const isSame = (a: Weights, b: Weights): boolean =>
  ORDER_SIGNALS.every((signal) => a[signal] === b[signal])
