/** `vigil rules`: shows, applies and rolls back the order rules of an organization. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { createScoring, type Scoring } from '../app/scoring.ts'
import {
  type ApplyResult,
  type OrderParameters,
  type RulesApplied,
  type RulesShown,
  readOrderParameters,
} from '../modules/orders/index.ts'
import { reasonOf } from '../platform/operator-error.ts'
import type { Mode, Owner } from '../platform/owner.ts'
import {
  CommandError,
  type Io,
  type Options,
  type Output,
  requireOrganization,
  setAction,
  withAccounts,
} from './command.ts'
import { checkNote, MODES, oneOf } from './options.ts'

type RulesOptions = Options & { org: string; mode: Mode; note?: string }

const VERSIONS_SHOWN = 20

export function rulesCommands(program: Command, io: Io): void {
  const rules = program.command('rules').description('manage the order rules of an organization')
  const withOwnerOptions = (command: Command) =>
    command
      .requiredOption('--org <org_id>', 'id of the organization')
      .addOption(oneOf('--mode <mode>', MODES, 'mode of the rules').default('live'))

  setAction<RulesOptions>(
    withOwnerOptions(
      rules.command('show').description('show the active rules and earlier versions'),
    ),
    io,
    async ({ org, mode }) =>
      await withRules(io, org, async ({ order_rules }, org_id) => {
        const owner = { org_id, mode }
        const { sections, ...shown } = await order_rules.show(owner)
        const versions = await order_rules.listVersions(owner, { limit: VERSIONS_SHOWN })
        return { json: { ...shown, versions }, lines: shownLines({ sections, ...shown }, versions) }
      }),
  )
  setAction<RulesOptions>(
    withOwnerOptions(rules.command('apply').description('apply new rules'))
      .argument('<file>', 'JSON file with the rules that differ from the defaults')
      .option('--note <text>', 'note to store with the version'),
    io,
    async (options, file = '') => {
      const parameters = readRules(io.working_folder, file)
      return await change(io, options, (active, owner, by) => active.apply(owner, parameters, by))
    },
  )
  setAction<RulesOptions>(
    withOwnerOptions(rules.command('rollback').description('apply an earlier version again'))
      .argument('<version>', 'number of the version; 0 for the defaults')
      .option('--note <text>', 'note to store with the version'),
    io,
    async (options, text = '') => {
      if (!/^\d{1,9}$/.test(text)) throw new CommandError(`${text} is not a version number`)
      return await change(io, options, (active, owner, by) =>
        active.rollBack(owner, Number(text), by),
      )
    },
  )
}

async function withRules(
  io: Io,
  orgId: string,
  run: (scoring: Scoring, orgId: string) => Promise<Output>,
): Promise<Output> {
  return await withAccounts(io, async (accounts, core) => {
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
    const result = await run(order_rules, owner, { base_version, note: note ?? null, by: 'cli' })
    if ('refused' in result) throw new CommandError(REFUSALS[result.refused])
    return { json: result, lines: appliedLines(result) }
  })
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
