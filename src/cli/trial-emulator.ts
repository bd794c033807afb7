/**
 * The emulator of the Android Management API that `vigil serve` runs until Google is connected, so that
 * device management can be tried out without an account. One of the processes that share a data
 * directory runs it. When that process ends, the next one that needs the emulator takes over its state.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  AndroidEmulator,
  startAndroidManagement,
} from '../../emulators/android-management/index.ts'
import type { Config } from '../config.ts'
import { isRunning } from '../platform/is-running.ts'
import type { Log } from '../platform/log.ts'
import { requestJson } from '../platform/net/http-json.ts'
import { reasonOf } from '../platform/operator-error.ts'

export type TrialEmulator = {
  /** Address of the emulator, which is started here unless another process runs it. Never rejects. */
  url(): Promise<string | undefined>
  close(): Promise<void>
}

/** Starts the emulator; imported on demand, because no other command needs it. */
type StartAndroid = typeof startAndroidManagement

export const loadEmulator = async (): Promise<StartAndroid> =>
  (await import('../../emulators/android-management/index.ts')).startAndroidManagement

type Owner = { pid: number; url: string }

const PORT = 5490
const PROBE_TIMEOUT_MS = 1000
/** Time that another process gets to start or to end. */
const PATIENCE_MS = 5000
const POLL_MS = 50
const RETRY_MS = 10_000

/** Only with the embedded database, and when no other address is configured. */
export const isOffered = (config: Config): boolean =>
  config.database_url === undefined && config.android_management_url === undefined

/** Address that the process that runs the emulator has recorded. */
export function findTrialUrl(dataDir: string): string | undefined {
  const owner = readOwner(placeIn(dataDir).owner)
  return owner && isRunning(owner.pid) ? owner.url : undefined
}

export function createTrialEmulator(options: {
  data_dir: string
  log: Log
  startAndroid: StartAndroid
}): TrialEmulator {
  const { log, startAndroid } = options
  const place = placeIn(options.data_dir)
  let own: AndroidEmulator | undefined
  let known: Owner | undefined
  let pending: Promise<string | undefined> | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  const closed = new AbortController()

  const findOrStart = async (): Promise<string | undefined> => {
    mkdirSync(place.folder, { recursive: true, mode: 0o700 })
    const deadline = performance.now() + PATIENCE_MS
    while (!closed.signal.aborted) {
      const owner = readOwner(place.owner)
      const isHeld = owner !== undefined && isRunning(owner.pid)
      // After its owner has ended, another program may be listening at that address.
      if (isHeld && (await answers(owner.url))) {
        known = owner
        return owner.url
      }
      const isPatient = performance.now() < deadline
      const isTaken = !(isHeld && isPatient) && takeGuard(place.guard)
      const started = isTaken ? await startInPlaceOf(owner) : undefined
      if (started !== undefined || !isPatient) return started
      await sleep(POLL_MS)
    }
    return undefined
  }

  /** @returns undefined when another process was faster */
  const startInPlaceOf = async (last: Owner | undefined): Promise<string | undefined> => {
    try {
      const owner = readOwner(place.owner)
      if (owner?.pid !== last?.pid || owner?.url !== last?.url) return undefined
      own = await startEmulator(startAndroid, place.folder)
      known = { pid: process.pid, url: own.url }
      writeOwner(place.owner, known)
      return own.url
    } finally {
      rmSync(place.guard, { force: true })
    }
  }

  const find = async (): Promise<string | undefined> => {
    try {
      return await findOrStart()
    } catch (error) {
      failedAt = performance.now()
      const reason = reasonOf(error)
      log.warn({ reason }, 'the trial emulator of device management failed to start')
      return undefined
    }
  }

  return {
    url: async () => {
      if (own) return own.url
      const isUnavailable = closed.signal.aborted || performance.now() - failedAt < RETRY_MS
      if (isUnavailable) return undefined
      const isSame = known !== undefined && readOwner(place.owner)?.pid === known.pid
      if (known && isSame && isRunning(known.pid)) return known.url
      pending ??= find().finally(() => {
        pending = undefined
      })
      return await pending
    },
    close: async () => {
      closed.abort()
      await pending
      if (!own) return
      // The state is stored before the place is given up, so that the next owner finds it.
      await own.close()
      own = undefined
      if (readOwner(place.owner)?.pid === process.pid) rmSync(place.owner, { force: true })
    },
  }
}

function placeIn(dataDir: string) {
  const folder = join(dataDir, 'android-management')
  return { folder, owner: join(folder, 'owner.json'), guard: join(folder, 'owner.lock') }
}

async function startEmulator(start: StartAndroid, folder: string): Promise<AndroidEmulator> {
  try {
    return await start({ port: PORT, folder })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EADDRINUSE') throw error
    return await start({ port: 0, folder })
  }
}

async function answers(url: string): Promise<boolean> {
  const probe = { url: `${url}/control/service-account`, timeoutMs: PROBE_TIMEOUT_MS }
  const answer = await requestJson(probe)
  return answer.known && answer.value.status === 200
}

/** Takes the lock file of a start. A lock of a process that has ended is replaced. */
function takeGuard(file: string): boolean {
  const own = `${file}.${process.pid}`
  try {
    if (isRunning(Number(readFileSync(file, 'utf8')))) return false
    rmSync(file, { force: true })
  } catch {
    // No lock file exists.
  }
  try {
    // Linking makes the file appear together with its content.
    writeFileSync(own, String(process.pid), { mode: 0o600 })
    linkSync(own, file)
    return true
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(own, { force: true })
  }
}

function writeOwner(file: string, owner: Owner): void {
  const partial = `${file}.${process.pid}`
  writeFileSync(partial, JSON.stringify(owner), { mode: 0o600 })
  renameSync(partial, file)
}

function readOwner(file: string): Owner | undefined {
  try {
    const { pid, url } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Owner>
    const isOwner = typeof pid === 'number' && /^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(url ?? '')
    return isOwner ? { pid, url: url ?? '' } : undefined
  } catch {
    return undefined
  }
}
