/**
 * Finds the folder with package.json, above both src/ and dist/. Migrations and compiled reference
 * data are located from it, whether the program runs from source (tests) or from the build.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
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
