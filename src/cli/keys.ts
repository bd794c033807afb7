/** `vigil key`: creates, lists, rolls and revokes API keys. */
import type { CreatedKey, KeyRecord } from '../modules/keys/index.ts'
import type { KeyType } from '../modules/keys/tables.ts'
import { requireOrganization, withAccounts } from './command.ts'
import { requireOrg } from './configuration/session.ts'
import { CommandError, type Io, type Options, type Output } from './io.ts'
import { remoteApi } from './remote/api.ts'

type OrgOptions = Options & { org?: string }
type KeyOptions = OrgOptions & { key: string }

const PATH = '/console/api/keys'

export async function createKey(
  io: Io,
  { org: named, type }: OrgOptions & { type: KeyType },
): Promise<Output> {
  const api = remoteApi(io, named)
  if (api) return createdOutput(await api.send<CreatedKey>('POST', PATH, { type }))
  const org = requireOrg(named)
  return await withAccounts(io, async ({ keys }) => {
    const created = await keys.create(org, type)
    if (!created) throw new CommandError(`Organization ${org} does not exist`)
    return createdOutput(created)
  })
}

export async function listKeys(io: Io, { org: named }: OrgOptions): Promise<Output> {
  const output = (keys: Listed[]) => ({ json: { keys }, lines: keys.map(lineOf) })
  const api = remoteApi(io, named)
  if (api) return output(await api.get<Listed[]>(PATH))
  const org = requireOrg(named)
  return await withAccounts(io, async (accounts) => {
    const keys = await accounts.keys.list(org)
    if (keys.length === 0) await requireOrganization(accounts, org)
    return output(keys)
  })
}

export async function rollKey(io: Io, { org: named, key: key_id }: KeyOptions): Promise<Output> {
  const api = remoteApi(io, named)
  if (api) return createdOutput(await api.send<CreatedKey>('POST', `${PATH}/roll`, { key_id }))
  const org = requireOrg(named)
  return await withAccounts(io, async ({ keys }) => {
    const created = await keys.roll(org, key_id)
    if (!created) throw new CommandError(`Organization ${org} has no active key ${key_id}`)
    return createdOutput(created)
  })
}

export async function revokeKey(io: Io, { org: named, key: key_id }: KeyOptions): Promise<Output> {
  const done = { json: { key_id, revoked: true }, lines: [`Key ${key_id} is revoked`] }
  const api = remoteApi(io, named)
  if (api) {
    await api.send('POST', `${PATH}/revoke`, { key_id })
    return done
  }
  const org = requireOrg(named)
  return await withAccounts(io, async ({ keys }) => {
    const isRevoked = await keys.revoke(org, key_id)
    if (!isRevoked) throw new CommandError(`Organization ${org} has no key ${key_id}`)
    return done
  })
}

const createdOutput = (created: CreatedKey): Output => ({
  json: created,
  lines: [`Key ${created.key_id} (shown once): ${created.key}`],
})

type Listed = Pick<KeyRecord, 'key_id' | 'type' | 'key_hint' | 'replaced_by'> & {
  created_at: Date | string
  revoked_at: Date | string | null
}

function lineOf({ key_id, type, key_hint, created_at, ...end }: Listed): string {
  const created = new Date(created_at).toISOString().slice(0, 'YYYY-MM-DD'.length)
  return [key_id, type, key_hint, created, stateOf(end)].join('  ')
}

function stateOf({ revoked_at, replaced_by }: Pick<Listed, 'revoked_at' | 'replaced_by'>) {
  if (replaced_by !== null) return `replaced by ${replaced_by}`
  return revoked_at === null ? 'active' : 'revoked'
}
