/** The API of the installation that `vigil login` has signed in to. */
import { type Api, createApi } from '../configuration/api.ts'
import type { Io } from '../io.ts'
import { findLogin } from './login-file.ts'

/**
 * @param org by default the organization of the sign-in
 * @returns undefined without a sign-in, when commands work on the machine of the service
 */
export function remoteApi(io: Io, org?: string): Api | undefined {
  const login = findLogin(io)
  return login && createApi({ ...login, org_id: org ?? login.org_id })
}
