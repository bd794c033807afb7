/** `vigil key`: creates, lists, rolls and revokes API keys. */
import type { Command } from 'commander'
import type { KeyRecord } from '../modules/keys/index.ts'
import { KEY_TYPES, type KeyType } from '../modules/keys/tables.ts'
import {
  CommandError,
  type Io,
  type Options,
  requireOrganization,
  setAction,
  withAccounts,
} from './command.ts'
import { oneOf } from './options.ts'

type OrgOptions = Options & { org: string }
type KeyOptions = OrgOptions & { key: string }

export function keyCommands(program: Command, io: Io): void {
  const key = program.command('key').description('manage API keys')
  const withOrgOption = (command: Command) =>
    command.requiredOption('--org <org_id>', 'id of the organization that the key belongs to')
  const withKeyOption = (command: Command) =>
    withOrgOption(command).requiredOption('--key <key_id>', 'id of the key')

  setAction<OrgOptions & { type: KeyType }>(
    withOrgOption(
      key.command('create').description('create a key, which is shown only once'),
    ).addOption(oneOf('--type <type>', KEY_TYPES, 'type of the key').makeOptionMandatory()),
    io,
    ({ org, type }) =>
      withAccounts(io, async ({ keys }) => {
        const created = await keys.create(org, type)
        if (!created) throw new CommandError(`Organization ${org} does not exist`)
        return { json: created, lines: [`Key ${created.key_id} (shown once): ${created.key}`] }
      }),
  )
  setAction<OrgOptions>(
    withOrgOption(key.command('list').description('list keys without their secrets')),
    io,
    ({ org }) =>
      withAccounts(io, async (accounts) => {
        const keys = await accounts.keys.list(org)
        if (keys.length === 0) await requireOrganization(accounts, org)
        return { json: { keys }, lines: keys.map(lineOf) }
      }),
  )
  setAction<KeyOptions>(
    withKeyOption(
      key.command('roll').description('replace a key; the old key stops working immediately'),
    ),
    io,
    ({ org, key: keyId }) =>
      withAccounts(io, async ({ keys }) => {
        const created = await keys.roll(org, keyId)
        if (!created) throw new CommandError(`Organization ${org} has no active key ${keyId}`)
        return { json: created, lines: [`Key ${created.key_id} (shown once): ${created.key}`] }
      }),
  )
  setAction<KeyOptions>(
    withKeyOption(key.command('revoke').description('revoke a key without replacement')),
    io,
    ({ org, key: keyId }) =>
      withAccounts(io, async ({ keys }) => {
        const isRevoked = await keys.revoke(org, keyId)
        if (!isRevoked) throw new CommandError(`Organization ${org} has no key ${keyId}`)
        return { json: { key_id: keyId, revoked: true }, lines: [`Key ${keyId} is revoked`] }
      }),
  )
}

function lineOf({ key_id, type, key_hint, created_at, ...end }: KeyRecord): string {
  const created = created_at.toISOString().slice(0, 'YYYY-MM-DD'.length)
  return [key_id, type, key_hint, created, stateOf(end)].join('  ')
}

function stateOf({ revoked_at, replaced_by }: Pick<KeyRecord, 'revoked_at' | 'replaced_by'>) {
  if (replaced_by !== null) return `replaced by ${replaced_by}`
  return revoked_at === null ? 'active' : 'revoked'
}
