/** `vigil rules`: the rules of orders that an organisation has in force, and other ones for it. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Services } from '../app.ts'
import {
  type ApplyResult,
  type OrderParameters,
  type RulesApplied,
  type RulesShown,
  readOrderParameters,
} from '../modules/orders/index.ts'
import { reasonOf } from '../platform/operator-error.ts'
import type { Mode } from '../platform/postgres/tables/platform.ts'
import {
  type Answer,
  answering,
  CommandError,
  type Io,
  type Options,
  withServices,
} from './command.ts'
import { MODES, oneOf } from './options.ts'

type RulesOptions = Options & { org: string; mode: Mode; note?: string }

const VERSIONS_SHOWN = 20
const NOTE_MAX_CHARS = 1000

export function rulesCommands(program: Command, io: Io): void {
  const rules = program.command('rules').description('the rules of orders, of one organisation')
  const of = (command: Command) =>
    command
      .requiredOption('--org <org_id>', 'organisation')
      .addOption(oneOf('--mode <mode>', MODES, 'mode').default('live'))

  answering<RulesOptions>(
    of(rules.command('show').description('print what is in force, and what was')),
    io,
    async ({ org, mode }) =>
      await withRules(io, org, async ({ order_rules }, org_id) => {
        const owner = { org_id, mode }
        const { sections, ...shown } = await order_rules.show(owner)
        const versions = await order_rules.listVersions(owner, { limit: VERSIONS_SHOWN })
        return { json: { ...shown, versions }, lines: shownLines({ sections, ...shown }, versions) }
      }),
  )
  answering<RulesOptions>(
    of(rules.command('apply').description('put other rules in force'))
      .argument('<file>', 'JSON file with the rules that are to be other than the defaults')
      .option('--note <text>', 'why, for those who look at it later'),
    io,
    async ({ org, mode, note }, file = '') => {
      const parameters = readRules(io.working_folder, file)
      return await withRules(io, org, async ({ order_rules }, org_id) => {
        const owner = { org_id, mode }
        const { version } = await order_rules.show(owner)
        const by = { base_version: version, note: noteOf(note), by: 'cli' }
        return answerOf(await order_rules.apply(owner, parameters, by))
      })
    },
  )
  answering<RulesOptions>(
    of(rules.command('rollback').description('put an earlier version in force again'))
      .argument('<version>', 'its number; 0 for the defaults')
      .option('--note <text>', 'why, for those who look at it later'),
    io,
    async ({ org, mode, note }, text = '') => {
      const version = /^\d{1,9}$/.test(text) ? Number(text) : undefined
      if (version === undefined) throw new CommandError(`${text} is not the number of a version`)
      return await withRules(io, org, async ({ order_rules }, org_id) => {
        const owner = { org_id, mode }
        const { version: base_version } = await order_rules.show(owner)
        const by = { base_version, note: noteOf(note), by: 'cli' }
        return answerOf(await order_rules.rollBack(owner, version, by))
      })
    },
  )
}

async function withRules(
  io: Io,
  orgId: string,
  run: (services: Services, orgId: string) => Promise<Answer>,
): Promise<Answer> {
  return await withServices(io, async ({ services }) => {
    const organization = await services.accounts.findOrganization(orgId)
    if (!organization) throw new CommandError(`There is no organisation ${orgId}`)
    return await run(services, organization.id)
  })
}

/** @throws CommandError saying what is wrong with the file */
export function readRules(folder: string, file: string): OrderParameters {
  try {
    return readOrderParameters(JSON.parse(readFileSync(resolve(folder, file), 'utf8')))
  } catch (cause) {
    throw new CommandError(`The rules ${file} cannot be used: ${reasonOf(cause)}`, { cause })
  }
}

function noteOf(note: string | undefined): string | null {
  if ((note?.length ?? 0) > NOTE_MAX_CHARS) {
    throw new CommandError(`--note may have at most ${NOTE_MAX_CHARS} characters`)
  }
  return note ?? null
}

function answerOf(result: ApplyResult): Answer {
  if ('refused' in result) throw new CommandError(REFUSALS[result.refused])
  return { json: result, lines: appliedLines(result) }
}

const REFUSALS = {
  base_version: 'Somebody else applied other rules at this moment; look at them, then try again',
  unchanged: 'These rules are in force already',
  version: 'That version was never in force before this one',
}

const appliedLines = ({ version, changes }: RulesApplied): string[] => [
  `Version ${version} is in force`,
  ...changes.map(({ section, name, from, to }) => `  ${section}.${name}  ${from} → ${to}`),
]

function shownLines(
  { version, sections }: Pick<RulesShown, 'version' | 'sections'>,
  versions: Awaited<ReturnType<Services['order_rules']['listVersions']>>,
): string[] {
  const other = sections.flatMap(({ section, parameters }) =>
    parameters
      .filter((parameter) => parameter.in_force !== parameter.default)
      .map(
        ({ name, in_force, default: usual }) =>
          `  ${section}.${name}  ${in_force} (default ${usual})`,
      ),
  )
  return [
    version === 0 ? 'The defaults are in force' : `Version ${version} is in force`,
    ...(version > 0 && other.length === 0 ? ['  as the defaults'] : other),
    ...versions.map(
      (one) =>
        `${one.version}  ${one.applied_at}  ${one.applied_by_email ?? one.applied_by}${
          one.rolled_back_to === null ? '' : `  rolled back to ${one.rolled_back_to}`
        }${one.note === null ? '' : `  ${one.note}`}`,
    ),
  ]
}
