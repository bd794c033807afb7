/**
 * The folder of a demo, and the manifest in it that says what the folder contains and how far the demo
 * has come.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { KeyType } from '../src/modules/keys/tables.ts'
import { OperatorError } from '../src/platform/operator-error.ts'
import type { SignIn } from './fill/context.ts'
import { LOCK_FILE } from './lock.ts'
import type { StoryOptions } from './story/event.ts'

const FILE = 'demo.json'
export const FORMAT = 2

/**
 * The state stays `filling` when filling is interrupted. The format changes with the simulator, because
 * a demo can only be continued by the version that filled it.
 */
export type Manifest = {
  format: typeof FORMAT
  state: 'filling' | 'filled'
  story: StoryOptions
  /** Share of the full size of a large demo. */
  large_scale?: number | undefined
  /** End of the events that were replayed, milliseconds since 1970. */
  told_until: number
  receiver_port?: number | undefined
  /** Address of the demo while it is served. */
  url?: string
  /** Address of the emulated Google while the demo is served, for the sample shop. */
  fcm_url?: string
  people?: People
}

/** Credentials for visitors of the demo. */
export type People = { org_id: string; owner: SignIn; keys: Record<KeyType, string> }

export type FilledManifest = Manifest & { people: People }

/** @throws OperatorError when the folder has other contents */
export function findDemo(folder: string): 'nothing' | 'unfinished' | FilledManifest {
  const isEmpty = !existsSync(folder) || readdirSync(folder).every((name) => name === LOCK_FILE)
  if (isEmpty) return 'nothing'
  const manifest = readManifest(join(folder, FILE))
  if (!manifest) {
    throw new OperatorError(
      `The folder ${folder} has contents other than a demo. Choose another one with --data-dir.`,
    )
  }
  const { format, state, people } = manifest
  return format === FORMAT && state === 'filled' && people ? { ...manifest, people } : 'unfinished'
}

/** @returns undefined for a file of another program */
function readManifest(file: string): Manifest | undefined {
  try {
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Partial<Manifest>
    const isOurs = typeof manifest.format === 'number' && typeof manifest.story?.seed === 'number'
    return isOurs ? (manifest as Manifest) : undefined
  } catch {
    return undefined
  }
}

export function writeManifest(folder: string, manifest: Manifest): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const partial = join(folder, `${FILE}.partial`)
  // The file contains the password of the owner.
  writeFileSync(partial, JSON.stringify(manifest, null, 2), { mode: 0o600 })
  renameSync(partial, join(folder, FILE))
}

/** Moves the folder aside first, because engines of a killed process may still be shutting down in it. */
export function clearFolder(folder: string): void {
  if (!existsSync(folder)) return
  const aside = join(dirname(folder), `.${Date.now().toString(36)}-demo-to-delete`)
  try {
    renameSync(folder, aside)
  } catch {
    // A mounted volume, or a folder in one of another user, stays and is emptied.
    for (const name of readdirSync(folder)) remove(join(folder, name))
    return
  }
  remove(aside)
}

const remove = (path: string): void =>
  rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
