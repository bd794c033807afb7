/**
 * Compiles the reference data (mail domains, IP ranges, carrier prefixes) from the development
 * packages into small binary files under build/data. Does nothing when they are up to date. Run as a
 * program by `npm run build`; tests call `compileData`.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DOMAIN_LISTS_FILE } from '../src/modules/checks/email/list-file.ts'
import { IP_DATA_FILE } from '../src/modules/checks/ip/ip-data.ts'
import { CARRIERS_FILE } from '../src/modules/phone/carriers.ts'
import { packSections, type Sections } from '../src/platform/lists/sections.ts'
import { packageRoot } from '../src/platform/package-root.ts'
import { inputKey, isUpToDate, STAMP_FILE } from './compile-data/stamp.ts'

const WORK_PREFIX = '.data-'
const ABANDONED_AFTER_MS = 3_600_000

type Product = { file: string; compile: () => Promise<Sections> }

// The compilers load only when there is work: an up-to-date build costs no parsing of metadata.
const PRODUCTS: readonly Product[] = [
  {
    file: DOMAIN_LISTS_FILE,
    compile: async () => (await import('./compile-data/domain-lists.ts')).compileDomainLists(),
  },
  {
    file: IP_DATA_FILE,
    compile: async () => (await import('./compile-data/ip-ranges.ts')).compileIpRanges(),
  },
  {
    file: CARRIERS_FILE,
    compile: async () => (await import('./compile-data/carriers.ts')).compileCarriers(),
  },
]

export type CompileOptions = {
  readonly outFolder: string
  /** Takes a line for each file made; silent by default. */
  readonly print?: (line: string) => void
}

/** 'made' after work, 'up_to_date' when versions, sources and outputs are those of the last run. */
export async function compileData({
  outFolder,
  print = () => {},
}: CompileOptions): Promise<'made' | 'up_to_date'> {
  const key = inputKey()
  const files = PRODUCTS.map(({ file }) => file)
  if (isUpToDate(outFolder, { key, files })) return 'up_to_date'
  mkdirSync(outFolder, { recursive: true })
  // Beside the outputs, so that renaming stays on one file system. Each file is moved whole and the
  // stamp last: a run that is cut off leaves whole files and no stamp, and two runs at once agree.
  sweepAbandoned(dirname(outFolder))
  const workFolder = mkdtempSync(join(dirname(outFolder), WORK_PREFIX))
  try {
    for (const { file, compile } of PRODUCTS) {
      const bytes = packSections(await compile())
      writeFileSync(join(workFolder, file), bytes)
      print(`reference data: ${file}, ${(bytes.byteLength / 1e6).toFixed(2)} MB`)
    }
    writeFileSync(join(workFolder, STAMP_FILE), JSON.stringify({ key }))
    rmSync(join(outFolder, STAMP_FILE), { force: true })
    for (const file of [...files, STAMP_FILE])
      renameSync(join(workFolder, file), join(outFolder, file))
  } finally {
    rmSync(workFolder, { recursive: true, force: true })
  }
  return 'made'
}

/** Working folders of runs that were killed; one of a run under way is never that old. */
function sweepAbandoned(parent: string): void {
  const oldest = Date.now() - ABANDONED_AFTER_MS
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name)
    const isAbandoned =
      name.startsWith(WORK_PREFIX) &&
      (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? oldest) < oldest
    if (isAbandoned) rmSync(folder, { recursive: true, force: true })
  }
}

function isProgram(): boolean {
  const program = process.argv[1]
  return program !== undefined && pathToFileURL(program).href === import.meta.url
}

if (isProgram()) {
  await compileData({
    outFolder: join(packageRoot(), 'build', 'data'),
    print: (line) => process.stdout.write(`${line}\n`),
  })
}
