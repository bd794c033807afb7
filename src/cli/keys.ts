/** `vigil key`: make, list, roll and revoke API keys. */
import type { Command } from 'commander'
import type { KeyRecord } from '../modules/keys/index.ts'
import { KEY_TYPES, type KeyType } from '../platform/postgres/tables/accounts.ts'
import { answering, CommandError, type Io, type Options, withServices } from './command.ts'
import { oneOf } from './options.ts'

type OfOrg = Options & { org: string }
type OfKey = OfOrg & { key: string }

export function keyCommands(program: Command, io: Io): void {
  const key = program.command('key').description('manage API keys')
  const ofOrg = (command: Command) =>
    command.requiredOption('--org <org_id>', 'organisation that the key belongs to')
  const ofKey = (command: Command) =>
    ofOrg(command).requiredOption('--key <key_id>', 'id of the key')

  answering<OfOrg & { type: KeyType }>(
    ofOrg(key.command('create').description('create a key; it is shown once')).addOption(
      oneOf('--type <type>', KEY_TYPES, 'type').makeOptionMandatory(),
    ),
    io,
    ({ org, type }) =>
      withServices(io, async ({ services }) => {
        const created = await services.keys.create(org, type)
        if (!created) throw new CommandError(`There is no organisation ${org}`)
        return { json: created, lines: [`Key ${created.key_id} (shown once): ${created.key}`] }
      }),
  )
  answering<OfOrg>(
    ofOrg(key.command('list').description('list keys, without the keys themselves')),
    io,
    ({ org }) =>
      withServices(io, async ({ services }) => {
        const keys = await services.keys.list(org)
        if (keys.length === 0 && !(await services.accounts.findOrganization(org))) {
          throw new CommandError(`There is no organisation ${org}`)
        }
        return {
          json: { keys },
          lines: keys.map(lineOf),
        }
      }),
  )
  answering<OfKey>(
    ofKey(key.command('roll').description('replace a key; the old one stops at once')),
    io,
    ({ org, key: keyId }) =>
      withServices(io, async ({ services }) => {
        const created = await services.keys.roll(org, keyId)
        if (!created) throw new CommandError(`Organisation ${org} has no active key ${keyId}`)
        return { json: created, lines: [`Key ${created.key_id} (shown once): ${created.key}`] }
      }),
  )
  answering<OfKey>(
    ofKey(key.command('revoke').description('revoke a key without replacement')),
    io,
    ({ org, key: keyId }) =>
      withServices(io, async ({ services }) => {
        const isRevoked = await services.keys.revoke(org, keyId)
        if (!isRevoked) throw new CommandError(`Organisation ${org} has no key ${keyId}`)
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
