/** A disk of limited size that a test can fill, where it may mount one. */
import { spawnSync } from 'node:child_process'
import { rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { isLinux, isRoot } from './program.ts'

const FILLER = 'filler'

export type SmallDisk = {
  /** Leaves no space. */
  fill(): void
  free(): void
  close(): void
}

/** @returns undefined where the account may not mount file systems */
export function mountSmallDisk(folder: string, megabytes: number): SmallDisk | undefined {
  if (!isLinux || !isRoot) return undefined
  const options = `size=${megabytes}m,mode=755`
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status !== 0) {
    return undefined
  }
  const filler = join(folder, FILLER)
  return {
    fill: () => {
      const { bavail, bsize } = statfsSync(folder)
      spawnSync('fallocate', ['--length', String(bavail * bsize), filler])
    },
    free: () => rmSync(filler, { force: true }),
    close: () => void spawnSync('umount', ['--lazy', folder]),
  }
}
