/** Decides whether compiled data matches the installed packages and the compiling code. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../src/platform/package-root.ts'
import { INPUT_PACKAGES, readPackageText } from './sources.ts'

export const STAMP_FILE = 'stamp.json'

/** TypeScript sources, even for the compiled program, so that tests and the build agree on the key. */
const SOURCE_FOLDERS = ['scripts/compile-data', 'src/platform/lists']
const SOURCE_FILES = [
  'src/modules/checks/email/known-services.ts',
  'src/modules/checks/email/list-file.ts',
  'src/modules/checks/ip/ip-data.ts',
  'src/modules/phone/carriers.ts',
]

/** Changes with the version of a package or the compiling code. */
export function inputKey(): string {
  const hash = createHash('sha256')
  for (const name of INPUT_PACKAGES) {
    const { version } = JSON.parse(readPackageText(name, 'package.json')) as { version: string }
    hash.update(`${name}@${version}\n`)
  }
  const root = packageRoot()
  const inFolders = SOURCE_FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder))
      .toSorted()
      .map((file) => join(folder, file)),
  )
  for (const file of [...inFolders, ...SOURCE_FILES]) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue
    hash.update(`${file}\n`).update(readFileSync(join(root, file)))
  }
  return hash.digest('hex')
}

export function isUpToDate(
  folder: string,
  { key, files }: { key: string; files: readonly string[] },
): boolean {
  const isComplete = [STAMP_FILE, ...files].every((file) => existsSync(join(folder, file)))
  return isComplete && stampedKey(folder) === key
}

function stampedKey(folder: string): string | undefined {
  try {
    const stamp = JSON.parse(readFileSync(join(folder, STAMP_FILE), 'utf8')) as {
      key?: string
    } | null
    return stamp?.key
  } catch {
    // An unreadable stamp counts as missing, so that the data is compiled again.
    return undefined
  }
}
