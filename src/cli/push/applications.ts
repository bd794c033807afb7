/** `vigil push application` and `vigil push configure`: applications and their names at providers. */
import { createAccountsPart } from '../../app/accounts.ts'
import type { Mode } from '../../platform/owner.ts'
import { requireOrganization } from '../command.ts'
import type { Io, Output } from '../io.ts'
import {
  type ApplicationOptions,
  applicationLine,
  asCommandError,
  listApplications,
  namesLine,
  noApplication,
  type OrgOptions,
  withPush,
} from './push-command.ts'

type CreateOptions = OrgOptions & { name: string; environment: Mode }

export const createApplication = async (
  io: Io,
  { org, name, environment }: CreateOptions,
): Promise<Output> =>
  await withPush(io, org, async ({ applications }, core) => {
    await requireOrganization(await createAccountsPart(core), org)
    const request = { org_id: org, type: 'flutter' as const, environment, name }
    const created = await asCommandError(applications.create(request))
    return { json: created, lines: [`Application ${created.id} created (${environment})`] }
  })

export const showApplications = async (io: Io, { org }: OrgOptions): Promise<Output> =>
  await withPush(io, org, async (part, core) => {
    const applications = await listApplications(part, core, org)
    return { json: { applications }, lines: applications.map(applicationLine) }
  })

export const removeApplication = async (
  io: Io,
  { org, application: id }: ApplicationOptions,
): Promise<Output> =>
  await withPush(io, org, async ({ applications }) => {
    if (!(await applications.remove(org, id))) throw noApplication(org, id)
    return { json: { id, removed: true }, lines: [`Application ${id} deleted`] }
  })

type ConfigureOptions = ApplicationOptions & { androidPackage?: string; iosBundle?: string }

export const configureApplication = async (
  io: Io,
  { org, application, androidPackage, iosBundle }: ConfigureOptions,
): Promise<Output> =>
  await withPush(io, org, async ({ configurations }) => {
    const before = await configurations.find(org, application)
    const names = {
      android_package_name: androidPackage ?? before?.android_package_name,
      ios_bundle_id: iosBundle ?? before?.ios_bundle_id,
    }
    const request = { org_id: org, application_id: application, ...names }
    const stored = await asCommandError(configurations.set(request))
    if (!stored) throw noApplication(org, application)
    return { json: stored, lines: [`Push configuration ${stored.id}`, namesLine(stored)] }
  })
