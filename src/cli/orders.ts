/** `vigil order explain`: the reasons for the score of an order, and the decisions about it. */
import { pick } from '../app/core.ts'
import { createScoring } from '../app/scoring.ts'
import { type ExplainedOrder, findExplainedOrders } from '../modules/orders/index.ts'
import { calibrationText, shownAdjustment, shownShadow } from '../modules/reasons/index.ts'
import type { Mode } from '../platform/owner.ts'
import { requireOrganization, withAccountsOf } from './command.ts'
import { CommandError, type Io, type Options, type Output } from './io.ts'

type ExplainOptions = Options & { org?: string; mode?: Mode }

export const explainOrder = async (
  io: Io,
  { org, mode }: ExplainOptions,
  id = '',
): Promise<Output> =>
  await withAccountsOf(io, org, async (accounts, core) => {
    const { db } = core
    if (org !== undefined) await requireOrganization(accounts, org)
    const found = await findExplainedOrders(db, id, { org_id: org, mode })
    const [explained, ...others] = found
    if (!explained) throw new CommandError(`Order ${id} does not exist`)
    if (others.length > 0) {
      const problem = `Several orders have the id ${id}. Select one with --org and --mode.`
      throw new CommandError(problem)
    }
    const { rules_learner } = createScoring(core, accounts)
    const { order } = explained
    const step = await rules_learner.calibration(order, order.risk.risk_score)
    const experience = step === undefined ? null : calibrationText(step)
    return {
      json: { ...jsonOf(explained), experience },
      lines: linesOf(explained, experience),
    }
  })

function jsonOf({ order, signals, is_of_new_organization, decisions }: ExplainedOrder): object {
  return {
    order_id: order.id,
    external_order_id: order.request.external_order_id,
    ...pick(order, 'org_id', 'mode', 'profile_id', 'ordered_at', 'created_at'),
    ...pick(order.risk, 'risk_score', 'risk_level', 'flags', 'flagged_for_review'),
    is_of_new_organization,
    signals,
    adjustments: order.adjustments.map(shownAdjustment),
    shadows: order.shadows.map(shownShadow),
    decisions,
  }
}

function linesOf(
  { order, signals, is_of_new_organization, decisions }: ExplainedOrder,
  experience: string | null,
): string[] {
  const { id, request, org_id, mode, ordered_at, created_at, risk } = order
  const { risk_score, risk_level, flags, flagged_for_review } = risk
  const lines = [
    `Order ${request.external_order_id} (${id}), created ${created_at.toISOString()} (organization ${org_id}, ${mode})`,
    `Ordered at ${ordered_at.toISOString()}`,
    `Score ${risk_score}, ${risk_level}${flagged_for_review ? ', flagged for review' : ''}; flags: ${flags.join(', ') || 'none'}`,
  ]
  if (experience !== null) lines.push(experience)
  if (is_of_new_organization) {
    const place = `Order ${order.seq} of its organization`
    lines.push(`${place}: too few orders for statistics alone to flag one`)
  }
  for (const { signal, strength, weight, points, sentence, numbers } of signals) {
    if (points === 0) continue
    lines.push('', `${signal}: +${points}, strength ${strength}, weight ${weight}`)
    if (sentence !== null) lines.push(`  ${sentence}`)
    const details = Object.entries(numbers).map(([name, value]) => `${name} ${value}`)
    if (details.length > 0) lines.push(`  Details: ${details.join(', ')}`)
  }
  for (const adjustment of order.adjustments) lines.push('', shownAdjustment(adjustment).sentence)
  for (const shadow of order.shadows) lines.push('', shownShadow(shadow).sentence)
  const silent = signals.filter(({ points }) => points === 0)
  if (silent.length > 0) {
    lines.push('', `No points from: ${silent.map(({ signal }) => signal).join(', ')}`)
  }
  if (decisions.length > 0) lines.push('', 'Decisions:')
  for (const { decision, decided_at, decided_by, note } of decisions) {
    const reason = note === null ? '' : `: ${note}`
    lines.push(`  ${decided_at.toISOString()}  ${decision} by ${decided_by}${reason}`)
  }
  return lines
}
