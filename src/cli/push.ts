/** `vigil push`: applications, and what notifications are sent to them with. */
import type { Command } from 'commander'
import {
  closeSenders,
  createCredentialKeeper,
  createPushConfigurations,
  createPushSenders,
  createTestSends,
} from '../modules/push/index.ts'
import type { Mode } from '../platform/postgres/tables/platform.ts'
import { PUSH_PROVIDERS, type PushProvider } from '../platform/postgres/tables/push.ts'
import {
  type Answer,
  answering,
  CommandError,
  type Io,
  withServices,
  withStores,
} from './command.ts'
import { MODES, oneOf } from './options.ts'
import { credentialCommands } from './push/credential.ts'
import {
  applicationLine,
  applicationsOf,
  type Context,
  credentialLines,
  listApplications,
  namesLine,
  noApplication,
  noOrganization,
  type OfApplication,
  type OfOrg,
  ofApplication,
  ofOrg,
  said,
} from './push/shared.ts'
import { statusCommand } from './push/status.ts'

/** The only authority that is trusted, in PEM, in place of the usual ones. */
type Trust = { ca?: string }

export function pushCommands(program: Command, io: Io, trust: Trust = {}): void {
  const push = program.command('push').description('mobile push: applications and credentials')
  applicationCommands(push, io)
  configureCommand(push, io)
  credentialCommands(push, io)
  testCommand(push, io, trust)
  statusCommand(push, io)
}

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
      await withServices(io, async (context) => {
        const applications = await listApplications(context, org)
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
        return { json: stored, lines: [`Push configuration ${stored.id}`, namesLine(stored)] }
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
