/** `vigil rules`: shows, applies and rolls back the order rules of an organization. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
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
import { requireOrganization, withAccounts } from './command.ts'
import { CommandError, type Io, type Options, type Output } from './io.ts'
import { checkNote } from './options.ts'

type RulesOptions = Options & { org: string; mode: Mode; note?: string }

const VERSIONS_SHOWN = 20

export const showRules = async (io: Io, { org, mode }: RulesOptions): Promise<Output> =>
  await withRules(io, org, async ({ order_rules }, org_id) => {
    const owner = { org_id, mode }
    const { sections, ...shown } = await order_rules.show(owner)
    const versions = await order_rules.listVersions(owner, { limit: VERSIONS_SHOWN })
    return { json: { ...shown, versions }, lines: shownLines({ sections, ...shown }, versions) }
  })

export async function applyRules(io: Io, options: RulesOptions, file = ''): Promise<Output> {
  const parameters = readRules(io.working_folder, file)
  return await change(io, options, (active, owner, by) => active.apply(owner, parameters, by))
}

export async function rollBackRules(io: Io, options: RulesOptions, text = ''): Promise<Output> {
  if (!/^\d{1,9}$/.test(text)) throw new CommandError(`${text} is not a version number`)
  return await change(io, options, (active, owner, by) => active.rollBack(owner, Number(text), by))
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
