/** `vigil replay`: what other rules would have made of the orders that are stored. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import {
  DEFAULT_ORDER_PARAMETERS,
  listOrderOwners,
  type OrderParameters,
  type Replay,
  type ReplayExample,
  readOrderParameters,
} from '../modules/orders/index.ts'
import { reasonOf } from '../platform/operator-error.ts'
import type { Mode } from '../platform/postgres/tables/platform.ts'
import { answering, CommandError, type Io, type Options, withServices } from './command.ts'
import { instant, MODES, oneOf } from './options.ts'

type ReplayOptions = Options & {
  from: Date
  to: Date
  org?: string
  mode: Mode
  rules?: string
}

export function replayCommand(program: Command, io: Io): void {
  answering<ReplayOptions>(
    program
      .command('replay')
      .description('score stored orders again, with today’s rules or a draft, and compare')
      .requiredOption('--from <time>', 'compare orders that arrived from then on', instant)
      .requiredOption('--to <time>', 'compare orders that arrived before', instant)
      .option('--org <org_id>', 'only of this organisation')
      .addOption(oneOf('--mode <mode>', MODES, 'mode').default('live'))
      .option('--rules <file>', 'JSON file with the rules that are to be other than today'),
    io,
    async ({ from, to, org, mode, rules }) => {
      if (from >= to) throw new CommandError('--from must be before --to')
      const parameters =
        rules === undefined ? DEFAULT_ORDER_PARAMETERS : readRules(io.working_folder, rules)
      return await withServices(io, async ({ stores, services: { accounts, orders } }) => {
        if (org !== undefined && !(await accounts.findOrganization(org))) {
          throw new CommandError(`There is no organisation ${org}`)
        }
        const all = org === undefined ? await listOrderOwners(stores.db, mode) : []
        const result = await orders.replay({
          owners: org === undefined ? all : [{ org_id: org, mode }],
          from,
          to,
          parameters,
          onProgress: (read, until) => io.stderr(`${read} orders, up to ${until.toISOString()}`),
        })
        return { json: jsonOf(result), lines: linesOf(result) }
      })
    },
  )
}

function readRules(folder: string, file: string): OrderParameters {
  try {
    return readOrderParameters(JSON.parse(readFileSync(resolve(folder, file), 'utf8')))
  } catch (cause) {
    throw new CommandError(`The rules ${file} cannot be used: ${reasonOf(cause)}`, { cause })
  }
}

/** Null where there is nothing to divide by. */
const share = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((10_000 * part) / whole) / 10_000

function rates({ decisions, ...counted }: Replay) {
  const at = (frauds: number, legitimate: number) => ({
    precision: share(frauds, frauds + legitimate),
    recall: share(frauds, decisions.confirmed_fraud),
  })
  return {
    flag_rate_then: share(counted.flagged_then, counted.orders),
    flag_rate_now: share(counted.flagged_now, counted.orders),
    same_flag_rate: share(counted.same_flag, counted.orders),
    same_score_rate: share(counted.same_score, counted.orders),
    old_rules: at(decisions.frauds_flagged_then, decisions.legitimate_flagged_then),
    new_rules: at(decisions.frauds_flagged_now, decisions.legitimate_flagged_now),
  }
}

function jsonOf(result: Replay): object {
  const { old_rules, new_rules, ...shares } = rates(result)
  const decisions = {
    ...result.decisions,
    precision_then: old_rules.precision,
    recall_then: old_rules.recall,
    precision_now: new_rules.precision,
    recall_now: new_rules.recall,
  }
  return { ...result, ...shares, decisions }
}

function linesOf(result: Replay): string[] {
  const { orders, decisions } = result
  if (orders === 0) return ['There are no orders in that time']
  const { old_rules, new_rules, ...shares } = rates(result)
  const { confirmed_fraud, legitimate, frauds_gained, frauds_lost } = decisions
  const lines = [
    `Orders compared    ${orders}`,
    `Flagged for review ${result.flagged_then} then (${percent(shares.flag_rate_then)}), ${result.flagged_now} now (${percent(shares.flag_rate_now)})`,
    `Same flag          ${percent(shares.same_flag_rate)}`,
    `Same score         ${percent(shares.same_score_rate)}`,
    `Newly flagged      ${result.newly_flagged}`,
    ...result.newly_flagged_examples.map(lineOf),
    `No longer flagged  ${result.no_longer_flagged}`,
    ...result.no_longer_flagged_examples.map(lineOf),
  ]
  if (confirmed_fraud + legitimate === 0) return [...lines, 'Decisions          none']
  return [
    ...lines,
    `Decisions          ${confirmed_fraud} confirmed frauds, ${legitimate} legitimate`,
    `Precision          ${percent(old_rules.precision)} then, ${percent(new_rules.precision)} now`,
    `Recall             ${percent(old_rules.recall)} then, ${percent(new_rules.recall)} now`,
    `Confirmed frauds   ${frauds_gained} gained, ${frauds_lost} lost`,
  ]
}

const percent = (part: number | null): string =>
  part === null ? '–' : `${Math.round(part * 10_000) / 100} %`

const lineOf = ({
  order_id,
  external_order_id,
  score_then,
  score_now,
  reason,
}: ReplayExample): string =>
  `  ${order_id}  ${external_order_id}  ${score_then} → ${score_now}  ${reason}`
