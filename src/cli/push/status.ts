/** `vigil push status`: what is there of push, how its keys fare, and what is under way. */
import type { Command } from 'commander'
import type { Application } from '../../modules/applications/index.ts'
import {
  createPushConfigurations,
  createPushCredentials,
  type PushConfigurations,
  readApplicationStanding,
  type ShownCredential,
} from '../../modules/push/index.ts'
import type { Stores } from '../../stores.ts'
import { answering, type Io, withServices } from '../command.ts'
import {
  applicationLine,
  credentialLines,
  listApplications,
  namesLine,
  noApplication,
  type OfOrg,
  ofOrg,
} from './shared.ts'

export function statusCommand(push: Command, io: Io): void {
  answering<OfOrg & { application?: string }>(
    ofOrg(push.command('status').description('show how applications, keys and messages stand'))
      // Without it, all of the organisation.
      .option('--application <id>', 'only this application'),
    io,
    async ({ org, application: id }) =>
      await withServices(io, async (context) => {
        const all = await listApplications(context, org)
        const asked = id === undefined ? all : all.filter((each) => each.id === id.toLowerCase())
        if (id !== undefined && asked.length === 0) throw noApplication(org, id)
        const applications: ApplicationStatus[] = []
        for (const each of asked) applications.push(await statusOf(context.stores, each))
        return { json: { applications }, lines: applications.flatMap(statusLines) }
      }),
  )
}

type ApplicationStatus = Application & {
  configuration: Awaited<ReturnType<PushConfigurations['find']>> | null
  credentials: ShownCredential[]
} & Awaited<ReturnType<typeof readApplicationStanding>>

async function statusOf(stores: Stores, application: Application): Promise<ApplicationStatus> {
  const { org_id, id } = application
  return {
    ...application,
    configuration: (await createPushConfigurations(stores).find(org_id, id)) ?? null,
    credentials: (await createPushCredentials(stores).list(org_id, id)) ?? [],
    ...(await readApplicationStanding(stores.db, org_id, id)),
  }
}

function statusLines(status: ApplicationStatus): string[] {
  const { configuration, credentials, subscriptions, messages } = status
  const { scheduled, queued, sending, pending } = messages
  const lines = [
    configuration ? namesLine(configuration) : 'not configured',
    ...(credentials.length === 0 ? ['no keys'] : credentials.flatMap(credentialLines)),
    ...subscriptions.map(
      ({ platform, reachable, denied, invalid }) =>
        `${platform}  ${reachable} reachable, ${denied} denied, ${invalid} invalid`,
    ),
    `messages  ${scheduled} scheduled, ${queued} queued, ${sending} sending, ${pending} recipients pending`,
  ]
  return [applicationLine(status), ...lines.map((line) => `  ${line}`)]
}
