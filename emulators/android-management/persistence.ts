/**
 * The state as one JSON file, written beside and renamed, some time after it changed; the larger it
 * has become, the more seldom.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError, reasonOf } from '../../src/platform/operator-error.ts'
import { newState, type State } from './state.ts'

const FILE = 'android-management.json'
const MIN_PAUSE_MS = 300
/** Writing takes a tenth of the time at most. */
const PAUSE_FACTOR = 10

/** @returns a new state when the folder has none */
export function loadState(folder: string | undefined): State {
  if (folder === undefined || !existsSync(join(folder, FILE))) return newState()
  const stored = readState(join(folder, FILE))
  for (const subscription of stored.subscriptions.values()) {
    // Whoever had leased them cannot be expected to be there.
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

export type Keeper = { touch: () => void; close: () => void }

export function keepState(state: State, folder: string | undefined): Keeper {
  if (folder === undefined) return { touch: () => undefined, close: () => undefined }
  let timer: NodeJS.Timeout | undefined
  let pauseMs = MIN_PAUSE_MS
  let isClosed = false
  const write = () => {
    timer = undefined
    const begun = performance.now()
    const file = join(folder, FILE)
    // It holds private keys.
    writeFileSync(`${file}.new`, JSON.stringify(state, replace), { mode: 0o600 })
    renameSync(`${file}.new`, file)
    pauseMs = Math.max(MIN_PAUSE_MS, (performance.now() - begun) * PAUSE_FACTOR)
  }
  try {
    mkdirSync(folder, { recursive: true })
    write()
  } catch (cause) {
    throw new OperatorError(`No state can be kept in ${folder}: ${reasonOf(cause)}`, { cause })
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
