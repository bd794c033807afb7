/**
 * Puts what was written on the disk without making each line wait for it: while one sync is under way,
 * all that is written meanwhile shares the next.
 */
import { closeSync, fsync } from 'node:fs'

export type GroupSync = {
  request: (file: number) => void
  /** Once more, and then the file is closed. */
  finish: (file: number) => Promise<void>
  /** All that was requested so far is done. */
  settled: () => Promise<void>
}

/** `onFault` is told when a disk cannot do it; what was written is then still with the system. */
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
