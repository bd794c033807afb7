/**
 * Persists the state as one JSON file, which is replaced atomically some time after a change. The
 * larger the file, the longer that pause.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError, reasonOf } from '../../src/platform/operator-error.ts'
import { newState, type State } from './state.ts'

const FILE = 'android-management.json'
const MIN_PAUSE_MS = 300
/** The pause is ten times as long as the last write, so that writing takes at most a tenth of the time. */
const PAUSE_FACTOR = 10

/** @returns the stored state, or a new one if the folder has none */
export function loadState(folder: string | undefined): State {
  if (folder === undefined || !existsSync(join(folder, FILE))) return newState()
  const stored = readState(join(folder, FILE))
  for (const subscription of stored.subscriptions.values()) {
    // The clients that leased messages before a restart may no longer exist.
    const leased = [...subscription.leased.values()].map(({ message }) => message)
    subscription.ready = [...leased, ...subscription.ready]
    subscription.leased.clear()
  }
  return stored
}

function readState(file: string): State {
  try {
    return JSON.parse(readFileSync(file, 'utf8'), revive) as State
  } catch (cause) {
    throw new OperatorError(`The state in ${file} cannot be read: ${reasonOf(cause)}`, { cause })
  }
}

export type Persistence = { touch: () => void; close: () => void }

export function persistState(state: State, folder: string | undefined): Persistence {
  if (folder === undefined) return { touch: () => undefined, close: () => undefined }
  let timer: NodeJS.Timeout | undefined
  let pauseMs = MIN_PAUSE_MS
  let isClosed = false
  const write = () => {
    timer = undefined
    const startedMs = performance.now()
    const file = join(folder, FILE)
    // The file contains private keys.
    writeFileSync(`${file}.new`, JSON.stringify(state, replace), { mode: 0o600 })
    renameSync(`${file}.new`, file)
    pauseMs = Math.max(MIN_PAUSE_MS, (performance.now() - startedMs) * PAUSE_FACTOR)
  }
  try {
    mkdirSync(folder, { recursive: true })
    write()
  } catch (cause) {
    throw new OperatorError(`The state cannot be stored in ${folder}: ${reasonOf(cause)}`, {
      cause,
    })
  }
  return {
    touch: () => {
      if (!isClosed) timer ??= setTimeout(write, pauseMs)
    },
    close: () => {
      isClosed = true
      clearTimeout(timer)
      write()
    },
  }
}

function replace(_name: string, value: unknown): unknown {
  if (value instanceof Map) return { $map: [...value] }
  return value instanceof Set ? { $set: [...value] } : value
}

function revive(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { $map, $set } = value as { $map?: [unknown, unknown][]; $set?: unknown[] }
  if ($map !== undefined) return new Map($map)
  return $set === undefined ? value : new Set($set)
}
