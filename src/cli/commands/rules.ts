/** `vigil rules`: shows, checks, applies and rolls back the rules of an organization. */
import type { Command } from 'commander'
import { type Io, setAction } from '../io.ts'
import { MODES, oneOf } from '../options.ts'

const load = () => import('../rules.ts')

export function rulesCommands(program: Command, io: Io): void {
  const rules = program.command('rules').description('manage the rules of an organization')
  setAction(
    withOwnerOptions(
      rules.command('show').description('show the active rules and earlier versions'),
    ),
    io,
    async () => (await load()).showRules,
  )
  setAction(
    withOwnerOptions(rules.command('list').description('list the custom rules')),
    io,
    async () => (await load()).listRules,
  )
  setAction(
    rules
      .command('lint')
      .description('check the custom rules of a file, without applying them')
      .argument('<file>', 'JSON file with custom_rules'),
    io,
    async () => (await load()).lintRules,
  )
  setAction(
    withOwnerOptions(
      rules.command('learn').description('learn weights of the signals from decisions now'),
    ).addOption(
      oneOf(
        '--automatic <on|off>',
        ['on', 'off'],
        'whether better weights are applied automatically',
      ),
    ),
    io,
    async () => (await load()).learnRules,
  )
  setAction(
    withOwnerOptions(rules.command('apply').description('apply new rules'))
      .argument(
        '[file]',
        'JSON file with custom_rules and the numbers that differ from the defaults',
      )
      .option('--learned', 'apply the weights that were learned from decisions')
      .option('--note <text>', 'note to store with the version')
      .option('--yes', 'apply rules that no replay has shown, without a question'),
    io,
    async () => (await load()).applyRules,
  )
  setAction(
    withOwnerOptions(rules.command('rollback').description('apply an earlier version again'))
      .argument('<version>', 'number of the version; 0 for the defaults')
      .option('--note <text>', 'note to store with the version'),
    io,
    async () => (await load()).rollBackRules,
  )
}

const withOwnerOptions = (command: Command): Command =>
  command
    .requiredOption('--org <org_id>', 'id of the organization')
    .addOption(oneOf('--mode <mode>', MODES, 'mode of the rules').default('live'))
