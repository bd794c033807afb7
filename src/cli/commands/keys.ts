/** `vigil key`: creates, lists, rolls and revokes API keys. */
import type { Command } from 'commander'
import { KEY_TYPES } from '../../modules/keys/tables.ts'
import { type Io, setAction } from '../io.ts'
import { oneOf } from '../options.ts'

const load = () => import('../keys.ts')

export function keyCommands(program: Command, io: Io): void {
  const key = program.command('key').description('manage API keys')
  setAction(
    withOrgOption(
      key.command('create').description('create a key, which is shown only once'),
    ).addOption(oneOf('--type <type>', KEY_TYPES, 'type of the key').makeOptionMandatory()),
    io,
    async () => (await load()).createKey,
  )
  setAction(
    withOrgOption(key.command('list').description('list keys without their secrets')),
    io,
    async () => (await load()).listKeys,
  )
  setAction(
    withKeyOption(
      key.command('roll').description('replace a key; the old key stops working immediately'),
    ),
    io,
    async () => (await load()).rollKey,
  )
  setAction(
    withKeyOption(key.command('revoke').description('revoke a key without replacement')),
    io,
    async () => (await load()).revokeKey,
  )
}

const withOrgOption = (command: Command): Command =>
  command.option(
    '--org <org_id>',
    'id of the organization that the key belongs to (default: that of vigil login)',
  )

const withKeyOption = (command: Command): Command =>
  withOrgOption(command).requiredOption('--key <key_id>', 'id of the key')
