/** `vigil order explain`: why an order got its score, and what was decided about it. */
import type { Command } from 'commander'
import { type ExplainedOrder, findExplainedOrders, numbersText } from '../modules/orders/index.ts'
import type { Mode } from '../platform/postgres/tables/platform.ts'
import { answering, CommandError, type Io, type Options, withServices } from './command.ts'
import { MODES, oneOf } from './options.ts'

type ExplainOptions = Options & { org?: string; mode?: Mode }

export function orderCommands(program: Command, io: Io): void {
  const order = program.command('order').description('look into orders')
  answering<ExplainOptions>(
    order
      .command('explain')
      .description(
        'print each signal of an order, the numbers behind it, its weight and its share of the score',
      )
      .argument('<id>', 'id of an order, or an external_order_id')
      .option('--org <org_id>', 'organisation that the order belongs to')
      .addOption(oneOf('--mode <mode>', MODES, 'mode of the order')),
    io,
    ({ org, mode }, id = '') =>
      withServices(io, async ({ stores, services: { accounts } }) => {
        if (org !== undefined && !(await accounts.findOrganization(org))) {
          throw new CommandError(`There is no organisation ${org}`)
        }
        const found = await findExplainedOrders(stores.db, id, { org_id: org, mode })
        const [explained, ...others] = found
        if (!explained) throw new CommandError(`There is no order ${id}`)
        if (others.length > 0) {
          throw new CommandError(
            `Several orders have the id ${id}. Name one with --org and --mode.`,
          )
        }
        return { json: jsonOf(explained), lines: linesOf(explained) }
      }),
  )
}

function jsonOf({ order, signals, is_of_new_organization, decisions }: ExplainedOrder): object {
  const { id, request, org_id, mode, profile_id, ordered_at, created_at, risk } = order
  const { risk_score, risk_level, flags, flagged_for_review } = risk
  return {
    order_id: id,
    external_order_id: request.external_order_id,
    org_id,
    mode,
    profile_id,
    ordered_at,
    created_at,
    risk_score,
    risk_level,
    flags,
    flagged_for_review,
    is_of_new_organization,
    signals,
    decisions,
  }
}

function linesOf({ order, signals, is_of_new_organization, decisions }: ExplainedOrder): string[] {
  const { id, request, org_id, mode, ordered_at, created_at, risk } = order
  const { risk_score, risk_level, flags, flagged_for_review } = risk
  const lines = [
    `Order ${request.external_order_id} (${id}) of ${created_at.toISOString()} (organisation ${org_id}, ${mode})`,
    `Ordered at ${ordered_at.toISOString()}`,
    `Score ${risk_score}, ${risk_level}${flagged_for_review ? ', flagged for review' : ''}; flags: ${flags.join(', ') || 'none'}`,
  ]
  if (is_of_new_organization) {
    lines.push(`Order ${order.seq} of its organisation: statistics alone flag nothing so early`)
  }
  for (const { signal, strength, weight, share, sentence } of signals) {
    if (strength === 0) continue
    const percent = Math.round(share * 100)
    lines.push('', `${signal}: strength ${strength}, weight ${weight}, ${percent} % of the score`)
    if (sentence !== null) lines.push(`  ${sentence}`)
  }
  const silent = signals.filter(({ strength }) => strength === 0)
  if (silent.length > 0) lines.push('', 'Counted nothing:')
  for (const { signal, weight, numbers } of silent) {
    const known = numbersText(numbers)
    lines.push(`  ${signal} (weight ${weight})${known === '' ? '' : `: ${known}`}`)
  }
  if (decisions.length > 0) lines.push('', 'Decisions:')
  for (const { decision, decided_at, decided_by, note } of decisions) {
    lines.push(
      `  ${decided_at.toISOString()}  ${decision} by ${decided_by}${note === null ? '' : `: ${note}`}`,
    )
  }
  return lines
}
