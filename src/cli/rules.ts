/** `vigil rules`: shows, checks, applies and rolls back the rules of an organization. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createScoring, type Scoring } from '../app/scoring.ts'
import {
  type CustomRule,
  type CustomRuleChange,
  CustomRuleFault,
  examineCustomRules,
  readCustomRules,
} from '../modules/custom-rules/index.ts'
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
import { CommandError, confirm, type Io, type Options, type Output } from './io.ts'
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
  options: RulesOptions & { learned?: boolean; yes?: boolean },
  file?: string,
): Promise<Output> {
  if ((options.learned ?? false) === (file !== undefined)) {
    throw new CommandError('Name either a file or --learned')
  }
  if (file === undefined) return await applyLearned(io, options)
  const { parameters, custom_rules } = readRules(io.working_folder, file)
  return await change(io, options, async (active, owner, by, { rules_replays }) => {
    const draft = { parameters, custom_rules }
    if (options.yes !== true && !(await rules_replays.isReplayed(owner, draft))) {
      await confirm(io, UNREPLAYED)
    }
    return await active.apply(owner, parameters, { ...by, custom_rules })
  })
}

const UNREPLAYED =
  'No replay shows what these rules change: run vigil replay with --org and --rules first. Apply them without a replay?'

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

export type RulesFile = {
  parameters: OrderParameters
  /** Undefined if the file has none: those of the active version remain. */
  custom_rules: CustomRule[] | undefined
}

/** @throws CommandError when the file cannot be read or is not a set of rules */
export function readRules(folder: string, file: string): RulesFile {
  const json = readJson(folder, file)
  try {
    const { custom_rules, ...numbers } = json
    return {
      parameters: readOrderParameters(numbers),
      custom_rules: custom_rules === undefined ? undefined : readCustomRules(custom_rules),
    }
  } catch (cause) {
    const place = cause instanceof CustomRuleFault ? `${cause.path}: ` : ''
    throw new CommandError(`Cannot use the rules ${file}: ${place}${reasonOf(cause)}`, { cause })
  }
}

function readJson(folder: string, file: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(readFileSync(resolve(folder, file), 'utf8'))
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return { ...json }
  } catch (cause) {
    throw new CommandError(`Cannot use the rules ${file}: ${reasonOf(cause)}`, { cause })
  }
  throw new CommandError(`Cannot use the rules ${file}: The rules must be an object`)
}

/** Lists the custom rules of the active version. */
export const listRules = async (io: Io, { org, mode }: RulesOptions): Promise<Output> =>
  await withRules(io, org, async ({ order_rules }, org_id) => {
    const { custom_rules } = await order_rules.show({ org_id, mode })
    const lines = custom_rules.flatMap((rule) => [lineOfRule(rule), `  ${rule.when}`])
    return { json: { custom_rules }, lines: lines.length === 0 ? ['No custom rules'] : lines }
  })

/** Checks the custom rules of a file, without a database. */
export async function lintRules(io: Io, _options: Options, file = ''): Promise<Output> {
  const { custom_rules = [] } = readJson(io.working_folder, file)
  const { rules, faults } = examineCustomRules(custom_rules)
  if (faults.length > 0) throw new CommandError(faults.map(lineOfFault).join('\n'))
  const lines = [`${rules.length} custom ${rules.length === 1 ? 'rule is' : 'rules are'} valid`]
  return await Promise.resolve({ json: { custom_rules: rules }, lines })
}

function lineOfFault({ path, place, message }: CustomRuleFault): string {
  const at = place === undefined ? '' : `, character ${place.start + 1}`
  return `${path}${at}: ${message}`
}

const EFFECTS: Readonly<Record<CustomRule['effect'], (value: number) => string>> = {
  points: (value) => `${value < 0 ? '' : '+'}${value} points`,
  floor: (value) => `score at least ${value}`,
  cap: (value) => `score at most ${value}`,
  review: () => 'review',
  alert: () => 'alert',
}

const lineOfRule = ({ name, state, applies_to, effect, value, warning }: CustomRule): string =>
  `${state.padEnd(6)}  ${applies_to}  ${name}  ${EFFECTS[effect](value)}${warning === '' ? '' : `  (${warning})`}`

type Rules = Scoring['order_rules']
type By = Parameters<Rules['apply']>[2]

async function change(
  io: Io,
  { org, mode, note }: RulesOptions,
  run: (rules: Rules, owner: Owner, by: By, scoring: Scoring) => Promise<ApplyResult>,
): Promise<Output> {
  return await withRules(io, org, async (scoring, org_id) => {
    const { order_rules } = scoring
    const owner = { org_id, mode }
    const { version: base_version } = await order_rules.show(owner)
    checkNote(note)
    const by = { base_version, note: note ?? null, by: 'cli' } as const
    return outputOf(await run(order_rules, owner, by, scoring))
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

const customLine = ({ name, change: kind }: CustomRuleChange): string => `  rule ${kind}: ${name}`

const appliedLines = ({ version, changes, custom_changes }: RulesApplied): string[] => [
  `Version ${version} is active`,
  ...changes.map(({ section, name, from, to }) => `  ${section}.${name}  ${from} → ${to}`),
  ...custom_changes.map(customLine),
]

function shownLines(
  { version, sections, custom_rules }: Pick<RulesShown, 'version' | 'sections' | 'custom_rules'>,
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
    ...(version > 0 && changed.length + custom_rules.length === 0
      ? ['  same as the defaults']
      : changed),
    ...custom_rules.map((rule) => `  ${lineOfRule(rule)}`),
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
