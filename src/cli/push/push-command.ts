/** Access and output that the commands of `vigil push` share. */
import { createAccountsPart } from '../../app/accounts.ts'
import type { Core } from '../../app/core.ts'
import type { Outside } from '../../app/outside.ts'
import { createPushPart, type PushPart } from '../../app/push.ts'
import type { Application } from '../../modules/applications/index.ts'
import type { ShownCredential } from '../../modules/push/index.ts'
import { AppError } from '../../platform/http/errors.ts'
import { coreOf, requireOrganization, withCore } from '../command.ts'
import { CommandError, type Io, type Options } from '../io.ts'

export type OrgOptions = Options & { org: string }
export type ApplicationOptions = OrgOptions & { application: string }

export async function withPush<T>(
  io: Io,
  org: string,
  run: (push: PushPart, core: Core) => Promise<T>,
  outside?: Outside,
): Promise<T> {
  return await withCore(
    io,
    async (main) => {
      const core = await coreOf(main, org)
      const push = createPushPart(core)
      try {
        return await run(push, core)
      } finally {
        await push.close?.()
      }
    },
    outside,
  )
}

export const noApplication = (org: string, id: string) =>
  new CommandError(`Organization ${org} has no application ${id}`)

/**
 * Newest first.
 * @throws CommandError when the organization does not exist
 */
export async function listApplications(
  { applications }: PushPart,
  core: Core,
  org: string,
): Promise<Application[]> {
  const listed = await applications.list(org)
  if (listed.length === 0) await requireOrganization(await createAccountsPart(core), org)
  return listed
}

/** Reports an invalid request by its message alone, because the user can correct it. */
export async function asCommandError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof AppError ? new CommandError(error.message, { cause: error }) : error
  }
}

export const applicationLine = ({ id, environment, name }: Application): string =>
  [id, environment, name].join('  ')

export const namesLine = ({ android_package_name, ios_bundle_id }: Names): string =>
  `Android ${android_package_name ?? '-'}, iOS ${ios_bundle_id ?? '-'}`

type Names = { android_package_name: string | null; ios_bundle_id: string | null }

export function credentialLines(credential: ShownCredential): string[] {
  const { provider, status, error, shown, paused_until } = credential
  const { key_sha256: _, ...names } = shown
  return [
    `${provider}  ${status}  ${Object.values(names).join('  ')}`,
    ...(error === null ? [] : [`  ${error}`]),
    ...(paused_until === null ? [] : [`  paused until ${paused_until}`]),
  ]
}
