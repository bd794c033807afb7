/** Counts what a replay changes and derives the rates that are reported. */
import type { Amount } from '../../custom-rules/index.ts'
import type {
  AmountsByCurrency,
  Compared,
  ComparedResult,
  Replay,
  ReplayResult,
  SubjectReplay,
} from './schema.ts'

const EXAMPLES_MAX = 5
/** More currencies than any organization sells in. */
const CURRENCIES_MAX = 50

/** A subject as it was scored then, and as it is scored by the replay. */
export type Comparison = {
  score_then: number
  score_now: number
  was_flagged: boolean
  is_flagged: boolean
  amount: Amount | undefined
}

type Scores = Pick<Comparison, 'score_then' | 'score_now'>

/** @param exampleOf is called only if one is needed */
export function countCompared<Example extends Scores>(
  counted: Compared<Example>,
  compared: Comparison,
  exampleOf: () => Example,
): void {
  const { score_then, score_now, was_flagged, is_flagged } = compared
  if (was_flagged) counted.flagged_then += 1
  if (is_flagged) counted.flagged_now += 1
  if (score_then === score_now) counted.same_score += 1
  countAmount(counted.amounts, compared, 'flagged', 1)
  if (was_flagged === is_flagged) counted.same_flag += 1
  else if (is_flagged) {
    counted.newly_flagged += 1
    addExample(counted.newly_flagged_examples, compared, exampleOf)
  } else {
    counted.no_longer_flagged += 1
    addExample(counted.no_longer_flagged_examples, compared, exampleOf)
  }
}

function countAmount(
  amounts: AmountsByCurrency[],
  { amount, was_flagged, is_flagged }: Omit<Comparison, keyof Scores>,
  what: 'flagged' | 'frauds_flagged' | 'legitimate_flagged',
  by: 1 | -1,
): void {
  if (amount === undefined || !(was_flagged || is_flagged)) return
  const { currency, cents } = amount
  let sums = amounts.find((one) => one.currency === currency)
  if (sums === undefined) {
    if (amounts.length === CURRENCIES_MAX) return
    sums = { currency, ...NO_AMOUNTS }
    amounts.push(sums)
  }
  if (was_flagged) sums[`${what}_then_cents`] += by * cents
  if (is_flagged) sums[`${what}_now_cents`] += by * cents
}

const NO_AMOUNTS = {
  flagged_then_cents: 0,
  flagged_now_cents: 0,
  frauds_flagged_then_cents: 0,
  frauds_flagged_now_cents: 0,
  legitimate_flagged_then_cents: 0,
  legitimate_flagged_now_cents: 0,
}

const changeOf = ({ score_then, score_now }: Scores): number => Math.abs(score_now - score_then)

function addExample<Example extends Scores>(
  examples: Example[],
  compared: Scores,
  exampleOf: () => Example,
): void {
  const least = examples.at(-1)
  if (examples.length === EXAMPLES_MAX && least && changeOf(least) >= changeOf(compared)) return
  examples.push(exampleOf())
  examples.sort((a, b) => changeOf(b) - changeOf(a))
  examples.length = Math.min(examples.length, EXAMPLES_MAX)
}

/** @param by -1 to take back a decision that was replaced */
export function countDecision(
  { decisions, amounts }: Pick<Compared<unknown>, 'decisions' | 'amounts'>,
  compared: Omit<Comparison, keyof Scores>,
  { decision, by }: { decision: 'confirmed_fraud' | 'legitimate'; by: 1 | -1 },
): void {
  const { was_flagged, is_flagged } = compared
  decisions[decision] += by
  const kind = decision === 'confirmed_fraud' ? 'frauds' : 'legitimate'
  if (was_flagged) decisions[`${kind}_flagged_then`] += by
  if (is_flagged) decisions[`${kind}_flagged_now`] += by
  countAmount(amounts, compared, `${kind}_flagged`, by)
  if (decision !== 'confirmed_fraud' || was_flagged === is_flagged) return
  decisions[is_flagged ? 'frauds_gained' : 'frauds_lost'] += by
}

const emptyCompared = <Example>(): Compared<Example> => ({
  flagged_then: 0,
  flagged_now: 0,
  same_flag: 0,
  same_score: 0,
  newly_flagged: 0,
  no_longer_flagged: 0,
  newly_flagged_examples: [],
  no_longer_flagged_examples: [],
  decisions: {
    confirmed_fraud: 0,
    legitimate: 0,
    frauds_flagged_then: 0,
    frauds_flagged_now: 0,
    legitimate_flagged_then: 0,
    legitimate_flagged_now: 0,
    frauds_gained: 0,
    frauds_lost: 0,
  },
  amounts: [],
})

export const emptyReplay = (): Replay => ({
  orders: 0,
  ...emptyCompared(),
  checks: null,
  cashier_actions: null,
})

export const emptySubject = (): SubjectReplay => ({ compared: 0, ...emptyCompared() })

/** Rounded to four decimals; null when there is nothing to divide by. */
const share = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((10_000 * part) / whole) / 10_000

/** Adds rates. Precision and recall cover only what was decided in review. */
export const replayResult = ({ checks, cashier_actions, ...counted }: Replay): ReplayResult => ({
  ...withRates(counted, counted.orders),
  checks: checks && withRates(checks, checks.compared),
  cashier_actions: cashier_actions && withRates(cashier_actions, cashier_actions.compared),
})

function withRates<Counted extends Compared<unknown>>(
  { decisions, ...counted }: Counted,
  compared: number,
): Omit<Counted, 'decisions'> & Pick<ComparedResult<unknown>, 'decisions' | RateName> {
  const precision = (frauds: number, legitimate: number) => share(frauds, frauds + legitimate)
  const recall = (frauds: number) => share(frauds, decisions.confirmed_fraud)
  return {
    ...counted,
    amounts: counted.amounts.toSorted((a, b) => b.flagged_now_cents - a.flagged_now_cents),
    flag_rate_then: share(counted.flagged_then, compared),
    flag_rate_now: share(counted.flagged_now, compared),
    same_flag_rate: share(counted.same_flag, compared),
    same_score_rate: share(counted.same_score, compared),
    decisions: {
      ...decisions,
      precision_then: precision(decisions.frauds_flagged_then, decisions.legitimate_flagged_then),
      recall_then: recall(decisions.frauds_flagged_then),
      precision_now: precision(decisions.frauds_flagged_now, decisions.legitimate_flagged_now),
      recall_now: recall(decisions.frauds_flagged_now),
    },
  }
}

type RateName = 'flag_rate_then' | 'flag_rate_now' | 'same_flag_rate' | 'same_score_rate'
