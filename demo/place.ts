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
import { OperatorError } from '../src/platform/operator-error.ts'
import type { KeyType } from '../src/platform/postgres/tables/accounts.ts'
import type { SignIn } from './fill/context.ts'
import { HOLD_FILE } from './hold.ts'
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
  const isEmpty = !existsSync(folder) || readdirSync(folder).every((name) => name === HOLD_FILE)
  if (isEmpty) return 'nothing'
  const note = readNote(join(folder, FILE))
  if (!note) {
    throw new OperatorError(
      `The folder ${folder} holds something else than a demonstration. Name another one by --data-dir.`,
    )
  }
  const { format, state, people } = note
  return format === 1 && state === 'filled' && people ? { ...note, people } : 'unfinished'
}

/** @returns undefined for a file of that name that is none of ours: what lies beside it is not either */
function readNote(file: string): Note | undefined {
  try {
    const note = JSON.parse(readFileSync(file, 'utf8')) as Partial<Note>
    const isNote = typeof note.format === 'number' && typeof note.story?.seed === 'number'
    return isNote ? (note as Note) : undefined
  } catch {
    return undefined
  }
}

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
  try {
    renameSync(folder, aside)
  } catch {
    // A volume, or in a folder of somebody else: it stays and is emptied.
    for (const name of readdirSync(folder)) remove(join(folder, name))
    return
  }
  remove(aside)
}

const remove = (path: string): void =>
  rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
