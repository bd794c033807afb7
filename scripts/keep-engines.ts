/**
 * `npm run engines`: keeps the engines of the tests running until Ctrl-C, so that test runs do not start
 * their own. Test runs of this checkout find them automatically (test/global-setup.ts).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stopSignal } from '../src/cli/stop-signal.ts'
import { engineFingerprint, startEngines } from './engines/engines.ts'
import { isRunning } from './engines/run-databases.ts'
import { addressFile, readAddressFile, writeAddressFile } from './engines/shared-engines.ts'

const FOLDER_PREFIX = 'vigil-engines-'
const KEEP_ALIVE_MS = 60_000

export type KeepOptions = {
  print: (line: string) => void
  /** Resolves when the engines are to be stopped. */
  until: Promise<void>
  file?: string
}

/** @returns the exit status */
export async function keepEngines({
  print,
  until,
  file = addressFile(),
}: KeepOptions): Promise<number> {
  const former = readAddressFile(file)
  if (former && isRunning(former.pid)) {
    print(`The engines of this checkout are already running (process ${former.pid}).`)
    return 1
  }
  if (former) removeLeftovers(former.folder)
  const folder = mkdtempSync(join(tmpdir(), FOLDER_PREFIX))
  const start = performance.now()
  print('Starting PostgreSQL and ClickHouse')
  try {
    const engines = await startEngines(folder)
    try {
      const { postgres, clickhouse } = engines
      const fingerprint = engineFingerprint()
      writeAddressFile({ pid: process.pid, folder, fingerprint, postgres, clickhouse }, file)
      const seconds = ((performance.now() - start) / 1000).toFixed(1)
      print(`Ready after ${seconds} s; data in ${folder}, address in ${relative('.', file)}.`)
      print('Test runs of this checkout use these engines. Press Ctrl-C to stop and remove them.')
      // Signal handlers and child processes do not keep Node.js running here.
      const alive = setInterval(() => undefined, KEEP_ALIVE_MS)
      await until
      clearInterval(alive)
      print('Stopping')
    } finally {
      rmSync(file, { force: true })
      await engines.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return 0
}

/** Removes the data of a process that was killed. */
function removeLeftovers(folder: string): void {
  const isOurs = dirname(folder) === tmpdir() && basename(folder).startsWith(FOLDER_PREFIX)
  if (isOurs) rmSync(folder, { recursive: true, force: true })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const print = (line: string) => void process.stdout.write(`${line}\n`)
  process.exitCode = await keepEngines({ print, until: stopSignal(true).requested })
}
