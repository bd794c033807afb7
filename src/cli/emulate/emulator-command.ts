/** Shape and helpers of the commands of `vigil emulate`. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Option } from 'commander'
import type { ApnsEnvironment } from '../../../emulators/apns/index.ts'
import type { Identity } from '../../../emulators/certificate.ts'
import { reasonOf } from '../../platform/operator-error.ts'
import { CommandError } from '../io.ts'

export type EmulateOptions = {
  port: number
  host: string
  scenario?: string
  json?: boolean
  folder?: string
  secret?: string
  environment?: ApnsEnvironment
}
type Started = { json: object; lines: string[]; close: () => Promise<void> }

export type EmulatorCommand = {
  help: string
  /** Default port, or one for each environment. */
  port: number | Readonly<Record<ApnsEnvironment, number>>
  /** Whether a file defines the responses. Default: true. */
  hasScenario?: boolean
  options?: readonly (Option | readonly [flags: string, help: string, standard?: string])[]
  start: (options: EmulateOptions) => Promise<Started>
}

/** Shared by all emulators that serve HTTPS, because NODE_EXTRA_CA_CERTS accepts one file. */
const AUTHORITY_FOLDER = 'data/receiver'
export const FOLDER_OPTION = [
  '--folder <path>',
  'folder of the certificate authority',
  AUTHORITY_FOLDER,
] as const

export async function authorityIn(path = AUTHORITY_FOLDER): Promise<Identity & { file: string }> {
  // Imported on demand, because no other command needs the emulators.
  const { ensureAuthority } = await import('../../../emulators/certificate.ts')
  const folder = resolve(path)
  try {
    return ensureAuthority(folder)
  } catch (cause) {
    const problem = `Cannot store a certificate authority in ${folder}: ${reasonOf(cause)}`
    throw new CommandError(problem, { cause })
  }
}

export function loadScenario<T>(file: string, read: (value: unknown) => T): T {
  try {
    return read(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new CommandError(`Cannot use the scenario ${file}: ${reasonOf(cause)}`, { cause })
  }
}
