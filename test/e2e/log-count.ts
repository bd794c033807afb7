/** Counts the logs that can be found, as the owner of the first organization. */
import { request } from './load.ts'
import { type Ready, type RunOptions, runJson } from './program.ts'

type Page = { pagination: { total: number } }

/** @returns an access token of the owner */
export async function tokenOf({ first_run }: Ready, options: RunOptions): Promise<string> {
  const args = ['token', '--email', first_run?.email ?? '']
  const { access_token } = await runJson<{ access_token: string }>(args, options)
  return access_token
}

/** @returns reads the number of logs; undefined while they cannot be read */
export const createLogCount =
  (url: string, orgId: string, token: string) => async (): Promise<number | undefined> => {
    const path = `${url}/edge/logs?org_id=${orgId}&limit=1`
    const page = await request<Page>(path, { authorization: `Bearer ${token}` })
    return page?.pagination.total
  }
