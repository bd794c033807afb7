/** `vigil rules`: shows, applies and rolls back the order rules of an organization. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createScoring, type Scoring } from '../app/scoring.ts'
import {
  type ApplyResult,
  type OrderParameters,
  type RulesApplied,
  type RulesLearning,
  type RulesShown,
  readOrderParameters,
} from '../modules/orders/index.ts'
import { calibrationText } from '../modules/reasons/index.ts'
import { reasonOf } from '../platform/operator-error.ts'
import type { Mode, Owner } from '../platform/owner.ts'
import { requireOrganization, withAccountsOf } from './command.ts'
import { CommandError, type Io, type Options, type Output } from './io.ts'
import { checkNote } from './options.ts'

type RulesOptions = Options & { org: string; mode: Mode; note?: string }

const VERSIONS_SHOWN = 20

export const showRules = async (io: Io, { org, mode }: RulesOptions): Promise<Output> =>
  await withRules(io, org, async ({ order_rules, rules_learner }, org_id) => {
    const owner = { org_id, mode }
    const { sections, ...shown } = await order_rules.show(owner)
    const versions = await order_rules.listVersions(owner, { limit: VERSIONS_SHOWN })
    const learning = await rules_learner.show(owner)
    const lines = shownLines({ sections, ...shown }, versions)
    return {
      json: { ...shown, versions, learning },
      lines: learning.weights.length === 0 ? lines : [...lines, '', ...learningLines(learning)],
    }
  })

type LearnOptions = RulesOptions & { automatic?: 'on' | 'off' }

/** Learns from the decisions now, and sets whether better weights are applied automatically. */
export const learnRules = async (io: Io, { org, mode, automatic }: LearnOptions): Promise<Output> =>
  await withRules(io, org, async ({ rules_learner }, org_id) => {
    const owner = { org_id, mode }
    if (automatic !== undefined) {
      await rules_learner.setAutomatic(owner, automatic === 'on', 'cli')
    }
    const learning = await rules_learner.learn(owner)
    return { json: learning, lines: learningLines(learning) }
  })

export async function applyRules(
  io: Io,
  options: RulesOptions & { learned?: boolean },
  file?: string,
): Promise<Output> {
  if ((options.learned ?? false) === (file !== undefined)) {
    throw new CommandError('Name either a file or --learned')
  }
  if (file === undefined) return await applyLearned(io, options)
  const parameters = readRules(io.working_folder, file)
  return await change(io, options, (active, owner, by) => active.apply(owner, parameters, by))
}

export async function rollBackRules(io: Io, options: RulesOptions, text = ''): Promise<Output> {
  if (!/^\d{1,9}$/.test(text)) throw new CommandError(`${text} is not a version number`)
  return await change(io, options, (active, owner, by) => active.rollBack(owner, Number(text), by))
}

async function applyLearned(io: Io, { org, mode, note }: RulesOptions): Promise<Output> {
  return await withRules(io, org, async ({ rules_learner }, org_id) => {
    const owner = { org_id, mode }
    const { version: base_version } = await rules_learner.show(owner)
    checkNote(note)
    const by = { base_version, note: note ?? null, by: 'cli' }
    const result = await rules_learner.apply(owner, by)
    if (result === undefined) {
      throw new CommandError('No weights were learned. Run vigil rules learn to see why')
    }
    return outputOf(result)
  })
}

async function withRules(
  io: Io,
  orgId: string,
  run: (scoring: Scoring, orgId: string) => Promise<Output>,
): Promise<Output> {
  return await withAccountsOf(io, orgId, async (accounts, core) => {
    const { id } = await requireOrganization(accounts, orgId)
    return await run(createScoring(core, accounts), id)
  })
}

/** @throws CommandError when the file cannot be read or is not a set of rules */
export function readRules(folder: string, file: string): OrderParameters {
  try {
    return readOrderParameters(JSON.parse(readFileSync(resolve(folder, file), 'utf8')))
  } catch (cause) {
    throw new CommandError(`Cannot use the rules ${file}: ${reasonOf(cause)}`, { cause })
  }
}

type Rules = Scoring['order_rules']
type By = Parameters<Rules['apply']>[2]

async function change(
  io: Io,
  { org, mode, note }: RulesOptions,
  run: (rules: Rules, owner: Owner, by: By) => Promise<ApplyResult>,
): Promise<Output> {
  return await withRules(io, org, async ({ order_rules }, org_id) => {
    const owner = { org_id, mode }
    const { version: base_version } = await order_rules.show(owner)
    checkNote(note)
    return outputOf(await run(order_rules, owner, { base_version, note: note ?? null, by: 'cli' }))
  })
}

function outputOf(result: ApplyResult): Output {
  if ('refused' in result) throw new CommandError(REFUSALS[result.refused])
  return { json: result, lines: appliedLines(result) }
}

const REFUSALS = {
  base_version: 'Another user has just applied other rules. Review them, then try again',
  unchanged: 'These rules are already active',
  version: 'This version does not exist',
}

const appliedLines = ({ version, changes }: RulesApplied): string[] => [
  `Version ${version} is active`,
  ...changes.map(({ section, name, from, to }) => `  ${section}.${name}  ${from} → ${to}`),
]

function shownLines(
  { version, sections }: Pick<RulesShown, 'version' | 'sections'>,
  versions: Awaited<ReturnType<Rules['listVersions']>>,
): string[] {
  const changed = sections.flatMap(({ section, parameters }) =>
    parameters
      .filter((parameter) => parameter.active !== parameter.default)
      .map(
        ({ name, active, default: standard }) =>
          `  ${section}.${name}  ${active} (default ${standard})`,
      ),
  )
  return [
    version === 0 ? 'The defaults are active' : `Version ${version} is active`,
    ...(version > 0 && changed.length === 0 ? ['  same as the defaults'] : changed),
    ...versions.map(
      (one) =>
        `${one.version}  ${one.applied_at}  ${one.applied_by_email ?? one.applied_by}${
          one.rolled_back_to === null ? '' : `  rolled back to ${one.rolled_back_to}`
        }${one.note === null ? '' : `  ${one.note}`}`,
    ),
  ]
}

const OUTCOMES: Readonly<Record<RulesLearning['outcome'], string>> = {
  off: 'Learning is off (VIGIL_RULES_LEARN_FRAUDS=0)',
  none: 'Nothing was learned yet',
  too_few: 'Too few confirmed frauds to learn from',
  contradiction: 'Orders with higher scores were fraud less often, so nothing was learned',
  not_better: 'The learned weights are not better than the active ones',
  better: 'The learned weights are better than the active ones',
}

function learningLines(learning: RulesLearning): string[] {
  const { outcome, frauds, frauds_min, legitimate, automatic, weights, trial, calibration } =
    learning
  const lines = [
    OUTCOMES[outcome],
    `Learned from ${frauds} confirmed frauds (at least ${frauds_min}) and about ${legitimate} other orders`,
    `Applied ${automatic ? 'automatically when they are better' : 'by a person'}${learning.is_active ? '; active now' : ''}`,
  ]
  for (const { signal, shipped, active, learned } of weights) {
    lines.push(`  ${signal}  shipped ${shipped}, active ${active}, learned ${learned}`)
  }
  if (trial !== null) {
    lines.push(
      `Of the ${trial.frauds} frauds and about ${trial.legitimate} other orders since ${trial.from}, from which the trial did not learn:`,
      `  active   ${trial.active.frauds} frauds and ${trial.active.legitimate} others flagged`,
      `  learned  ${trial.learned.frauds} frauds and ${trial.learned.legitimate} others flagged`,
    )
  }
  return [...lines, ...calibration.map((step) => calibrationText(step))]
}
