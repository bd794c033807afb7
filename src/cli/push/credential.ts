/** `vigil push credential`: the keys for FCM and APNs, which are never shown. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Upload } from '../../modules/push/index.ts'
import { PUSH_PROVIDERS, type PushProvider } from '../../modules/push/tables.ts'
import { CommandError, type Io, setAction } from '../command.ts'
import { oneOf, readKeyFile } from '../options.ts'
import {
  type ApplicationOptions,
  asCommandError,
  credentialLines,
  noApplication,
  withApplicationOption,
  withPush,
} from './push-command.ts'

type KeyOptions = { fcm?: string; apns?: string; keyId?: string; teamId?: string }

export function credentialCommands(push: Command, io: Io): void {
  const credential = push.command('credential').description('manage credentials for FCM and APNs')
  setCommand(credential, io)
  listCommand(credential, io)
  removeCommand(credential, io)
}

function setCommand(credential: Command, io: Io): void {
  setAction<ApplicationOptions & KeyOptions>(
    withApplicationOption(
      credential.command('set').description('store a credential, replacing an existing one'),
    )
      .option('--fcm <file>', 'JSON key file of a service account, as downloaded from Google')
      .option('--apns <file>', '.p8 key file, as downloaded from Apple')
      .option('--key-id <id>', 'Key ID of the .p8 file')
      .option('--team-id <id>', 'Team ID of the .p8 file'),
    io,
    async ({ org, application, ...options }) => {
      const upload = uploadOf(options, io.working_folder)
      return await withPush(io, async ({ credentials }) => {
        const request = { org_id: org, application_id: application, ...upload }
        const stored = await asCommandError(credentials.set(request))
        if (!stored) throw noApplication(org, application)
        return { json: stored, lines: credentialLines(stored) }
      })
    },
  )
}

function listCommand(credential: Command, io: Io): void {
  setAction<ApplicationOptions>(
    withApplicationOption(
      credential.command('list').description('list credentials without their keys'),
    ),
    io,
    async ({ org, application }) =>
      await withPush(io, async ({ credentials }) => {
        const listed = await credentials.list(org, application)
        if (!listed) throw noApplication(org, application)
        return { json: { credentials: listed }, lines: listed.flatMap(credentialLines) }
      }),
  )
}

function removeCommand(credential: Command, io: Io): void {
  setAction<ApplicationOptions & { provider: PushProvider }>(
    withApplicationOption(
      credential.command('remove').description('delete a credential'),
    ).addOption(oneOf('--provider <name>', PUSH_PROVIDERS, 'provider').makeOptionMandatory()),
    io,
    async ({ org, application, provider }) =>
      await withPush(io, async ({ credentials }) => {
        if (!(await credentials.remove(org, application, provider))) {
          const exists = (await credentials.list(org, application)) !== undefined
          if (!exists) throw noApplication(org, application)
          throw new CommandError(`Application ${application} has no credential for ${provider}`)
        }
        const json = { application_id: application, provider, removed: true }
        return { json, lines: [`Credential for ${provider} deleted`] }
      }),
  )
}

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
