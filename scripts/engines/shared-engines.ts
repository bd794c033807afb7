/**
 * The file through which test runs find the engines of `npm run engines` in the same checkout. It holds
 * a password, so that only its user may read it. A run uses the engines only after they have responded.
 */
import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageRoot } from '../../src/platform/package-root.ts'
import { type Engines, engineFingerprint } from './engines.ts'
import { areEnginesReachable, isRunning } from './run-databases.ts'

export type SharedEngines = Engines & {
  /** Id of the process of `npm run engines`. */
  pid: number
  /** Data folder of the engines. */
  folder: string
  fingerprint: string
}

/** The folder build/ is ignored by git. */
export const addressFile = (): string => join(packageRoot(), 'build', 'engines.json')

export function writeAddressFile(engines: SharedEngines, file: string = addressFile()): void {
  mkdirSync(dirname(file), { recursive: true })
  rmSync(file, { force: true })
  // `wx` refuses to write through a link that another user may have placed there.
  writeFileSync(file, `${JSON.stringify(engines, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' })
}

/** @returns undefined for a file that is missing, truncated or accessible to other users */
export function readAddressFile(file: string = addressFile()): SharedEngines | undefined {
  try {
    const { mode, uid } = lstatSync(file)
    const isPrivate = (mode & 0o077) === 0 && uid === process.getuid?.()
    return isPrivate ? (JSON.parse(readFileSync(file, 'utf8')) as SharedEngines) : undefined
  } catch {
    return undefined
  }
}

/** @param report called with the reason when engines are running but cannot be used */
export async function findSharedEngines(
  report: (reason: string) => void,
  file: string = addressFile(),
): Promise<SharedEngines | undefined> {
  const engines = readAddressFile(file)
  if (!engines || !isRunning(engines.pid)) return undefined
  if (engines.fingerprint !== engineFingerprint()) {
    report('they were started with other migrations; restart `npm run engines`')
    return undefined
  }
  if (!(await areEnginesReachable(engines))) {
    report('they do not respond; restart `npm run engines`')
    return undefined
  }
  return engines
}
