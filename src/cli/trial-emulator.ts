/**
 * The emulator of the Android Management API that `vigil serve` runs until Google is connected, so that
 * device management can be tried out at once. Of the processes that share a data directory one runs it;
 * when that ends, the next one that needs it takes over, with its state.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AndroidEmulator } from '../../emulators/android-management/index.ts'
import type { Config } from '../config.ts'
import type { Log } from '../platform/log.ts'
import { requestJson } from '../platform/net/http-json.ts'
import { reasonOf } from '../platform/operator-error.ts'

export type TrialEmulator = {
  /** Where it runs, here or in another process; started here when it runs nowhere. Never rejects. */
  url(): Promise<string | undefined>
  close(): Promise<void>
}

type Owner = { pid: number; url: string }

const PORT = 5490
const PROBE_TIMEOUT_MS = 1000
/** Another process that begins or ends gets this long. */
const PATIENCE_MS = 5000
const POLL_MS = 50
const RETRY_MS = 10_000

/** Only where everything else is on this machine as well, and nothing says what to use instead. */
export const isOffered = (config: Config): boolean =>
  config.database_url === undefined && config.android_management_url === undefined

/** Where it runs at the moment, according to who runs it. */
export function findTrialUrl(dataDir: string): string | undefined {
  const owner = readOwner(placeIn(dataDir).owner)
  return owner && isRunning(owner.pid) ? owner.url : undefined
}

export function createTrialEmulator(options: { data_dir: string; log: Log }): TrialEmulator {
  const { log } = options
  const place = placeIn(options.data_dir)
  let own: AndroidEmulator | undefined
  let known: Owner | undefined
  let looking: Promise<string | undefined> | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  const closed = new AbortController()

  const look = async (): Promise<string | undefined> => {
    mkdirSync(place.folder, { recursive: true, mode: 0o700 })
    const deadline = performance.now() + PATIENCE_MS
    while (!closed.signal.aborted) {
      const owner = readOwner(place.owner)
      const isHeld = owner !== undefined && isRunning(owner.pid)
      // What answers there once its owner has ended is somebody else's.
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
      own = await startEmulator(place.folder)
      known = { pid: process.pid, url: own.url }
      writeOwner(place.owner, known)
      return own.url
    } finally {
      rmSync(place.guard, { force: true })
    }
  }

  const find = async (): Promise<string | undefined> => {
    try {
      return await look()
    } catch (error) {
      failedAt = performance.now()
      log.warn({ reason: reasonOf(error) }, 'the emulator for trying out devices does not start')
      return undefined
    }
  }

  return {
    url: async () => {
      if (own) return own.url
      const isAway = closed.signal.aborted || performance.now() - failedAt < RETRY_MS
      if (isAway) return undefined
      const isSame = known !== undefined && readOwner(place.owner)?.pid === known.pid
      if (known && isSame && isRunning(known.pid)) return known.url
      looking ??= find().finally(() => {
        looking = undefined
      })
      return await looking
    },
    close: async () => {
      closed.abort()
      await looking
      if (!own) return
      // First the state, then the place: whoever takes over must not find an older one.
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

/** Read when it is needed: no command but this one has a use for it. */
async function startEmulator(folder: string): Promise<AndroidEmulator> {
  const { startAndroidManagement } = await import('../../emulators/android-management/index.ts')
  try {
    return await startAndroidManagement({ port: PORT, folder })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EADDRINUSE') throw error
    return await startAndroidManagement({ port: 0, folder })
  }
}

async function answers(url: string): Promise<boolean> {
  const answer = await requestJson({
    url: `${url}/control/service-account`,
    timeoutMs: PROBE_TIMEOUT_MS,
  })
  return answer.known && answer.value.status === 200
}

/** Held for the moment of a start; one whose process is gone was left behind. */
function takeGuard(file: string): boolean {
  const own = `${file}.${process.pid}`
  try {
    if (isRunning(Number(readFileSync(file, 'utf8')))) return false
    rmSync(file, { force: true })
  } catch {
    // There is none, as it should be.
  }
  try {
    // Linked, and so never seen without the number in it.
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

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}
