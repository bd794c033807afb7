/** `vigil push status`: applications with their credentials, subscriptions and messages. */
import type { Core } from '../../app/core.ts'
import type { PushPart } from '../../app/push.ts'
import type { Application } from '../../modules/applications/index.ts'
import {
  type PushConfigurations,
  readApplicationStatus,
  type ShownCredential,
} from '../../modules/push/index.ts'
import type { Io, Output } from '../io.ts'
import {
  applicationLine,
  credentialLines,
  listApplications,
  namesLine,
  noApplication,
  type OrgOptions,
  withPush,
} from './push-command.ts'

export const showStatus = async (
  io: Io,
  { org, application: id }: OrgOptions & { application?: string },
): Promise<Output> =>
  await withPush(io, org, async (part, core) => {
    const all = await listApplications(part, core, org)
    const selected = id === undefined ? all : all.filter((each) => each.id === id.toLowerCase())
    if (id !== undefined && selected.length === 0) throw noApplication(org, id)
    const applications: ApplicationStatus[] = []
    for (const each of selected) applications.push(await statusOf(part, core, each))
    return { json: { applications }, lines: applications.flatMap(statusLines) }
  })

type ApplicationStatus = Application & {
  configuration: Awaited<ReturnType<PushConfigurations['find']>> | null
  credentials: ShownCredential[]
} & Awaited<ReturnType<typeof readApplicationStatus>>

async function statusOf(
  { configurations, credentials }: PushPart,
  { db }: Core,
  application: Application,
): Promise<ApplicationStatus> {
  const { org_id, id } = application
  return {
    ...application,
    configuration: (await configurations.find(org_id, id)) ?? null,
    credentials: (await credentials.list(org_id, id)) ?? [],
    ...(await readApplicationStatus(db, org_id, id)),
  }
}

function statusLines(status: ApplicationStatus): string[] {
  const { configuration, credentials, subscriptions, messages } = status
  const { scheduled, queued, sending, pending } = messages
  const lines = [
    configuration ? namesLine(configuration) : 'not configured',
    ...(credentials.length === 0 ? ['no credentials'] : credentials.flatMap(credentialLines)),
    ...subscriptions.map(
      ({ platform, reachable, denied, invalid }) =>
        `${platform}  ${reachable} reachable, ${denied} denied, ${invalid} invalid`,
    ),
    `messages  ${scheduled} scheduled, ${queued} queued, ${sending} sending, ${pending} recipients pending`,
  ]
  return [applicationLine(status), ...lines.map((line) => `  ${line}`)]
}
