/** `vigil mdm`: which Google Cloud project devices are managed through, and how that goes. */
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Config } from '../config.ts'
import {
  addressesOf,
  type Connection,
  createAndroidManagement,
  createConnection,
  readStanding,
  type Standing,
} from '../modules/mdm/index.ts'
import { createAccessTokens } from '../platform/google/access-token.ts'
import {
  isFault,
  readServiceAccount,
  type ServiceAccount,
} from '../platform/google/service-account.ts'
import { reasonOf } from '../platform/operator-error.ts'
import type { Stores } from '../stores.ts'
import {
  type Answer,
  answering,
  CommandError,
  type Io,
  type Options,
  withStores,
} from './command.ts'
import { type Prepared, stepLines } from './mdm-steps.ts'
import { findTrialUrl, isOffered } from './trial-emulator.ts'

type ConnectOptions = Options & { key: string; forgetTrial?: boolean }

const KEY_FILE_MAX_BYTES = 65_536
const PROOF_SCOPES = ['https://www.googleapis.com/auth/androidmanagement']

export function mdmCommands(program: Command, io: Io): void {
  const mdm = program.command('mdm').description('management of Android devices')
  answering<ConnectOptions>(
    mdm
      .command('connect')
      .description('manage devices through a Google Cloud project, by the key of a service account')
      .requiredOption('--key <file>', 'JSON file of the key, as Google gives it out')
      .option('--forget-trial', 'forget enterprises of another project, with their devices'),
    io,
    async ({ key, forgetTrial = false }) => {
      const account = readKey(resolve(io.working_folder, key))
      return await withStores(
        io,
        async (context) => await connect(context, account, { is_trial_forgotten: forgetTrial }),
      )
    },
  )
  answering<Options>(
    mdm.command('status').description('print what devices are managed through, and what waits'),
    io,
    async () => await withStores(io, status),
  )
  answering<Options>(
    mdm.command('disconnect').description('forget the key; nothing is sent to Google any more'),
    io,
    async () =>
      await withStores(io, async (context) => {
        const disconnected = await connectionOf(context).remove()
        const lines = disconnected
          ? ['Disconnected. Devices keep their policies; what is asked of them waits.']
          : ['Device management was not connected']
        return { json: { disconnected }, lines }
      }),
  )
}

type Context = { config: Config; stores: Stores }

const connectionOf = ({ config, stores }: Context): Connection =>
  createConnection({
    ...stores,
    android_management_url: config.android_management_url,
    deadline_ms: config.android_deadline_ms,
  })

function readKey(file: string): ServiceAccount {
  try {
    if (statSync(file).size > KEY_FILE_MAX_BYTES) throw new CommandError('it is far too large')
    const account = readServiceAccount(readFileSync(file, 'utf8'))
    if (isFault(account)) throw new CommandError(account.fault)
    return account
  } catch (cause) {
    throw new CommandError(`The key ${file} cannot be used: ${reasonOf(cause)}`, { cause })
  }
}

async function connect(
  context: Context,
  account: ServiceAccount,
  { is_trial_forgotten }: { is_trial_forgotten: boolean },
): Promise<Answer> {
  const connection = connectionOf(context)
  const { project_id, client_email } = account
  const foreign = await connection.foreignTo(project_id)
  if (foreign.length > 0 && !is_trial_forgotten) throw new CommandError(outOfReach(foreign))
  await prove(context, account)
  const prepared = await prepare(context, account)
  const isStored = await connection.store(account, { forgets_foreign: is_trial_forgotten })
  if (!isStored) throw new CommandError(outOfReach(await connection.foreignTo(project_id)))
  const forgotten = foreign.reduce((sum, { enterprises }) => sum + enterprises, 0)
  return {
    json: { project_id, client_email, forgotten_enterprises: forgotten, ...prepared },
    lines: [
      `Connected to project ${project_id} as ${client_email}`,
      ...(forgotten > 0 ? [`Forgot ${forgotten} enterprises of other projects`] : []),
      ...stepLines(prepared),
    ],
  }
}

function outOfReach(foreign: Awaited<ReturnType<Connection['foreignTo']>>): string {
  const told = foreign.map(({ enterprises, project_id: of }) => `${enterprises} of project ${of}`)
  return `There are enterprises that this project cannot manage: ${told.join(', ')}. With --forget-trial they and their devices are forgotten; policies, groups and the audit log stay.`
}

/** @throws CommandError when Google does not take the key */
async function prove({ config, stores }: Context, account: ServiceAccount): Promise<void> {
  const { token_url } = addressesOf(config.android_management_url)
  const answer = await createAccessTokens({
    account,
    token_url,
    scopes: PROOF_SCOPES,
    now: () => stores.clock.now(),
    timeout_ms: config.android_deadline_ms,
  }).token()
  if (answer.known) return
  const said = answer.detail ?? answer.reason
  const hint = answer.reason === 'refused' ? ' Was the key deleted, or is the clock wrong?' : ''
  throw new CommandError(`Google gives no access for this key: ${said}.${hint}`)
}

async function prepare({ config, stores }: Context, account: ServiceAccount): Promise<Prepared> {
  const provider = createAndroidManagement({
    connection: () => Promise.resolve({ account, ...addressesOf(config.android_management_url) }),
    topic: config.android_topic,
    subscription: config.android_subscription,
    is_pushed: config.android_push_audience !== undefined,
    deadline_ms: config.android_deadline_ms,
    now: () => stores.clock.now(),
  })
  const answer = await provider.prepareNotifications()
  if (!answer.ok) throw new CommandError(answer.fault.message)
  const { names, faults, ...steps } = answer.value
  return { ...names, steps, faults: faults.map(({ message }) => message) }
}

async function status(context: Context): Promise<Answer> {
  const { config, stores } = context
  const connection = await connectionOf(context).stored()
  const emulator =
    config.android_management_url ??
    (isOffered(config) && !connection ? findTrialUrl(stores.data_dir) : undefined)
  const standing = await readStanding(stores.db)
  const json = { connection: connection ?? null, emulator: emulator ?? null, ...standing }
  return { json, lines: [...connectionLines(connection, emulator), ...standingLines(standing)] }
}

function connectionLines(
  connection: Awaited<ReturnType<Connection['stored']>>,
  emulator: string | undefined,
): string[] {
  const at = emulator === undefined ? [] : [`Emulator at ${emulator}`]
  if (connection) {
    const { project_id, client_email, private_key_id, connected_at } = connection
    return [
      `Project ${project_id}, connected at ${connected_at.toISOString()}`,
      `Account ${client_email}, key ${private_key_id}`,
      ...at,
    ]
  }
  return at.length > 0 ? at : ['Not connected to Google; `vigil mdm connect` connects it']
}

function standingLines(standing: Standing): string[] {
  const { enterprises, devices, last_notification_at, backlog, pauses } = standing
  return [
    `${enterprises} enterprises, ${devices} devices`,
    `Last notification ${last_notification_at?.toISOString() ?? 'never'}`,
    ...(backlog.length === 0 ? ['Nothing waits to be sent'] : []),
    ...backlog.map(
      ({ kind, waiting, failing, oldest_at }) =>
        `Waiting ${kind}: ${waiting}, of which ${failing} were tried before; since ${oldest_at.toISOString()}`,
    ),
    ...pauses.map(
      ({ class: of, paused_until }) =>
        `Paused by Google: requests of class ${of}, until ${paused_until.toISOString()}`,
    ),
  ]
}
