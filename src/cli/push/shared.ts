/** What the commands of push share. */
import type { Command } from 'commander'
import type { Services } from '../../app.ts'
import type { Config } from '../../config.ts'
import { type Application, createApplications } from '../../modules/applications/index.ts'
import type { ShownCredential } from '../../modules/push/index.ts'
import { AppError } from '../../platform/http/errors.ts'
import type { Stores } from '../../stores.ts'
import { CommandError, type Options } from '../command.ts'

export type OfOrg = Options & { org: string }
export type OfApplication = OfOrg & { application: string }
export type Context = { config: Config; stores: Stores }

export const ofOrg = (command: Command): Command =>
  command.requiredOption('--org <org_id>', 'organisation that the application belongs to')
export const ofApplication = (command: Command): Command =>
  ofOrg(command).requiredOption('--application <id>', 'id of the application')

export const applicationsOf = ({ config, stores }: Context) =>
  createApplications({ ...stores, push_applications_max: config.push_applications_max })

export const noOrganization = (org: string) => new CommandError(`There is no organisation ${org}`)

export const noApplication = (org: string, id: string) =>
  new CommandError(`Organisation ${org} has no application ${id}`)

/** Newest first. @throws CommandError for an organisation that is not there */
export async function listApplications(
  { services, ...context }: Context & { services: Services },
  org: string,
): Promise<Application[]> {
  const applications = await applicationsOf(context).list(org)
  if (applications.length === 0 && !(await services.accounts.findOrganization(org))) {
    throw noOrganization(org)
  }
  return applications
}

/** What is wrong with a request, the one at the keyboard can mend. */
export async function said<T>(work: Promise<T>): Promise<T> {
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

export function credentialLines({
  provider,
  status,
  error,
  shown,
  ...rest
}: ShownCredential): string[] {
  const { key_sha256: _, ...names } = shown
  return [
    `${provider}  ${status}  ${Object.values(names).join('  ')}`,
    ...(error === null ? [] : [`  ${error}`]),
    ...(rest.paused_until === null ? [] : [`  paused until ${rest.paused_until}`]),
  ]
}
