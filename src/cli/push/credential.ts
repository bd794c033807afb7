/** `vigil push credential`: the keys for FCM and APNs, which are never shown. */
import { resolve } from 'node:path'
import type { Upload } from '../../modules/push/index.ts'
import type { PushProvider } from '../../modules/push/tables.ts'
import { CommandError, type Io, type Output } from '../io.ts'
import { readKeyFile } from '../options.ts'
import {
  type ApplicationOptions,
  asCommandError,
  credentialLines,
  noApplication,
  withPush,
} from './push-command.ts'

type KeyOptions = { fcm?: string; apns?: string; keyId?: string; teamId?: string }

export async function setCredential(
  io: Io,
  { org, application, ...options }: ApplicationOptions & KeyOptions,
): Promise<Output> {
  const upload = uploadOf(options, io.working_folder)
  return await withPush(io, org, async ({ credentials }) => {
    const request = { org_id: org, application_id: application, ...upload }
    const stored = await asCommandError(credentials.set(request))
    if (!stored) throw noApplication(org, application)
    return { json: stored, lines: credentialLines(stored) }
  })
}

export const listCredentials = async (
  io: Io,
  { org, application }: ApplicationOptions,
): Promise<Output> =>
  await withPush(io, org, async ({ credentials }) => {
    const listed = await credentials.list(org, application)
    if (!listed) throw noApplication(org, application)
    return { json: { credentials: listed }, lines: listed.flatMap(credentialLines) }
  })

export const removeCredential = async (
  io: Io,
  { org, application, provider }: ApplicationOptions & { provider: PushProvider },
): Promise<Output> =>
  await withPush(io, org, async ({ credentials }) => {
    if (!(await credentials.remove(org, application, provider))) {
      const exists = (await credentials.list(org, application)) !== undefined
      if (!exists) throw noApplication(org, application)
      throw new CommandError(`Application ${application} has no credential for ${provider}`)
    }
    const json = { application_id: application, provider, removed: true }
    return { json, lines: [`Credential for ${provider} deleted`] }
  })

function uploadOf(
  { fcm, apns, keyId, teamId }: KeyOptions,
  folder: string,
): Upload & { provider: PushProvider } {
  if ((fcm === undefined) === (apns === undefined)) {
    throw new CommandError('Either --fcm or --apns is required')
  }
  if (fcm !== undefined) {
    return { provider: 'fcm', service_account: readKeyFile(resolve(folder, fcm)) }
  }
  const key = readKeyFile(resolve(folder, apns ?? ''))
  return { provider: 'apns', key, key_id: keyId, team_id: teamId }
}
