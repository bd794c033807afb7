/** `vigil check explain`: the reasons for the score of a check. */
import { type ExplainedCheck, findExplainedCheck } from '../modules/checks/index.ts'
import { shownAdjustment, shownShadow } from '../modules/reasons/index.ts'
import { isUuid } from '../platform/ids.ts'
import { databasesOf, withStores } from './command.ts'
import { CommandError, type Io, type Options, type Output } from './io.ts'

export const explainCheck = async (io: Io, _options: Options, id = ''): Promise<Output> =>
  await withStores(io, async ({ stores }) => {
    let found: ExplainedCheck | undefined
    for (const db of isUuid(id) ? await databasesOf(stores) : []) {
      found ??= await findExplainedCheck(db, id)
    }
    if (!found) throw new CommandError(`Check ${id} does not exist`)
    return { json: jsonOf(found), lines: linesOf(found) }
  })

function jsonOf({ result, explanation, ...rest }: ExplainedCheck): object {
  const { check_id, risk_score, risk_level } = result
  return { check_id, risk_score, risk_level, ...explanation, ...rest }
}

function linesOf({ result, explanation, org_id, mode, created_at }: ExplainedCheck): string[] {
  const { shares, evidence, hard_floor } = explanation
  const lines = [
    `Check ${result.check_id}, created ${created_at.toISOString()} (organization ${org_id}, ${mode})`,
    `Score ${result.risk_score}, ${result.risk_level}`,
  ]
  if (hard_floor > 0 && !explanation.adjustments) {
    lines.push(`At least ${hard_floor}, because the address cannot receive mail`)
  }
  for (const { signal, strength, weight, share } of shares) {
    const percent = Math.round(share * 100)
    lines.push('', `${signal}: strength ${strength}, weight ${weight}, ${percent} % of the score`)
    for (const { score, finding, detail } of evidence.filter((item) => item.signal === signal)) {
      lines.push(`  ${String(score).padStart(3)}  ${finding}: ${detail}`)
    }
  }
  for (const adjustment of explanation.adjustments ?? []) {
    lines.push('', shownAdjustment(adjustment).sentence)
  }
  for (const shadow of explanation.shadows ?? []) lines.push('', shownShadow(shadow).sentence)
  const silent = evidence.filter(({ signal }) => !shares.some((part) => part.signal === signal))
  if (silent.length > 0) lines.push('', 'No effect on the score:')
  for (const { finding, detail } of silent) lines.push(`       ${finding}: ${detail}`)
  return lines
}
