/** The folder of a demonstration, and the note in it that says what it is and how far it has come. */
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
import { requestJson } from '../src/platform/net/http-json.ts'
import { OperatorError } from '../src/platform/operator-error.ts'
import type { KeyType } from '../src/platform/postgres/tables/accounts.ts'
import type { SignIn } from './fill/context.ts'
import type { StoryOptions } from './story/event.ts'

/** `filling` until all of it is there: whoever finds that found one that was cut off. */
export type Note = {
  format: 1
  state: 'filling' | 'filled'
  story: StoryOptions
  /** Until when it was told, milliseconds since 1970. */
  told_until: number
  receiver_port?: number | undefined
  /** Where it serves, while it does. */
  url?: string
  people?: People
}

/** What somebody who tries it out needs. */
export type People = { org_id: string; owner: SignIn; keys: Record<KeyType, string> }

type Found = 'nothing' | 'unfinished' | (Note & { people: People })

const FILE = 'demo.json'

/** @throws OperatorError when the folder holds something else */
export function findDemo(folder: string): Found {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return 'nothing'
  const file = join(folder, FILE)
  if (!existsSync(file)) {
    throw new OperatorError(
      `The folder ${folder} holds something else than a demonstration. Name another one by --data-dir.`,
    )
  }
  const note = readNote(file)
  const { people } = note ?? {}
  return note?.state === 'filled' && people ? { ...note, people } : 'unfinished'
}

function readNote(file: string): Note | undefined {
  try {
    const note = JSON.parse(readFileSync(file, 'utf8')) as Note
    return note.format === 1 ? note : undefined
  } catch {
    return undefined
  }
}

/** @throws OperatorError when a process serves it */
export async function requireStopped({ url }: Note): Promise<void> {
  if (url === undefined) return
  const answer = await requestJson({ url: `${url}/healthz`, timeoutMs: PROBE_MS })
  if (!answer.known || answer.value.status !== 200) return
  throw new OperatorError(`This demonstration runs already, at ${url}. Stop that one first.`)
}

const PROBE_MS = 1000

export function writeNote(folder: string, note: Note): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const partial = join(folder, `${FILE}.partial`)
  // It has the password of the one who tries it out.
  writeFileSync(partial, JSON.stringify(note, null, 2), { mode: 0o600 })
  renameSync(partial, join(folder, FILE))
}

/** Engines of a process that was killed may still be ending there, so it is put aside first. */
export function clear(folder: string): void {
  if (!existsSync(folder)) return
  const aside = join(dirname(folder), `.${Date.now().toString(36)}-demo-to-delete`)
  renameSync(folder, aside)
  rmSync(aside, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
}
