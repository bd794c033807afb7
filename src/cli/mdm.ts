/** `vigil mdm`: the connection of device management to a Google Cloud project. */
import { resolve } from 'node:path'
import { pick } from '../app/core.ts'
import {
  addressesOf,
  type Connection,
  createAndroidManagement,
  createConnection,
  type FleetStatus,
  readFleetStatus,
} from '../modules/mdm/index.ts'
import { createAccessTokens } from '../platform/google/access-token.ts'
import {
  isFault,
  readServiceAccount,
  type ServiceAccount,
} from '../platform/google/service-account.ts'
import { type Context, databasesOf, withStores } from './command.ts'
import { CommandError, type Io, type Options, type Output } from './io.ts'
import { type Prepared, stepLines } from './mdm-steps.ts'
import { readKeyFile } from './options.ts'
import { findTrialUrl, isOffered } from './trial-emulator.ts'

type ConnectOptions = Options & { key: string; forgetTrial?: boolean }

const PROOF_SCOPES = ['https://www.googleapis.com/auth/androidmanagement']

export async function connectProject(
  io: Io,
  { key, forgetTrial = false }: ConnectOptions,
): Promise<Output> {
  const account = readKey(resolve(io.working_folder, key))
  return await withStores(io, (context) => connect(context, account, forgetTrial))
}

export const showStatus = async (io: Io, _options: Options): Promise<Output> =>
  await withStores(io, status)

export const disconnectProject = async (io: Io, _options: Options): Promise<Output> =>
  await withStores(io, async (context) => {
    const disconnected = await connectionOf(context).remove()
    const lines = disconnected
      ? ['Disconnected. Devices keep their policies; pending changes and commands wait.']
      : ['Device management is not connected']
    return { json: { disconnected }, lines }
  })

const connectionOf = ({ config, stores }: Context, db = stores.db): Connection =>
  createConnection({
    ...pick(stores, 'directory', 'sealer', 'clock', 'log'),
    db,
    android_management_url: config.android_management_url,
    deadline_ms: config.android_deadline_ms,
  })

function readKey(file: string): ServiceAccount {
  const account = readServiceAccount(readKeyFile(file))
  if (isFault(account)) throw new CommandError(`Cannot use the key ${file}: ${account.fault}`)
  return account
}

async function connect(
  context: Context,
  account: ServiceAccount,
  isTrialForgotten: boolean,
): Promise<Output> {
  // Enterprises of other projects can be in any cell.
  const connections = (await databasesOf(context.stores)).map((db) => connectionOf(context, db))
  const { project_id, client_email } = account
  const foreignOf = async () =>
    (await Promise.all(connections.map((each) => each.foreignTo(project_id)))).flat()
  const foreign = await foreignOf()
  if (foreign.length > 0 && !isTrialForgotten) throw new CommandError(outOfReach(foreign))
  await prove(context, account)
  const prepared = await prepare(context, account)
  for (const connection of connections) {
    const isStored = await connection.store(account, { deletes_foreign: isTrialForgotten })
    if (!isStored) throw new CommandError(outOfReach(await foreignOf()))
  }
  const forgotten = foreign.reduce((sum, { enterprises }) => sum + enterprises, 0)
  return {
    json: { project_id, client_email, forgotten_enterprises: forgotten, ...prepared },
    lines: [
      `Connected to project ${project_id} as ${client_email}`,
      ...(forgotten > 0 ? [`Deleted ${forgotten} enterprises of other projects`] : []),
      ...stepLines(prepared),
    ],
  }
}

function outOfReach(foreign: Awaited<ReturnType<Connection['foreignTo']>>): string {
  const projects = foreign.map((one) => `${one.enterprises} of project ${one.project_id}`)
  return `This project cannot manage the existing enterprises: ${projects.join(', ')}. Use --forget-trial to delete them and their devices; policies, groups and the audit log stay.`
}

/** @throws CommandError when Google rejects the key */
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
  const { reason, detail = reason } = answer
  const hint = ' Check that the key was not deleted and that the clock is right.'
  throw new CommandError(`Google rejected this key: ${detail}.${reason === 'refused' ? hint : ''}`)
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

async function status(context: Context): Promise<Output> {
  const { config, stores } = context
  const connection = await connectionOf(context).stored()
  const emulator =
    config.android_management_url ??
    (isOffered(config) && !connection ? findTrialUrl(stores.data_dir) : undefined)
  const { directory } = stores
  const fleets: FleetStatus[] = []
  for (const db of await databasesOf(stores)) fleets.push(await readFleetStatus({ directory, db }))
  const fleet = sumOf(fleets)
  const json = { connection: connection ?? null, emulator: emulator ?? null, ...fleet }
  return { json, lines: [...connectionLines(connection, emulator), ...fleetLines(fleet)] }
}

/** The fleets of all cells together. Pauses belong to the directory, so they are the same in each. */
function sumOf(fleets: readonly FleetStatus[]): FleetStatus {
  const [first, ...others] = fleets
  if (!first) throw new Error('an installation has at least one cell')
  return others.reduce<FleetStatus>(
    (sum, each) => ({
      enterprises: sum.enterprises + each.enterprises,
      devices: sum.devices + each.devices,
      last_notification_at: latest(sum.last_notification_at, each.last_notification_at),
      backlog: [...sum.backlog, ...each.backlog],
      pauses: sum.pauses,
    }),
    first,
  )
}

const latest = (one: Date | null, other: Date | null): Date | null =>
  one !== null && (other === null || one > other) ? one : other

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
  return at.length > 0 ? at : ['Not connected to Google. Run `vigil mdm connect` to connect']
}

function fleetLines(fleet: FleetStatus): string[] {
  const { enterprises, devices, last_notification_at, backlog, pauses } = fleet
  return [
    `${enterprises} enterprises, ${devices} devices`,
    `Last notification ${last_notification_at?.toISOString() ?? 'never'}`,
    ...(backlog.length === 0 ? ['No pending requests'] : []),
    ...backlog.map(
      ({ kind, waiting, failing, oldest_at }) =>
        `Pending ${kind}: ${waiting}, of which ${failing} are retries; oldest from ${oldest_at.toISOString()}`,
    ),
    ...pauses.map(
      ({ class: of, paused_until }) =>
        `Rate limited by Google: ${of} requests are paused until ${paused_until.toISOString()}`,
    ),
  ]
}
