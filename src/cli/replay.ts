/** `vigil replay`: scores history again, with the current rules or with a draft. */
import { createScoring } from '../app/scoring.ts'
import {
  type AmountsByCurrency,
  type ComparedResult,
  listOrderOwners,
  type ReplayExample,
  type ReplayResult,
  replayResult,
  type SubjectExample,
  type SubjectResult,
} from '../modules/orders/index.ts'
import type { Mode } from '../platform/owner.ts'
import { requireOrganization, withAccountsOf } from './command.ts'
import { CommandError, type Io, type Options, type Output } from './io.ts'
import { readRules } from './rules.ts'

type ReplayOptions = Options & { from: Date; to: Date; org?: string; mode: Mode; rules?: string }

export async function replayOrders(
  io: Io,
  { from, to, org, mode, rules }: ReplayOptions,
): Promise<Output> {
  if (from >= to) throw new CommandError('--from must be before --to')
  const tried = rules === undefined ? undefined : readRules(io.working_folder, rules)
  return await withAccountsOf(io, org, async (accounts, core) => {
    if (org !== undefined) await requireOrganization(accounts, org)
    const { orders, rules_replays } = createScoring(core, accounts)
    const all = org === undefined ? await listOrderOwners(core.db, mode) : []
    const result = await orders.replay({
      owners: org === undefined ? all : [{ org_id: org, mode }],
      from,
      to,
      ...tried,
      onProgress: ({ orders: read, until }) =>
        io.stderr(`${read} orders, up to ${until.toISOString()}`),
    })
    const shown = replayResult(result)
    if (org !== undefined && tried !== undefined) {
      const request = { ...tried, from, to, by: 'cli' }
      await rules_replays.record({ org_id: org, mode }, request, shown)
    }
    return { json: shown, lines: linesOf(shown) }
  })
}

const WARM_UP =
  'Warm-up            all orders before --from, which teach what is usual and are not compared'

function linesOf(result: ReplayResult): string[] {
  const { orders, checks, cashier_actions } = result
  return [
    ...(orders === 0
      ? ['No orders in this period']
      : [`Orders compared    ${orders}`, WARM_UP, ...comparedLines(result, lineOf)]),
    ...subjectLines('Checks compared    ', checks),
    ...subjectLines('Actions compared   ', cashier_actions),
  ]
}

const subjectLines = (title: string, result: SubjectResult | null): string[] =>
  result === null ? [] : ['', `${title}${result.compared}`, ...comparedLines(result, lineOfSubject)]

function comparedLines<Example>(
  result: ComparedResult<Example>,
  exampleLine: (example: Example) => string,
): string[] {
  const { decisions } = result
  const { confirmed_fraud, legitimate, frauds_gained, frauds_lost } = decisions
  const lines = [
    `Flagged for review ${result.flagged_then} then (${percent(result.flag_rate_then)}), ${result.flagged_now} now (${percent(result.flag_rate_now)})`,
    `Same flag          ${percent(result.same_flag_rate)}`,
    `Same score         ${percent(result.same_score_rate)}`,
    `Newly flagged      ${result.newly_flagged}`,
    ...result.newly_flagged_examples.map(exampleLine),
    `No longer flagged  ${result.no_longer_flagged}`,
    ...result.no_longer_flagged_examples.map(exampleLine),
    ...result.amounts.flatMap(amountLines),
  ]
  if (confirmed_fraud + legitimate === 0) return [...lines, 'Decisions          none']
  return [
    ...lines,
    `Decisions          ${confirmed_fraud} confirmed frauds, ${legitimate} legitimate`,
    `Precision          ${percent(decisions.precision_then)} then, ${percent(decisions.precision_now)} now`,
    `Recall             ${percent(decisions.recall_then)} then, ${percent(decisions.recall_now)} now`,
    `Confirmed frauds   ${frauds_gained} gained, ${frauds_lost} lost`,
  ]
}

function amountLines(sums: AmountsByCurrency): string[] {
  const line = (title: string, then: number, now: number) =>
    then + now === 0
      ? []
      : [`${title.padEnd(18)} ${amount(then)} then, ${amount(now)} now (${sums.currency})`]
  return [
    ...line('Amount flagged', sums.flagged_then_cents, sums.flagged_now_cents),
    ...line('Of frauds', sums.frauds_flagged_then_cents, sums.frauds_flagged_now_cents),
    ...line('Of legitimate', sums.legitimate_flagged_then_cents, sums.legitimate_flagged_now_cents),
  ]
}

const amount = (cents: number): string => (cents / 100).toFixed(2)

const percent = (part: number | null): string =>
  part === null ? '–' : `${Math.round(part * 10_000) / 100} %`

const lineOf = ({ order_id, external_order_id, ...rest }: ReplayExample): string =>
  `  ${order_id}  ${external_order_id}  ${rest.score_then} → ${rest.score_now}  ${rest.reason}`

const lineOfSubject = ({ id, external_id, ...rest }: SubjectExample): string =>
  `  ${id}  ${external_id}  ${rest.score_then} → ${rest.score_now}  ${rest.reason}`
