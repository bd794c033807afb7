/** `vigil push`: applications, and the credentials that send notifications to them. */
import type { Command } from 'commander'
import { PUSH_PROVIDERS } from '../../modules/push/tables.ts'
import { type Io, setAction } from '../io.ts'
import { MODES, oneOf } from '../options.ts'
import type { Trust } from '../push/test-send.ts'

const loadApplications = () => import('../push/applications.ts')
const loadCredential = () => import('../push/credential.ts')

export function pushCommands(program: Command, io: Io, trust: Trust = {}): void {
  const push = program.command('push').description('manage mobile push')
  applicationCommands(push, io)
  configureCommand(push, io)
  credentialCommands(push, io)
  testCommand(push, io, trust)
  statusCommand(push, io)
  importCommand(push, io)
}

const MODE_HELP = 'mode, which cannot be changed later'

function applicationCommands(push: Command, io: Io): void {
  const application = push.command('application').description('manage applications')
  setAction(
    withOrgOption(application.command('create').description('create an application'))
      .requiredOption('--name <name>', 'name of the application')
      .addOption(oneOf('--environment <mode>', MODES, MODE_HELP).makeOptionMandatory()),
    io,
    async () => (await loadApplications()).createApplication,
  )
  setAction(
    withOrgOption(application.command('list').description('list applications')),
    io,
    async () => (await loadApplications()).showApplications,
  )
  setAction(
    withApplicationOption(
      application
        .command('remove')
        .description('delete an application with its credentials, subscriptions and messages'),
    ),
    io,
    async () => (await loadApplications()).removeApplication,
  )
}

function configureCommand(push: Command, io: Io): void {
  setAction(
    withApplicationOption(
      push
        .command('configure')
        .description('set the names of an application at Google and Apple; omitted ones stay'),
    )
      .option('--android-package <name>', 'Android package name')
      .option('--ios-bundle <id>', 'iOS bundle ID'),
    io,
    async () => (await loadApplications()).configureApplication,
  )
}

function credentialCommands(push: Command, io: Io): void {
  const credential = push.command('credential').description('manage credentials for FCM and APNs')
  setAction(
    withApplicationOption(
      credential.command('set').description('store a credential, replacing an existing one'),
    )
      .option('--fcm <file>', 'JSON key file of a service account, as downloaded from Google')
      .option('--apns <file>', '.p8 key file, as downloaded from Apple')
      .option('--key-id <id>', 'Key ID of the .p8 file')
      .option('--team-id <id>', 'Team ID of the .p8 file'),
    io,
    async () => (await loadCredential()).setCredential,
  )
  setAction(
    withApplicationOption(
      credential.command('list').description('list credentials without their keys'),
    ),
    io,
    async () => (await loadCredential()).listCredentials,
  )
  setAction(
    withApplicationOption(
      credential.command('remove').description('delete a credential'),
    ).addOption(oneOf('--provider <name>', PUSH_PROVIDERS, 'provider').makeOptionMandatory()),
    io,
    async () => (await loadCredential()).removeCredential,
  )
}

function testCommand(push: Command, io: Io, trust: Trust): void {
  setAction(
    withApplicationOption(
      push.command('test').description('send one notification to test a credential'),
    )
      .addOption(oneOf('--provider <name>', PUSH_PROVIDERS, 'provider').makeOptionMandatory())
      .option('--subscription <id>', 'subscription id of the device')
      .option('--token <token>', 'device token from the provider, instead of a subscription'),
    io,
    async () => (await import('../push/test-send.ts')).sendTest(trust),
  )
}

function statusCommand(push: Command, io: Io): void {
  setAction(
    withOrgOption(
      push
        .command('status')
        .description('show applications with their credentials, subscriptions and messages'),
    ).option('--application <id>', 'only this application (default: all of the organization)'),
    io,
    async () => (await import('../push/status.ts')).showStatus,
  )
}

function importCommand(push: Command, io: Io): void {
  setAction(
    push
      .command('import')
      .description('import subscriptions from a file with a JSON object in each line')
      .option(
        '--org <org_id>',
        'id of the organization that the application belongs to (default: that of vigil login)',
      )
      .requiredOption('--application <id>', 'id of the application')
      .requiredOption('--file <file>', 'file with platform, token and optional members per line'),
    io,
    async () => (await import('../push/import.ts')).importSubscriptions,
  )
}

const withOrgOption = (command: Command): Command =>
  command.requiredOption('--org <org_id>', 'id of the organization that the application belongs to')

const withApplicationOption = (command: Command): Command =>
  withOrgOption(command).requiredOption('--application <id>', 'id of the application')
