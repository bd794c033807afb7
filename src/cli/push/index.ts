/** `vigil push`: applications and the credentials that send notifications to them. */
import type { Command } from 'commander'
import { createAccountsPart } from '../../app/accounts.ts'
import type { PushPart } from '../../app/push.ts'
import { PUSH_PROVIDERS, type PushProvider } from '../../modules/push/tables.ts'
import type { Mode } from '../../platform/owner.ts'
import { CommandError, type Io, type Output, requireOrganization, setAction } from '../command.ts'
import { MODES, oneOf } from '../options.ts'
import { credentialCommands } from './credential.ts'
import {
  type ApplicationOptions,
  applicationLine,
  asCommandError,
  credentialLines,
  listApplications,
  namesLine,
  noApplication,
  type OrgOptions,
  withApplicationOption,
  withOrgOption,
  withPush,
} from './push-command.ts'
import { statusCommand } from './status.ts'

/** A certificate authority in PEM that is trusted instead of the default ones. */
type Trust = { ca?: string }

export function pushCommands(program: Command, io: Io, trust: Trust = {}): void {
  const push = program.command('push').description('manage mobile push')
  applicationCommands(push, io)
  configureCommand(push, io)
  credentialCommands(push, io)
  testCommand(push, io, trust)
  statusCommand(push, io)
}

const MODE_HELP = 'mode, which cannot be changed later'

function applicationCommands(push: Command, io: Io): void {
  const application = push.command('application').description('manage applications')
  setAction<OrgOptions & { name: string; environment: Mode }>(
    withOrgOption(application.command('create').description('create an application'))
      .requiredOption('--name <name>', 'name of the application')
      .addOption(oneOf('--environment <mode>', MODES, MODE_HELP).makeOptionMandatory()),
    io,
    async ({ org, name, environment }) =>
      await withPush(io, async ({ applications }, core) => {
        await requireOrganization(await createAccountsPart(core), org)
        const request = { org_id: org, type: 'flutter' as const, environment, name }
        const created = await asCommandError(applications.create(request))
        return { json: created, lines: [`Application ${created.id} created (${environment})`] }
      }),
  )
  setAction<OrgOptions>(
    withOrgOption(application.command('list').description('list applications')),
    io,
    async ({ org }) =>
      await withPush(io, async (part, core) => {
        const applications = await listApplications(part, core, org)
        return { json: { applications }, lines: applications.map(applicationLine) }
      }),
  )
  setAction<ApplicationOptions>(
    withApplicationOption(
      application
        .command('remove')
        .description('delete an application with its credentials, subscriptions and messages'),
    ),
    io,
    async ({ org, application: id }) =>
      await withPush(io, async ({ applications }) => {
        if (!(await applications.remove(org, id))) throw noApplication(org, id)
        return { json: { id, removed: true }, lines: [`Application ${id} deleted`] }
      }),
  )
}

type ConfigureOptions = ApplicationOptions & { androidPackage?: string; iosBundle?: string }

function configureCommand(push: Command, io: Io): void {
  setAction<ConfigureOptions>(
    withApplicationOption(
      push
        .command('configure')
        .description('set the names of an application at Google and Apple; omitted ones stay'),
    )
      .option('--android-package <name>', 'Android package name')
      .option('--ios-bundle <id>', 'iOS bundle ID'),
    io,
    async ({ org, application, androidPackage, iosBundle }) =>
      await withPush(io, async ({ configurations }) => {
        const before = await configurations.find(org, application)
        const names = {
          android_package_name: androidPackage ?? before?.android_package_name,
          ios_bundle_id: iosBundle ?? before?.ios_bundle_id,
        }
        const request = { org_id: org, application_id: application, ...names }
        const stored = await asCommandError(configurations.set(request))
        if (!stored) throw noApplication(org, application)
        return { json: stored, lines: [`Push configuration ${stored.id}`, namesLine(stored)] }
      }),
  )
}

type TestOptions = ApplicationOptions & {
  provider: PushProvider
  subscription?: string
  token?: string
}

function testCommand(push: Command, io: Io, trust: Trust): void {
  setAction<TestOptions>(
    withApplicationOption(
      push.command('test').description('send one notification to test a credential'),
    )
      .addOption(oneOf('--provider <name>', PUSH_PROVIDERS, 'provider').makeOptionMandatory())
      .option('--subscription <id>', 'subscription id of the device')
      .option('--token <token>', 'device token from the provider, instead of a subscription'),
    io,
    async (options) =>
      await withPush(io, async (part) => await sendTest(part, options), { push_ca: trust.ca }),
  )
}

async function sendTest(
  { test_sends }: PushPart,
  { org, application, provider, subscription, token }: TestOptions,
): Promise<Output> {
  const device = { subscription_id: subscription, token }
  const request = { org_id: org, application_id: application, provider, ...device }
  const result = await asCommandError(test_sends.send(request))
  if (!result) throw noApplication(org, application)
  const { accepted, reason, credential } = result
  if (!accepted) {
    const error = credential.error === null ? '' : ` (${credential.error})`
    throw new CommandError(`Not accepted: ${reason}. Credential: ${credential.status}${error}`)
  }
  return { json: result, lines: ['Accepted', ...credentialLines(credential)] }
}
