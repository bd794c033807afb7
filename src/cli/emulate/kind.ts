/** What the commands of `vigil emulate` have in common. */
import { readFileSync } from 'node:fs'
import type { Option } from 'commander'
import type { ApnsEnvironment } from '../../../emulators/apns/index.ts'
import { keepAuthority } from '../../../emulators/certificate.ts'
import { reasonOf } from '../../platform/operator-error.ts'
import { CommandError } from '../command.ts'

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

export type Kind = {
  help: string
  /** Taken unless another one is asked for; by the environment where there are two. */
  port: number | Readonly<Record<ApnsEnvironment, number>>
  /** What it answers is told by a file; default true. */
  hasScenario?: boolean
  options?: readonly (Option | readonly [flags: string, help: string, usual?: string])[]
  start: (options: EmulateOptions) => Promise<Started>
}

/** One for all who serve HTTPS: NODE_EXTRA_CA_CERTS takes one file. */
export const AUTHORITY_FOLDER = 'data/receiver'
export const FOLDER_OPTION = [
  '--folder <path>',
  'where its certificate authority is kept',
  AUTHORITY_FOLDER,
] as const

export function authorityIn(folder: string): ReturnType<typeof keepAuthority> {
  try {
    return keepAuthority(folder)
  } catch (cause) {
    throw new CommandError(`No authority can be kept in ${folder}: ${reasonOf(cause)}`, { cause })
  }
}

/** A scenario, in a form that the emulator takes. */
export function load<T>(file: string, read: (value: unknown) => T): T {
  try {
    return read(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new CommandError(`The scenario ${file} cannot be used: ${reasonOf(cause)}`, { cause })
  }
}
