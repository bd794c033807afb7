/** `vigil push`: applications, and what notifications are sent to them with. */
import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { type Application, createApplications } from '../modules/applications/index.ts'
import {
  closeSenders,
  createCredentialKeeper,
  createPushConfigurations,
  createPushCredentials,
  createPushSenders,
  createTestSends,
  type ShownCredential,
  type Upload,
} from '../modules/push/index.ts'
import { AppError } from '../platform/http/errors.ts'
import { reasonOf } from '../platform/operator-error.ts'
import type { Mode } from '../platform/postgres/tables/platform.ts'
import { PUSH_PROVIDERS, type PushProvider } from '../platform/postgres/tables/push.ts'
import type { Stores } from '../stores.ts'
import {
  type Answer,
  answering,
  CommandError,
  type Io,
  type Options,
  withServices,
  withStores,
} from './command.ts'
import { MODES, oneOf } from './options.ts'

type OfOrg = Options & { org: string }
type OfApplication = OfOrg & { application: string }
type Context = { config: Config; stores: Stores }

/** The only authority that is trusted, in PEM, in place of the usual ones. */
type Trust = { ca?: string }

export function pushCommands(program: Command, io: Io, trust: Trust = {}): void {
  const push = program.command('push').description('mobile push: applications and credentials')
  applicationCommands(push, io)
  configureCommand(push, io)
  credentialCommands(push, io)
  testCommand(push, io, trust)
}

const ofOrg = (command: Command): Command =>
  command.requiredOption('--org <org_id>', 'organisation that the application belongs to')
const ofApplication = (command: Command): Command =>
  ofOrg(command).requiredOption('--application <id>', 'id of the application')

function applicationCommands(push: Command, io: Io): void {
  const application = push.command('application').description('manage applications')
  answering<OfOrg & { name: string; environment: Mode }>(
    ofOrg(application.command('create').description('create an application'))
      .requiredOption('--name <name>', 'name of the application')
      .addOption(oneOf('--environment <mode>', MODES, 'for good').makeOptionMandatory()),
    io,
    async ({ org, name, environment }) =>
      await withServices(io, async ({ services, ...context }) => {
        if (!(await services.accounts.findOrganization(org))) throw noOrganization(org)
        const request = { org_id: org, type: 'flutter' as const, environment, name }
        const created = await said(applicationsOf(context).create(request))
        return { json: created, lines: [`Application ${created.id} created (${environment})`] }
      }),
  )
  answering<OfOrg>(
    ofOrg(application.command('list').description('list applications')),
    io,
    async ({ org }) =>
      await withServices(io, async ({ services, ...context }) => {
        const applications = await applicationsOf(context).list(org)
        if (applications.length === 0 && !(await services.accounts.findOrganization(org))) {
          throw noOrganization(org)
        }
        return { json: { applications }, lines: applications.map(applicationLine) }
      }),
  )
  answering<OfApplication>(
    ofApplication(
      application
        .command('remove')
        .description('delete an application with its credentials, subscriptions and messages'),
    ),
    io,
    async ({ org, application: id }) =>
      await withStores(io, async (context) => {
        if (!(await applicationsOf(context).remove(org, id))) throw noApplication(org, id)
        return { json: { id, removed: true }, lines: [`Application ${id} is deleted`] }
      }),
  )
}

type ConfigureOptions = OfApplication & { androidPackage?: string; iosBundle?: string }

function configureCommand(push: Command, io: Io): void {
  answering<ConfigureOptions>(
    ofApplication(
      push
        .command('configure')
        .description('say how Google and Apple name an application; what is not given stays'),
    )
      .option('--android-package <name>', 'Android package name')
      .option('--ios-bundle <id>', 'iOS bundle id'),
    io,
    async ({ org, application, androidPackage, iosBundle }) =>
      await withStores(io, async ({ stores }) => {
        const configurations = createPushConfigurations(stores)
        const before = await configurations.find(org, application)
        const names = {
          android_package_name: androidPackage ?? before?.android_package_name,
          ios_bundle_id: iosBundle ?? before?.ios_bundle_id,
        }
        const request = { org_id: org, application_id: application, ...names }
        const stored = await said(configurations.set(request))
        if (!stored) throw noApplication(org, application)
        const { android_package_name, ios_bundle_id } = stored
        return {
          json: stored,
          lines: [
            `Push configuration ${stored.id}`,
            `Android ${android_package_name ?? '-'}, iOS ${ios_bundle_id ?? '-'}`,
          ],
        }
      }),
  )
}

type KeyOptions = { fcm?: string; apns?: string; keyId?: string; teamId?: string }

function credentialCommands(push: Command, io: Io): void {
  const credential = push.command('credential').description('manage keys of FCM and APNs')
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

type TestOptions = OfApplication & { provider: PushProvider; subscription?: string; token?: string }

function testCommand(push: Command, io: Io, trust: Trust): void {
  answering<TestOptions>(
    ofApplication(
      push.command('test').description('send one notification, which shows whether a key is good'),
    )
      .addOption(oneOf('--provider <name>', PUSH_PROVIDERS, 'provider').makeOptionMandatory())
      .option('--subscription <id>', 'subscription of the device')
      .option('--token <token>', 'or its token, as the app got it from the provider'),
    io,
    async (options) =>
      await withStores(io, async (context) => await sendTest(context, options, trust)),
  )
}

async function sendTest(
  { config, stores }: Context,
  { org, application, provider, subscription, token }: TestOptions,
  trust: Trust,
): Promise<Answer> {
  const { fcm_url, fcm_token_url, apns_url, apns_sandbox_url, push_deadline_ms } = config
  const senders = createPushSenders({
    ...trust,
    fcm_url,
    fcm_token_url,
    apns_url,
    apns_sandbox_url,
    deadline_ms: push_deadline_ms,
    log: stores.log,
    now: () => stores.clock.now(),
  })
  try {
    const keeper = createCredentialKeeper(stores)
    const device = { subscription_id: subscription, token }
    const request = { org_id: org, application_id: application, provider, ...device }
    const result = await said(createTestSends({ ...stores, keeper, senders }).send(request))
    if (!result) throw noApplication(org, application)
    const { accepted, reason, credential } = result
    if (!accepted) {
      const error = credential.error === null ? '' : ` (${credential.error})`
      throw new CommandError(`Not accepted: ${reason}. The key: ${credential.status}${error}`)
    }
    return { json: result, lines: ['Accepted', ...credentialLines(credential)] }
  } finally {
    await closeSenders(senders, 0)
  }
}

const applicationsOf = ({ config, stores }: Context) =>
  createApplications({ ...stores, push_applications_max: config.push_applications_max })

const noOrganization = (org: string) => new CommandError(`There is no organisation ${org}`)

const noApplication = (org: string, id: string) =>
  new CommandError(`Organisation ${org} has no application ${id}`)

/** What is wrong with a request, the one at the keyboard can mend. */
async function said<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof AppError ? new CommandError(error.message, { cause: error }) : error
  }
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

const applicationLine = ({ id, environment, name }: Application): string =>
  [id, environment, name].join('  ')

function credentialLines({ provider, status, error, shown }: ShownCredential): string[] {
  const { key_sha256: _, ...names } = shown
  return [
    `${provider}  ${status}  ${Object.values(names).join('  ')}`,
    ...(error === null ? [] : [`  ${error}`]),
  ]
}
