/** `vigil key`: creates, lists, rolls and revokes API keys. */
import type { KeyRecord } from '../modules/keys/index.ts'
import type { KeyType } from '../modules/keys/tables.ts'
import { requireOrganization, withAccounts } from './command.ts'
import { CommandError, type Io, type Options, type Output } from './io.ts'

type OrgOptions = Options & { org: string }
type KeyOptions = OrgOptions & { key: string }

export const createKey = async (
  io: Io,
  { org, type }: OrgOptions & { type: KeyType },
): Promise<Output> =>
  await withAccounts(io, async ({ keys }) => {
    const created = await keys.create(org, type)
    if (!created) throw new CommandError(`Organization ${org} does not exist`)
    return { json: created, lines: [`Key ${created.key_id} (shown once): ${created.key}`] }
  })

export const listKeys = async (io: Io, { org }: OrgOptions): Promise<Output> =>
  await withAccounts(io, async (accounts) => {
    const keys = await accounts.keys.list(org)
    if (keys.length === 0) await requireOrganization(accounts, org)
    return { json: { keys }, lines: keys.map(lineOf) }
  })

export const rollKey = async (io: Io, { org, key: keyId }: KeyOptions): Promise<Output> =>
  await withAccounts(io, async ({ keys }) => {
    const created = await keys.roll(org, keyId)
    if (!created) throw new CommandError(`Organization ${org} has no active key ${keyId}`)
    return { json: created, lines: [`Key ${created.key_id} (shown once): ${created.key}`] }
  })

export const revokeKey = async (io: Io, { org, key: keyId }: KeyOptions): Promise<Output> =>
  await withAccounts(io, async ({ keys }) => {
    const isRevoked = await keys.revoke(org, keyId)
    if (!isRevoked) throw new CommandError(`Organization ${org} has no key ${keyId}`)
    return { json: { key_id: keyId, revoked: true }, lines: [`Key ${keyId} is revoked`] }
  })

function lineOf({ key_id, type, key_hint, created_at, ...end }: KeyRecord): string {
  const created = created_at.toISOString().slice(0, 'YYYY-MM-DD'.length)
  return [key_id, type, key_hint, created, stateOf(end)].join('  ')
}

function stateOf({ revoked_at, replaced_by }: Pick<KeyRecord, 'revoked_at' | 'replaced_by'>) {
  if (replaced_by !== null) return `replaced by ${replaced_by}`
  return revoked_at === null ? 'active' : 'revoked'
}
