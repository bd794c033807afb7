/**
 * The user that commands act as: that of a token, of `vigil login`, or an owner on the machine of the service.
 */
import { readConfig } from '../../config.ts'
import { requireOrganization, withAccounts } from '../command.ts'
import { readInputFile } from '../input-file.ts'
import { CommandError, type Io } from '../io.ts'
import { remoteApi } from '../remote/api.ts'
import { type Api, createApi } from './api.ts'

export type SessionOptions = { org?: string; url?: string; tokenFile?: string }

export async function withApi<T>(
  io: Io,
  { org: named, url, tokenFile }: SessionOptions,
  run: (api: Api) => Promise<T>,
): Promise<T> {
  const remote = url === undefined && tokenFile === undefined ? remoteApi(io, named) : undefined
  if (remote) return await run(remote)
  const org = requireOrg(named)
  if (tokenFile !== undefined) {
    return await run(
      createApi({
        url: url ?? localUrl(io),
        org_id: org,
        token: readInputFile(io, tokenFile).trim(),
      }),
    )
  }
  const address = url ?? localUrl(io)
  return await withAccounts(io, async ({ accounts }) => {
    await requireOrganization({ accounts }, org)
    const owner = (await accounts.listMembers(org)).find(({ role }) => role === 'owner')
    const tokens = owner && (await accounts.issueTokens(owner.user_id))
    if (!tokens) throw new CommandError(`Organization ${org} has no owner`)
    try {
      return await run(createApi({ url: address, org_id: org, token: tokens.access_token }))
    } finally {
      await accounts.signOut(tokens.refresh_token)
    }
  })
}

/** @throws CommandError */
export function requireOrg(org: string | undefined): string {
  if (org === undefined)
    throw new CommandError('Name the organization with --org, or use vigil login')
  return org
}

const localUrl = ({ environment }: Io): string => `http://127.0.0.1:${readConfig(environment).port}`
