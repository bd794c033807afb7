/**
 * Finds the folder with package.json, above both src/ and dist/. Migrations and compiled reference
 * data are located from it, whether the program runs from source (tests), from the build, or as a package.
 */
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The working folder of the process that reads it, also where its path leads through closed folders. */
export const WORKING_FOLDER = '/proc/self/cwd'

export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder)
    if (parent === folder) throw new Error('package.json not found above the program')
    folder = parent
  }
  return folder
}

/**
 * The folder with the `node_modules` that has the packages of the program: in a checkout, its folder; for an
 * installed package, the folder that it was installed into.
 */
export function installationFolder(root = packageRoot()): string {
  const parent = dirname(root)
  return basename(parent) === 'node_modules' ? dirname(parent) : root
}

/**
 * Does not use Node.js to resolve the package, which fails in a folder that only root can enter.
 *
 * @returns undefined if the package is not installed
 */
export function installedPackageFolder(name: string): string | undefined {
  const root = packageRoot()
  return [root, installationFolder(root)]
    .map((folder) => join(folder, 'node_modules', name))
    .find((folder) => existsSync(join(folder, 'package.json')))
}
