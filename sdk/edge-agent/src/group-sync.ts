/**
 * Syncs written data to the disk without a sync for each line: data that is written during a sync
 * shares the next one.
 */
import { closeSync, fsync } from 'node:fs'

export type GroupSync = {
  request: (file: number) => void
  /** Syncs a file a last time and closes it. */
  finish: (file: number) => Promise<void>
  /** Resolves when all requested syncs are done. */
  settled: () => Promise<void>
}

/** `onFault` is called when a sync fails; the data is then still buffered by the operating system. */
export function createGroupSync(onFault: (error: Error) => void): GroupSync {
  let tail: Promise<void> = Promise.resolve()
  let waiting: number | undefined
  const sync = (file: number): Promise<void> =>
    new Promise((done) => {
      if (waiting === file) waiting = undefined
      fsync(file, (error) => {
        if (error) onFault(error)
        done()
      })
    })
  return {
    request: (file) => {
      if (waiting === file) return
      waiting = file
      tail = tail.then(() => sync(file))
    },
    finish: (file) => {
      tail = tail
        .then(() => sync(file))
        .then(() => closeSync(file))
        .catch(onFault)
      return tail
    },
    settled: () => tail,
  }
}
