/** `vigil push credential`: the keys of FCM and APNs, none of which is ever shown. */
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { createPushCredentials, type Upload } from '../../modules/push/index.ts'
import { reasonOf } from '../../platform/operator-error.ts'
import { PUSH_PROVIDERS, type PushProvider } from '../../platform/postgres/tables/push.ts'
import { answering, CommandError, type Io, withStores } from '../command.ts'
import { oneOf } from '../options.ts'
import {
  credentialLines,
  noApplication,
  type OfApplication,
  ofApplication,
  said,
} from './shared.ts'

type KeyOptions = { fcm?: string; apns?: string; keyId?: string; teamId?: string }

export function credentialCommands(push: Command, io: Io): void {
  const credential = push.command('credential').description('manage keys of FCM and APNs')
  setCommand(credential, io)
  listCommand(credential, io)
  removeCommand(credential, io)
}

function setCommand(credential: Command, io: Io): void {
  answering<OfApplication & KeyOptions>(
    ofApplication(
      credential.command('set').description('store a key, in place of the one there is'),
    )
      .option('--fcm <file>', 'JSON file of a service account, as Google gives it out')
      .option('--apns <file>', '.p8 file, as Apple gives it out')
      .option('--key-id <id>', 'Key ID of the .p8 file')
      .option('--team-id <id>', 'Team ID of the .p8 file'),
    io,
    async ({ org, application, ...options }) => {
      const upload = uploadOf(options, io.working_folder)
      return await withStores(io, async ({ stores }) => {
        const request = { org_id: org, application_id: application, ...upload }
        const stored = await said(createPushCredentials(stores).set(request))
        if (!stored) throw noApplication(org, application)
        return { json: stored, lines: credentialLines(stored) }
      })
    },
  )
}

function listCommand(credential: Command, io: Io): void {
  answering<OfApplication>(
    ofApplication(credential.command('list').description('list keys, without the keys themselves')),
    io,
    async ({ org, application }) =>
      await withStores(io, async ({ stores }) => {
        const credentials = await createPushCredentials(stores).list(org, application)
        if (!credentials) throw noApplication(org, application)
        return { json: { credentials }, lines: credentials.flatMap(credentialLines) }
      }),
  )
}

function removeCommand(credential: Command, io: Io): void {
  answering<OfApplication & { provider: PushProvider }>(
    ofApplication(
      credential.command('remove').description('delete a key; nothing is sent with it any more'),
    ).addOption(oneOf('--provider <name>', PUSH_PROVIDERS, 'provider').makeOptionMandatory()),
    io,
    async ({ org, application, provider }) =>
      await withStores(io, async ({ stores }) => {
        const credentials = createPushCredentials(stores)
        if (!(await credentials.remove(org, application, provider))) {
          const isThere = (await credentials.list(org, application)) !== undefined
          if (!isThere) throw noApplication(org, application)
          throw new CommandError(`Application ${application} has no key of ${provider}`)
        }
        const json = { application_id: application, provider, removed: true }
        return { json, lines: [`The key of ${provider} is deleted`] }
      }),
  )
}

const KEY_FILE_MAX_BYTES = 65_536

function uploadOf(
  { fcm, apns, keyId, teamId }: KeyOptions,
  folder: string,
): Upload & { provider: PushProvider } {
  if ((fcm === undefined) === (apns === undefined)) {
    throw new CommandError('--fcm or --apns is required, and not both')
  }
  if (fcm !== undefined) {
    return { provider: 'fcm', service_account: readKeyFile(resolve(folder, fcm)) }
  }
  const key = readKeyFile(resolve(folder, apns ?? ''))
  return { provider: 'apns', key, key_id: keyId, team_id: teamId }
}

function readKeyFile(file: string): string {
  try {
    if (statSync(file).size > KEY_FILE_MAX_BYTES) throw new CommandError('it is far too large')
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new CommandError(`The key ${file} cannot be used: ${reasonOf(cause)}`, { cause })
  }
}
